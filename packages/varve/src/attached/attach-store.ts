/** Connects to the process that has a store open. */
import { resolve } from 'node:path'
import { schema } from '@varve/core'
import { pathOf } from '../files/paths.ts'
import type { AttachedStore } from './attached-store.ts'

/** How a store is attached. */
export interface AttachOptions {
  /** Ends the wait for the process that has the store open. */
  readonly signal?: AbortSignal
  /** How long that process may take for its first answer, in milliseconds, 1 to 3,600,000. @default 5000 */
  readonly answerMs?: number
}

const attachOptions = schema.object<AttachOptions>({
  signal: schema.optional(schema.abortSignal),
  answerMs: schema.optional(schema.integer({ min: 1, max: 3_600_000 })),
})

/**
 * Uses the store in `dir` that another process of the same user has open: `openStore` of that process listens on a socket
 * in the directory. If no process has the store open, open it yourself.
 * @throws StorageError `StoreClosed` if no process has the store open, or it does not listen or answer; `StoreNotFound` if
 *   there is no directory; `AccessDenied` if the directory is of another user; `InvalidArgument`; the reason of `signal`
 */
export async function attachStore(dir: string, options: AttachOptions = {}): Promise<AttachedStore> {
  const path = resolve(pathOf('dir', dir))
  const { signal, answerMs } = schema.checked('options', attachOptions, options)
  const { attachTo } = await import('./connect.ts')
  return attachTo(path, signal, answerMs)
}
