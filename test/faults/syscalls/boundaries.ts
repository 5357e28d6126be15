/** Runs of the writer under strace: to count its calls of the system, and to kill it as it makes one. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Expectations } from '../load/audit.ts'
import type { Said } from '../load/load.ts'
import { Child } from '../machine/child.ts'

/** What changes a file system, or makes a change last. */
export const calls = ['fsync', 'fdatasync', 'rename', 'unlink', 'pwrite64', 'write', 'openat', 'mkdir'] as const
export type Call = (typeof calls)[number]

export interface Run {
  readonly directory: string
  readonly expectations: Expectations
  /** The first number of the load. */
  readonly first: number
}

/** Enough for several changes of the log at the size of the writer's buffers. */
const deeds = 48

/** How often the thread that makes a call most often makes it, from the opening of the store to the end of the load. */
export async function countCalls(run: Run, trace: string): Promise<ReadonlyMap<Call, number>> {
  const writer = await startUnder(['-e', `trace=${calls.join(',')}`, '-o', trace])
  const { code, stderr } = await work(writer, run)
  if (code !== 0) throw new Error(`The writer failed under strace: ${stderr}`)
  const counts = new Map<string, number>()
  for (const line of (await readFile(trace, 'utf8')).split('\n')) {
    const [, thread, call] = /^(\d+)\s+(\w+)\(/.exec(line) ?? []
    if (thread !== undefined) counts.set(`${call} ${thread}`, (counts.get(`${call} ${thread}`) ?? 0) + 1)
  }
  const most = (call: Call) =>
    Math.max(0, ...[...counts].map(([key, count]) => (key.startsWith(`${call} `) ? count : 0)))
  return new Map(calls.map((call) => [call, most(call)]))
}

/** Kills the writer as one of its threads is about to make a call for the k-th time. False when the load ended first. */
export async function killAt(call: Call, k: number, run: Run): Promise<boolean> {
  const inject = `inject=${call}:signal=SIGKILL:when=${k}`
  const writer = await startUnder(['-e', `trace=${call}`, '-e', inject, '-o', '/dev/null'])
  const { code, signal, stderr } = await work(writer, run)
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`The writer failed under strace: ${stderr}`)
  return signal === 'SIGKILL'
}

type Writer = Child<Said | { readonly opened: number }>

/**
 * Attached before it is given its orders, so that what Node does to start counts for nothing. Not with `--seccomp-bpf`,
 * which is faster: strace then injects no signals.
 */
async function startUnder(args: readonly string[]): Promise<Writer> {
  // strace counts per thread: with one thread for files the k-th call is the k-th.
  const writer: Writer = new Child('load/writer.js', { UV_THREADPOOL_SIZE: '1' })
  const strace = spawn('strace', ['-f', '-p', String(writer.pid), ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  strace.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  while (!said.includes(' attached')) {
    if (strace.exitCode !== null) throw new Error(`strace cannot attach: ${said}`)
    await Promise.race([once(strace.stderr, 'data'), once(strace, 'exit')])
  }
  return writer
}

function work(writer: Writer, { directory, expectations, first }: Run) {
  writer.hear((line) => {
    if ('what' in line) expectations.hear(line)
  })
  writer.tell({ directory, first, count: deeds })
  return writer.ended
}
