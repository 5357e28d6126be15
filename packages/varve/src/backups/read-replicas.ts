/** Reads replicas: restores them, lists what they have, and proves them. */
import { randomIds } from '@varve/adapters'
import {
  absentIn,
  momentIn,
  newestClaim,
  ReplicaReader,
  readReplicaState,
  type ReplicaVerified,
  restoreReplica,
  StorageError,
  verifyReplica,
  withholdErased,
} from '@varve/core'
import { directoryPlace } from '../moving/directory-place.ts'
import { type OpenReplica, replicaAt } from '../replicas/replica-address.ts'
import type { RestoreStoreOptions, VerifyReplicaOptions } from './replica-arguments.ts'

/** What `restoreStore` did. */
export interface RestoreReport {
  readonly from: string
  readonly dir: string
  /** The position of the last event of the store, which begins its epoch. */
  readonly head: number
  /** How many were copied by this call. */
  readonly events: number
  readonly blobs: number
  readonly bytes: number
  /** How many contents the replica does not have: they were erased before they were copied, or in the replica too. */
  readonly absent: number
}

/** What a replica has. */
export interface ReplicaReport {
  readonly from: string
  /** The hash of the first event of the log, which names the store. */
  readonly store: string
  /** The last event, and its hash. */
  readonly head: number
  readonly hash: string
  /** The writer, by the name that it gave itself. Absent if there was none. */
  readonly writer?: { readonly name: string; readonly term: number; readonly since: Date }
  /** The number of files that have the log, and of those that have only short bytes. */
  readonly files: { readonly log: number; readonly rows: number }
  /** The bytes of these files, without the blobs. */
  readonly bytes: number
  /** How many contents the store had erased before they could be copied. */
  readonly absent: number
}

export const restoreInto = (
  from: string,
  dir: string,
  { at, layout, ...following }: RestoreStoreOptions,
): Promise<RestoreReport> =>
  reading(from, async (replica, name) => {
    const reader = await readerOf(replica)
    const ports = { ports: replica, hashing: replica.hashing, reader }
    const to = at === undefined ? reader.end() : await momentIn(ports, at)
    if (to === 0) throw emptyReplica(name)
    const into = await directoryPlace(dir, layout).openTarget()
    try {
      const { events, blobs, bytes, absent } = await restoreReplica({
        ...following,
        name,
        reader,
        into,
        hashing: replica.hashing,
        ids: randomIds,
        to,
        now: Date.now(),
      })
      return { from: name, dir, head: to + 1, events, blobs, bytes, absent }
    } finally {
      await into.close()
    }
  })

const emptyReplica = (name: string): StorageError =>
  new StorageError('StoreNotFound', `The replica ${name} has no event.`, { details: { kind: 'empty' } })

export const inspectAt = (from: string): Promise<ReplicaReport> =>
  reading(from, async (replica, name) => {
    const state = await readReplicaState(replica)
    const { log, rows, head, hash, store } = state
    const claim = await newestClaim(replica.files)
    const bytes = [...log.map(({ part }) => part), ...rows].reduce((sum, { size }) => sum + size, 0)
    return {
      from: name,
      store,
      head,
      hash,
      ...(claim && { writer: { name: claim.name, term: claim.term, since: new Date(claim.at) } }),
      files: { log: log.length, rows: rows.length },
      bytes,
      absent: await absentIn(replica, state),
    }
  })

export const verifyAt = (from: string, { sample = 1, ...options }: VerifyReplicaOptions): Promise<ReplicaVerified> =>
  reading(from, async (replica) =>
    verifyReplica({
      ...options,
      reader: await readerOf(replica),
      hashing: replica.hashing,
      isChosen: () => sample === 1 || Math.random() < sample,
    }),
  )

/** What somebody had erased is not read, also if it could not be removed from the replica yet. */
async function readerOf(replica: OpenReplica): Promise<ReplicaReader> {
  const reader = new ReplicaReader(replica, await readReplicaState(replica))
  await withholdErased(replica.files, replica.hashing, reader)
  return reader
}

async function reading<T>(from: string, work: (replica: OpenReplica, name: string) => Promise<T>): Promise<T> {
  const place = replicaAt(from)
  const replica = await place.open({ create: false })
  try {
    return await work(replica, place.name)
  } finally {
    await replica.close()
  }
}
