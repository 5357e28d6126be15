/** Finds the process that has a store open, and connects to it. */
import { isStorageError, StorageError } from '@varve/core'
import { controlApi } from '@varve/http'
import { ControlClient } from '../control/control-client.ts'
import { socketTransport } from '../control/socket-transport.ts'
import { type AttachedStore, attachedStore } from './attached-store.ts'

/** How long a process may take for its first answer. */
const answerMsDefault = 5000

/**
 * As `attachStore`, for checked arguments. @throws as `attachStore` does
 */
export async function attachTo(dir: string, signal?: AbortSignal, answerMs?: number): Promise<AttachedStore> {
  const client = await connected(dir, signal, answerMs).catch((error: unknown) => Promise.reject(coded(error)))
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
  new StorageError('StoreClosed', 'No process that has the store open listens for others.', {
    hint: 'Open the store with `openStore`.',
  })

const notFound = (cause: unknown): StorageError =>
  new StorageError('StoreNotFound', 'There is no directory of this name.', { cause })

const denied = (cause: unknown): StorageError =>
  new StorageError('AccessDenied', 'This user cannot use the control socket of the store.', { cause })
