/** The store of a directory that another process has open, reached over its control socket. */
import { relative } from 'node:path'
import { isStorageError, type Seq, StorageError, type VerifyOptions, type VerifyReport } from '@varve/core'
import { controlApi } from '@varve/http'
import { ControlClient } from './control-client.ts'
import type { ReachedStore, ReachedView } from './reached-store.ts'
import { findSocket, identityHeader, identityOf } from './socket-files.ts'

/** The parts of `VerifyOptions` that mean the same in another process. */
export type AttachedVerifyOptions = Pick<VerifyOptions, 'blobs' | 'views' | 'tip' | 'signal' | 'onProgress'>

export interface AttachedStore extends ReachedStore {
  verify(options?: AttachedVerifyOptions): Promise<VerifyReport>
}

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
): Promise<AttachedStore | undefined> {
  const address = await findSocket(dir)
  if (address === undefined) return undefined
  const identity = await identityOf(dir)
  const client = new ControlClient(shortest(address), ({ headers }) => headers[identityHeader] === identity)
  const soon = AbortSignal.timeout(answerMs)
  try {
    await client.value(controlApi.getStatus, {}, { signal: signal ? AbortSignal.any([signal, soon]) : soon })
    return storeOver(client)
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

function storeOver(client: ControlClient): AttachedStore {
  const newest = viewOver(client, {})
  const { buckets, objects } = newest
  return {
    ...newest,
    buckets: {
      ...buckets,
      create: (bucket, { signal, ...options } = {}) =>
        client.value(controlApi.createBucket, { bucket, ...options }, { signal }),
      delete: async (bucket, { signal } = {}) =>
        void (await client.value(controlApi.deleteBucket, { bucket }, { signal })),
    },
    objects: {
      ...objects,
      put: (bucket, key, body, { signal, ...options } = {}) =>
        client.value(controlApi.putContent, { bucket, key, ...options }, { signal, body }),
      copy: (source, bucket, key, { signal } = {}) =>
        client.value(controlApi.copyObject, { source, bucket, key }, { signal }),
      delete: (bucket, key, { signal, ...options } = {}) =>
        client.value(controlApi.deleteObject, { bucket, key, ...options }, { signal }),
    },
    clock: {
      status: () => client.value(controlApi.getClock, {}),
      accept: () => client.value(controlApi.acceptClock, {}),
    },
    keys: { list: () => collected(client.lines(controlApi.listKeys, {})) },
    async at(moment) {
      const { seq } = await client.value(controlApi.getPosition, { at: moment })
      return { seq, ...viewOver(client, { at: seq }) }
    },
    log: ({ signal, ...range } = {}) => client.lines(controlApi.readLog, range, { signal }),
    history: (bucket, key, { signal } = {}) => client.lines(controlApi.readHistory, { bucket, key }, { signal }),
    verify: (options = {}) => verifiedOver(client, options),
    close: async () => client.close(),
  }
}

function viewOver(client: ControlClient, at: { readonly at?: Seq }): ReachedView {
  const { listBuckets, headBucket, listObjects, headObject, getContent, listVersions } = controlApi
  return {
    buckets: {
      list: ({ signal } = {}) => client.lines(listBuckets, at, { signal }),
      head: (bucket, { signal } = {}) => client.value(headBucket, { bucket, ...at }, { signal }),
    },
    objects: {
      list: (bucket, { signal, ...options } = {}) =>
        client.lines(listObjects, { bucket, ...options, ...at }, { signal }),
      head: (bucket, key, { signal, ...options } = {}) =>
        client.value(headObject, { bucket, key, ...options, ...at }, { signal }),
      get: (bucket, key, { signal, ...options } = {}) =>
        client.bytes(getContent, { bucket, key, ...options, ...at }, { signal }),
    },
    versions: {
      list: (bucket, { signal, ...options } = {}) =>
        client.lines(listVersions, { bucket, ...options, ...at }, { signal }),
    },
  }
}

async function verifiedOver(
  client: ControlClient,
  { signal, onProgress, ...options }: AttachedVerifyOptions,
): Promise<VerifyReport> {
  const divergences: VerifyReport['divergences'][number][] = []
  for await (const { progress, divergence, report } of client.lines(controlApi.verifyStore, options, { signal })) {
    if (progress !== undefined) onProgress?.(progress)
    if (divergence !== undefined) divergences.push(divergence)
    if (report !== undefined) return { ...report, divergences }
  }
  throw new StorageError('InternalError', 'The verification ended without a report.')
}

async function collected<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const value of values) all.push(value)
  return all
}
