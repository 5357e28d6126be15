/** Connects to the process that has a store open. */
import { resolve } from 'node:path'
import { isStorageError, schema, StorageError } from '@varve/core'
import { controlApi } from '@varve/http'
import { ControlClient } from '../control/control-client.ts'
import { socketTransport } from '../control/socket-transport.ts'
import { pathOf } from '../files/paths.ts'
import { type AttachedStore, attachedStore } from './attached-store.ts'

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

const answerMsDefault = 5000

/**
 * Uses the store in `dir` that another process of the same user has open: `openStore` of that process listens on a socket
 * in the directory. If no process has the store open, open it yourself.
 * @throws StorageError `StoreClosed` if no process has the store open, or it does not listen or answer; `StoreNotFound` if
 *   there is no directory; `AccessDenied` if the directory is of another user; `InvalidArgument`; the reason of `signal`
 */
export async function attachStore(dir: string, options: AttachOptions = {}): Promise<AttachedStore> {
  const path = resolve(pathOf('dir', dir))
  const { signal, answerMs = answerMsDefault } = schema.checked('options', attachOptions, options)
  const client = await connected(path, signal, answerMs).catch((error: unknown) => Promise.reject(coded(error)))
  if (client === undefined) throw noOwner()
  return attachedStore(client)
}

/**
 * Connects to the process that has the store in `dir` open. `undefined`: it does not listen or answer, or is gone by now.
 * @throws StorageError as the store throws it; the reason of the signal
 */
export async function connected(
  dir: string,
  signal?: AbortSignal,
  answerMs = answerMsDefault,
): Promise<ControlClient | undefined> {
  signal?.throwIfAborted()
  const client = new ControlClient(await socketTransport(dir))
  const soon = AbortSignal.timeout(answerMs)
  try {
    await client.value(controlApi.getStatus, {}, { signal: signal ? AbortSignal.any([signal, soon]) : soon })
    return client
  } catch (error) {
    await client.close()
    if (isStorageError(error, 'StoreClosed') || error === soon.reason) return undefined
    throw error
  }
}

/** Errors of the file system, with codes of the store. */
function coded(error: unknown): unknown {
  const code = (error as Partial<NodeJS.ErrnoException> | undefined | null)?.code
  if (code === 'EACCES' || code === 'EPERM') return denied(error)
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG' ? notFound(error) : error
}

const noOwner = (): StorageError =>
  new StorageError('StoreClosed', 'No process that has the store open listens for others. Open the store yourself.')

const notFound = (cause: unknown): StorageError =>
  new StorageError('StoreNotFound', 'There is no directory of this name.', { cause })

const denied = (cause: unknown): StorageError =>
  new StorageError('AccessDenied', 'This user cannot use the control socket of the store.', { cause })
