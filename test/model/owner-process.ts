/** Another process that has a store open, until it is killed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const program = `
  import(process.argv[1]).then(async ({ openStore }) => {
    await openStore(process.argv[2])
    console.log('open')
    setInterval(() => undefined, 1000)
  })`

export interface OwnerProcess {
  /** Idempotent. */
  kill(): Promise<void>
}

/** Resolves when the store is open. */
export async function startOwner(dir: string): Promise<OwnerProcess> {
  const entry = fileURLToPath(new URL('../../packages/varve/dist/index.js', import.meta.url))
  const child = spawn(process.execPath, ['-e', program, entry, dir], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  await Promise.race([once(child.stdout, 'data'), ended])
  return {
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
