/** Reads replicas: restores them, lists what they have, and proves them. */
import { nodeHashing } from '@varve/adapters'
import {
  emptyReplica,
  isStorageError,
  JoinedReplicas,
  type Moment,
  momentIn,
  newestClaim,
  ReplicaReader,
  readReplicaState,
  type ReplicaVerified,
  type Tip,
  tipAt,
  verifyReplica,
  viewsOf,
  withholdErased,
} from '@varve/core'
import type { FillingNote } from '../replicas/filling-note.ts'
import { type OpenReplica, replicaAt, type ReplicaPlace, withKeys } from '../replicas/replica-address.ts'
import { openReplicas, type OpenedReplicas } from '../replicas/open-replicas.ts'
import { assertAnyOpen, usedReplicas } from './used-replicas.ts'
import type { InspectReplicaOptions, RestoreStoreOptions, VerifyReplicaOptions } from './replica-arguments.ts'
import { restoreLog, type RestoreReport } from './restore-log.ts'

/** What a replica has. */
export interface ReplicaReport {
  readonly from: string
  /** The hash of the first event of the log, which names the store. */
  readonly store: string
  /** The last event, and its hash. */
  readonly head: number
  readonly hash: string
  /** How many later events the replica was written with and has lost. */
  readonly lost: number
  /** The writer, by the name that it gave itself. Absent if there was none. */
  readonly writer?: { readonly name: string; readonly term: number; readonly since: Date }
  /** The number of files that have the log, and of those that have only short bytes. */
  readonly files: { readonly log: number; readonly rows: number }
  /** The bytes of these files, without the blobs. */
  readonly bytes: number
  /** The last event of which the replica has the rows of all views, so that an instant restore computes only later ones. 0: there are none. */
  readonly views: number
  /** How many contents the store did not have when they were to be copied: it had erased or lost them. `verifyReplica` tells which. */
  readonly absent: number
}

export async function restoreInto(
  from: readonly string[],
  dir: string,
  options: RestoreStoreOptions,
): Promise<RestoreReport> {
  const places = from.map((address) => withKeys(replicaAt(address), options))
  const opened = await openReplicas(places)
  try {
    assertAnyOpen(opened)
    const joined = await JoinedReplicas.of(opened.replicas, await nodeHashing())
    await withholdFrom(opened, joined)
    const to = options.at === undefined ? joined.end() : await momentInAny(joined, options.at)
    const { name } = joined.first
    if (to === 0) throw emptyReplica(name)
    const note = options.instant === true ? await noteOf({ opened, joined, places, from, to }) : undefined
    const report = await restoreLog(
      { name, reader: joined, to, toEnd: options.at === undefined, ...(note && { note }) },
      dir,
      options,
    )
    return { ...report, replicas: usedReplicas(opened, joined) }
  } finally {
    await opened.close()
  }
}

interface Noted {
  readonly opened: OpenedReplicas
  readonly joined: JoinedReplicas
  /** Those of the addresses `from`. */
  readonly places: readonly ReplicaPlace[]
  readonly from: readonly string[]
  readonly to: number
}

/** Another process reads the replicas later, wherever it was started. */
async function noteOf({ opened: { replicas }, joined, places, from, to }: Noted): Promise<FillingNote> {
  const log = { journal: joined.journal, hashing: await nodeHashing() }
  const held: Tip[] = []
  for (const place of places) {
    // Of one that cannot be read now it is only known which log it has to have.
    const head = replicas.find((one) => one.place === place)?.reader.state.head ?? 0
    held.push(await tipAt(log, Math.max(1, Math.min(head, to))))
  }
  return {
    from: from.map((address, n) => places[n]?.directory ?? address),
    held,
    to,
    withheld: [...new Set(replicas.flatMap(({ reader }) => [...reader.withheld]))],
  }
}

/** What somebody had erased is in none of them, also if it could not be removed from all yet. */
async function withholdFrom({ replicas }: OpenedReplicas, joined: JoinedReplicas): Promise<void> {
  const log = { journal: joined.journal, head: joined.first.reader.state.head }
  for (const { replica, reader } of replicas) await withholdErased(replica, reader, log)
}

/** The replicas that can have the moment are asked in turn. */
async function momentInAny(joined: JoinedReplicas, at: Moment): Promise<number> {
  const { replicas } = joined
  const hashing = await nodeHashing()
  let failure: unknown
  for (const { reader } of replicas) {
    try {
      return await momentIn({ hashing, reader, now: Date.now(), end: () => joined.end() }, at)
    } catch (error) {
      if (!isStorageError(error)) throw error
      failure ??= error
    }
  }
  throw failure
}

export const inspectAt = (from: string, options: InspectReplicaOptions): Promise<ReplicaReport> =>
  reading(from, options, async (replica, name) => {
    const reader = await readerOf(replica)
    const pieces = await reader.pieces()
    const { log, rows, head, hash, store, counted } = reader.state
    const claim = await newestClaim(replica.files)
    const bytes = [...log.map(({ part }) => part), ...rows].reduce((sum, { size }) => sum + size, 0)
    return {
      from: name,
      store,
      head,
      hash,
      lost: counted - head,
      ...(claim && { writer: { name: claim.name, term: claim.term, since: new Date(claim.at) } }),
      files: { log: log.length, rows: rows.length },
      bytes,
      views: await viewsOf(reader, head, { hashing: replica.hashing, isRead: false }),
      absent: pieces.reduce((sum, { facts }) => sum + facts.absent, 0),
    }
  })

export const verifyAt = (
  from: string,
  { sample = 1, keyring, ...options }: VerifyReplicaOptions,
): Promise<ReplicaVerified> =>
  reading(from, { ...(keyring && { keyring }) }, async (replica, name) => {
    const reader = await readerOf(replica)
    // All of its log may be lost.
    if (reader.end() === 0) throw emptyReplica(name)
    return verifyReplica({
      ...options,
      reader,
      hashing: replica.hashing,
      isChosen: () => sample === 1 || Math.random() < sample,
    })
  })

/** What somebody had erased is not read, also if it could not be removed from the replica yet. */
async function readerOf(replica: OpenReplica): Promise<ReplicaReader> {
  const reader = new ReplicaReader(replica, await readReplicaState(replica))
  await withholdErased(replica, reader)
  return reader
}

async function reading<T>(
  from: string,
  { keyring }: InspectReplicaOptions,
  work: (replica: OpenReplica, name: string) => Promise<T>,
): Promise<T> {
  const place = withKeys(replicaAt(from), { keyring })
  const replica = await place.open({ create: false })
  try {
    return await work(replica, place.name)
  } finally {
    await replica.close()
  }
}
