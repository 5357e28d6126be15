/**
 * The life of a suite that is a program: it looks whether the machine has what it needs, moves to mounts of its own (so
 * that nothing stays mounted, whatever becomes of it) and a scratch directory of its own, runs, and says how it ended.
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

const inOwnMounts = 'VARVE_FAULTS_OWN_MOUNTS'

export async function runSuite(suite: Suite): Promise<void> {
  const missing = whatIsMissing(suite.needs)
  if (missing !== undefined) {
    console.log(`${suite.name}: not run, as ${missing}.`)
    process.exitCode = required() ? 1 : 0
    return
  }
  if (suite.mounts === true && process.env[inOwnMounts] === undefined) {
    process.exitCode = await againInOwnMounts()
    return
  }
  // In memory where there is any: what carries an image changes nothing about what its file system forgets.
  const home = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const scratch = await mkdtemp(join(process.env['VARVE_FAULTS_SCRATCH'] ?? home, `varve-${suite.name}-`))
  try {
    const wrong = await suite.run(scratch)
    for (const line of wrong) console.log(`FAILED ${line}`)
    process.exitCode = wrong.length === 0 ? 0 : 1
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

function againInOwnMounts(): Promise<number> {
  const args = ['-m', '--propagation', 'private', '--', process.execPath, ...process.argv.slice(1)]
  const child = spawn('unshare', args, { stdio: 'inherit', env: { ...process.env, [inOwnMounts]: '1' } })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve) => {
    child.once('close', (code) => resolve(code ?? 1))
  })
}
