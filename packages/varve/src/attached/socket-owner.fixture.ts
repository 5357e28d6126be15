/** Another process that has a store open and listens, until it is killed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** As built: another process does not compile the sources. */
const entry = fileURLToPath(import.meta.resolve('../../dist/store/open-store.js'))

const program = `
  import(process.argv[1]).then(async ({ openStore }) => {
    await openStore(process.argv[2])
    console.log('open')
    setInterval(() => undefined, 1000)
  })`

/** Resolves when the store is open and the process has got the signal; returns what kills the process. */
export async function startOwner(dir: string, signal?: NodeJS.Signals): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['-e', program, entry, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  if (signal !== undefined) child.kill(signal)
  return async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}
