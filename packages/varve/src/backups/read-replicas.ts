/** Reads replicas: restores them, lists what they have, and proves them. */
import { nodeHashing, randomIds } from '@varve/adapters'
import {
  isStorageError,
  JoinedReplicas,
  type Moment,
  momentIn,
  newestClaim,
  ReplicaReader,
  readReplicaState,
  type ReplicaVerified,
  restoreReplica,
  StorageError,
  verifyReplica,
} from '@varve/core'
import { directoryPlace } from '../moving/directory-place.ts'
import { type OpenReplica, replicaAt } from '../replicas/replica-address.ts'
import { openReplicas, type OpenedReplicas } from '../replicas/open-replicas.ts'
import { type UsedReplica, usedReplicas, assertAnyOpen } from './used-replicas.ts'
import type { RestoreStoreOptions, VerifyReplicaOptions } from './replica-arguments.ts'

/** What `restoreStore` did. */
export interface RestoreReport {
  /** The replica that reaches furthest. */
  readonly from: string
  readonly dir: string
  /** The position of the last event of the store, which begins its epoch. */
  readonly head: number
  /** How many were copied by this call. */
  readonly events: number
  readonly blobs: number
  readonly bytes: number
  /** How many blobs the replica does not have: they were erased before they were copied. */
  readonly absent: number
  /** All replicas that were given, the one that reaches furthest first. */
  readonly replicas: readonly UsedReplica[]
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
}

export async function restoreInto(
  from: readonly string[],
  dir: string,
  { at, layout, ...following }: RestoreStoreOptions,
): Promise<RestoreReport> {
  const opened = await openReplicas(from.map(replicaAt))
  try {
    assertAnyOpen(opened)
    const hashing = await nodeHashing()
    const joined = await JoinedReplicas.of(opened.replicas, hashing)
    const to = at === undefined ? joined.end() : await momentInAny(opened, joined, at)
    const { name } = joined.first
    if (to === 0) throw emptyReplica(name)
    const into = await directoryPlace(dir, layout).openTarget()
    try {
      const restoring = { ...following, name, reader: joined, into, hashing, ids: randomIds, to, now: Date.now() }
      const { events, blobs, bytes, absent } = await restoreReplica(restoring)
      return { from: name, dir, head: to + 1, events, blobs, bytes, absent, replicas: usedReplicas(opened, joined) }
    } finally {
      await into.close()
    }
  } finally {
    await opened.close()
  }
}

/** The replicas that can have the moment are asked in turn. */
async function momentInAny({ replicas }: OpenedReplicas, joined: JoinedReplicas, at: Moment): Promise<number> {
  let failure: unknown
  for (const { name, reader } of joined.replicas) {
    const replica = replicas.find((one) => one.name === name)?.replica
    if (replica === undefined) continue
    try {
      return await momentIn({ ports: replica, hashing: replica.hashing, reader }, at)
    } catch (error) {
      if (!isStorageError(error)) throw error
      failure ??= error
    }
  }
  throw failure
}

const emptyReplica = (name: string): StorageError =>
  new StorageError('StoreNotFound', `The replica ${name} has no event.`, { details: { kind: 'empty' } })

export const inspectAt = (from: string): Promise<ReplicaReport> =>
  reading(from, async (replica, name) => {
    const { log, rows, head, hash, store } = await readReplicaState(replica)
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

const readerOf = async (replica: OpenReplica): Promise<ReplicaReader> =>
  new ReplicaReader(replica, await readReplicaState(replica))

async function reading<T>(from: string, work: (replica: OpenReplica, name: string) => Promise<T>): Promise<T> {
  const place = replicaAt(from)
  const replica = await place.open({ create: false })
  try {
    return await work(replica, place.name)
  } finally {
    await replica.close()
  }
}
