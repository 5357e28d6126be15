/**
 * The life of a suite that is a program. It checks whether the machine has what it needs. It moves to mounts of its
 * own, so that nothing stays mounted whatever happens to it, and to a scratch directory of its own. Then it runs and
 * reports its result.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type NeedName, required, whatIsMissing } from './requirements.ts'

export interface Suite {
  readonly name: string
  readonly needs: readonly NeedName[]
  /** Mounts file systems. */
  readonly mounts?: boolean
  /** Resolves with lines about what is wrong; none is what we want. */
  run(scratch: string): Promise<readonly string[]>
}

/** Set for the process in mounts of its own: its scratch directory. */
const scratchVariable = 'VARVE_FAULTS_OWN_MOUNTS'

const signals = ['SIGINT', 'SIGTERM'] as const

export async function runSuite(suite: Suite): Promise<void> {
  const given = process.env[scratchVariable]
  if (given !== undefined) {
    process.exitCode = await judge(suite, given)
    return
  }
  const missing = whatIsMissing(suite.needs)
  if (missing !== undefined) {
    console.log(`${suite.name}: not run, as ${missing}.`)
    process.exitCode = required() ? 1 : 0
    return
  }
  // In memory where there is any: what carries an image changes nothing about what its file system forgets.
  const home = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const scratch = await mkdtemp(join(process.env['VARVE_FAULTS_SCRATCH'] ?? home, `varve-${suite.name}-`))
  try {
    process.exitCode = await (suite.mounts === true ? inOwnMounts(scratch) : untilInterrupted(judge(suite, scratch)))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function judge(suite: Suite, scratch: string): Promise<number> {
  const wrong = await suite.run(scratch)
  for (const line of wrong) console.log(`FAILED ${line}`)
  return wrong.length === 0 ? 0 : 1
}

/** The same program again. When it ends its mounts are gone, and what they held can be removed. */
function inOwnMounts(scratch: string): Promise<number> {
  const args = ['-m', '--propagation', 'private', '--', process.execPath, ...process.argv.slice(1)]
  const child = spawn('unshare', args, { stdio: 'inherit', env: { ...process.env, [scratchVariable]: scratch } })
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  return new Promise((resolve) => {
    child.once('close', (code) => resolve(code ?? 1))
  })
}

/**
 * Resolves with 1 on a signal. Unfinished work ends with the process, which exits once the scratch directory is gone.
 */
function untilInterrupted(work: Promise<number>): Promise<number> {
  const interrupted = new Promise<number>((resolve) => {
    for (const signal of signals) {
      process.once(signal, () => {
        setTimeout(() => process.exit(1), 1000)
        resolve(1)
      })
    }
  })
  return Promise.race([work, interrupted])
}
