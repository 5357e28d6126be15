/** Another process that has the lock of a directory, and nothing else of it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const program = `
  import('fs-native-extensions').then(async ({ default: { tryLock } }) => {
    const { open } = await import('node:fs/promises')
    const file = await open(process.argv[1], 'a')
    if (tryLock(file.fd)) console.log('locked')
    process.stdin.resume()
    process.stdin.on('end', () => process.exit())
  })`

/** Returns what lets go of it. */
export async function holdLock(dir: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['-e', program, join(dir, 'lock')], {
    cwd: import.meta.dirname,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return async () => {
    child.stdin.end()
    await once(child, 'exit')
  }
}
