/** The store of a directory that another process has open, reached over its control socket. */
import { relative } from 'node:path'
import { isStorageError } from '@varve/core'
import { controlApi } from '@varve/http'
import { ControlClient } from './control-client.ts'
import { type RemoteStore, remoteStore } from './remote-store.ts'
import { findSocket, identityOf } from './socket-files.ts'
import { socketTransport } from './socket-transport.ts'

/** How long the owner may take for its first answer. It may be stopped, or busy with something else. */
const answerMsMax = 5000

/**
 * Connects to the process that has the store in `dir` open. `undefined`: it does not listen or answer, or is gone by now.
 * @throws StorageError as the store throws it; the reason of the signal
 */
export async function attachedStore(
  dir: string,
  signal?: AbortSignal,
  answerMs = answerMsMax,
): Promise<RemoteStore | undefined> {
  const address = await findSocket(dir)
  if (address === undefined) return undefined
  const identity = await identityOf(dir)
  const client = new ControlClient(socketTransport(shortest(address), identity))
  const soon = AbortSignal.timeout(answerMs)
  try {
    await client.value(controlApi.getStatus, {}, { signal: signal ? AbortSignal.any([signal, soon]) : soon })
    return remoteStore(client)
  } catch (error) {
    client.close()
    if (isStorageError(error, 'StoreClosed') || error === soon.reason) return undefined
    throw error
  }
}

/** A socket can be in reach by a relative path where its absolute path is too long for the system. */
function shortest(address: string): string {
  if (process.platform === 'win32') return address
  const near = relative('', address)
  return near.length < address.length ? near : address
}
