/** The store that a server of the control API has open. */
import type { Seq, VerifyReport } from '@varve/core'
import { controlApi } from '@varve/http'
import type { ControlClient } from './control-client.ts'
import type { ReachedStore, ReachedView } from './reached-store.ts'
import { type RemoteVerifyOptions, restoredOver, undoneOver, verifiedOver } from './remote-work.ts'

export interface RemoteStore extends ReachedStore {
  verify(options?: RemoteVerifyOptions): Promise<VerifyReport>
}

export function remoteStore(client: ControlClient): RemoteStore {
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
    usage: (options = {}) => client.value(controlApi.getUsage, options),
    retention: {
      get: (options = {}) => client.value(controlApi.getRetention, options),
      set: (retention, options = {}) => client.value(controlApi.setRetention, { ...retention, ...options }),
      remove: (options) => client.value(controlApi.removeRetention, options),
    },
    snapshots: {
      create: (name, options = {}) => client.value(controlApi.createSnapshot, { name, ...options }),
      list: () => collected(client.lines(controlApi.listSnapshots, {})),
      get: (name) => client.value(controlApi.getSnapshot, { name }),
      delete: async (name) => void (await client.value(controlApi.deleteSnapshot, { name })),
    },
    erase: ({ signal, ...request }) => client.value(controlApi.eraseVersions, request, { signal }),
    keys: { list: () => collected(client.lines(controlApi.listKeys, {})) },
    get seq() {
      return client.value(controlApi.getPosition, {}).then(({ seq }) => seq)
    },
    diff: (scope, from, to, { signal } = {}) => client.lines(controlApi.readDiff, { ...scope, from, to }, { signal }),
    async at(moment) {
      const { seq } = await client.value(controlApi.getPosition, { at: moment })
      return { seq, ...viewOver(client, { at: seq }) }
    },
    restore: (request) => restoredOver(client, request),
    undo: (request) => undoneOver(client, request),
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

async function collected<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const value of values) all.push(value)
  return all
}
