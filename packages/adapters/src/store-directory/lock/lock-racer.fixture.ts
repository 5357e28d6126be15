/** A process that locks a directory on command, with or without the addon, and holds it until it dies. */
import { stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { isStorageError } from '@varve/core'
import { claimName } from './directory-name.ts'
import { HeldDirectory } from './held-directory.ts'
import { lockFile } from './lock-file.ts'
import type { Order } from './lock-racers.fixture.ts'

const report = (what: unknown) => void process.stdout.write(`${JSON.stringify(what)}\n`)

const missing = async () => undefined

async function take({ path, addon }: Order): Promise<void> {
  const file = (at: string) => (addon ? lockFile(at) : lockFile(at, missing))
  await HeldDirectory.take(path, await stat(path, { bigint: true }), { lock: { file, name: claimName } })
}

createInterface({ input: process.stdin }).on('line', (line) => {
  take(JSON.parse(line) as Order).then(
    () => report({ won: true, pid: process.pid }),
    (error: unknown) =>
      report({
        won: false,
        ...(isStorageError(error) ? { code: error.code, ...error.details } : { code: String(error) }),
      }),
  )
})
report({ ready: true })
