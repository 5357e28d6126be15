/** Another process that has the lock of a directory, and nothing else of it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { join } from 'node:path'

/** Locks the file that a line names, or unlocks it on an empty line, and answers each line. */
const program = `
  const { open } = require('node:fs/promises')
  const { createInterface } = require('node:readline')
  import('fs-native-extensions').then(async ({ default: { tryLock } }) => {
    let file
    for await (const path of createInterface({ input: process.stdin })) {
      await file?.close()
      file = path === '' ? undefined : await open(path, 'a')
      console.log(file === undefined || tryLock(file.fd))
    }
  })`

export interface LockHolder {
  /** Locks the directory, and no longer the one before. */
  hold(dir: string): Promise<void>
  release(): Promise<void>
  end(): Promise<void>
}

/** Starts the process. It takes a while, so tests share one. */
export function startLockHolder(): LockHolder {
  const child = spawn(process.execPath, ['-e', program], {
    cwd: import.meta.dirname,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const send = async (line: string): Promise<void> => {
    child.stdin.write(`${line}\n`)
    const { value } = await answers.next()
    if (value !== 'true') throw new Error(`The process has not locked ${line}: ${value}`)
  }
  return {
    hold: (dir) => send(join(dir, 'lock')),
    release: () => send(''),
    async end() {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}
