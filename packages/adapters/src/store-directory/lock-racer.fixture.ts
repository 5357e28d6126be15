/** A process that asks for the lock of a directory when told to, and holds it until it dies. */
import { stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { isStorageError } from '@varve/core'
import { lockDirectory } from './directory-lock.ts'

const say = (what: unknown) => void process.stdout.write(`${JSON.stringify(what)}\n`)

createInterface({ input: process.stdin }).on('line', (path) => {
  stat(path, { bigint: true })
    .then((identity) => lockDirectory(identity))
    .then(
      () => say({ won: true, pid: process.pid }),
      (error: unknown) => say({ won: false, ...(isStorageError(error) ? { code: error.code, ...error.details } : {}) }),
    )
})
say({ ready: true })
