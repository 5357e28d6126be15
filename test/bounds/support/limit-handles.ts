/**
 * Loaded into a process before its own program: takes its file handles away, but for `handlesMax`. Not by `ulimit` before
 * it starts, as Node opens dozens of modules at once to load them; what is wanted is a store that has few, not Node.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

export const handlesMax = 64

const tool = '/usr/bin/prlimit'

/** Why it cannot be done here; `undefined` where it can. */
export const unlimitable: string | undefined = existsSync(tool)
  ? undefined
  : `The handles of a running process are limited by ${tool}, and it is not there.`

/** When it is loaded for its effect: by `--import`, with everything to come loaded first. */
export async function limitHandles(): Promise<void> {
  await Promise.all([import('varve'), import('varve/http')])
  execFileSync(tool, ['--pid', String(process.pid), `--nofile=${handlesMax}:${handlesMax}`])
}
