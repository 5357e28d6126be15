/** Restores a store from a replica, or from a copy. What was interrupted goes on with another call. */
import type { Cancelable } from '../api/types/index.ts'
import { StorageError } from '../base/errors.ts'
import type { MoveTarget } from '../moving/places.ts'
import type { BlobId, Hashing, Ids, Seq } from '../ports/index.ts'
import { anotherStore, copyLog, type LogCopied, type LogCopy } from '../repair/copy-log.ts'
import type { LogSource } from '../repair/log-source.ts'
import { bringCommonSecret } from '../sharing/common-secret.ts'
import { beginArrival, endArrival, endPassage, haveSameEvent, passageOf } from '../sharing/passage.ts'
import { fromHex } from '../bytes/hex.ts'
import { appendEpoch } from './append-epoch.ts'
import { findLost, forgetLost, noteErasedLater } from './lost-bytes.ts'

export interface ReplicaRestore extends Cancelable, Pick<LogCopy, 'onProgress' | 'leavesBlobs' | 'believesViews'> {
  /** What the target says of it until it is whole: without secrets. */
  readonly name: string
  readonly reader: LogSource
  readonly into: MoveTarget
  readonly hashing: Hashing
  readonly ids: Ids
  /** The last event to restore. */
  readonly to: Seq
  /**
   * `to` is the end of the source, which may have grown since the call that was interrupted: if that one has copied all up to the end that it
   * found, nothing more is copied. @default false
   */
  readonly toEnd?: boolean
  /**
   * Of how many absent bytes the source knows that they were erased, though its log does not have the event. Called when the whole log was read.
   * @default none
   */
  excused?(): number
  /** Milliseconds since the Unix epoch. */
  readonly now: number
  /** Awaited before anything is copied, when it is known that the target has this restore alone. `to`: the last event that is restored. */
  onBegun?(to: Seq): Promise<void>
}

/** What a call of `restoreReplica` copied. */
export interface ReplicaRestored extends LogCopied {
  /** The last event of the store, which begins its epoch. */
  readonly head: Seq
  /** How many of the absent bytes no event says are erased: the source has lost them, and so has the store. Also what an interrupted call has found. */
  readonly lost: number
}

/**
 * The log is checked event by event, and bytes as they are copied. The store goes on in an epoch of its own. Uploads that were open can only be begun again, because their ids
 * are made with a secret that no replica has.
 * @throws StorageError `ReplicaCorrupt`, `LogCorrupt`, `BlobCorrupt` and the like if the replica is damaged; `InvalidArgument` if there
 * is another store in the target, or a restore to another moment has gone too far there; what the ports throw; the reason of `signal`
 */
export async function restoreReplica(restore: ReplicaRestore): Promise<ReplicaRestored> {
  const { into, hashing, ids, name } = restore
  const ports = { journal: into.journal, hashing }
  const wasBegun = await beginArrival(ports, { from: name, to: into.name })
  if (wasBegun) await into.blobs.discardUnfinished()
  const before = await restoredBefore(restore)
  const to = before?.to ?? restore.to
  await restore.onBegun?.(to)
  const secret = fromHex(ids.next() + ids.next())
  await (into.bringSecret?.(secret) ?? bringCommonSecret(ports, secret))
  const copied = before === undefined ? await copyAll(restore) : { ...nothing, lost: before.lost }
  // The number of them was committed before.
  await forgetLost(into.journal, await lostOf(restore))
  await into.markReady?.()
  await endPassage(into)
  return { ...copied, head: to + 1 }
}

const nothing = { events: 0, blobs: 0, bytes: 0, absent: 0, absentIds: [] } as const

interface RestoredBefore {
  readonly to: Seq
  readonly lost: number
}

/** The last event that is restored, if an interrupted call has copied them all and begun the epoch. */
async function restoredBefore(restore: ReplicaRestore): Promise<RestoredBefore | undefined> {
  const { into, reader, hashing, to, toEnd = false } = restore
  const begun = await into.journal.head()
  const { restored, lost = 0 } = (await passageOf({ journal: into.journal, hashing })) ?? {}
  if (restored === undefined) {
    if (begun > to) throw tooLate(begun, to)
    return undefined
  }
  const last = begun - 1
  if (last > to) throw tooLate(last, to)
  if (!(await haveSameEvent(reader.journal, into.journal, last))) throw anotherStore()
  if (last < to && !(toEnd && restored === 'end')) throw tooEarly(last, to)
  return { to: last, lost }
}

async function copyAll(restore: ReplicaRestore): Promise<Omit<ReplicaRestored, 'head'>> {
  const { reader, into, hashing, ids, name, to, toEnd = false, now } = restore
  const { journal, blobs } = into
  const copied = await copyLog({ ...restore, from: reader, into: { journal, blobs }, to, notesAbsent: true })
  const lost = (await lostOf(restore)).length
  if (restore.leavesBlobs === true) await noteErasedLater({ from: reader, into: journal, hashing, to })
  const rows = [endArrival(hashing, name, { restored: toEnd ? 'end' : 'moment', lost })]
  await appendEpoch({ journal, hashing, ids, seq: to, source: name, now, rows })
  return { ...copied, lost }
}

/** If there are more than the source excuses, nothing tells which of them are lost. */
async function lostOf({ reader, into, hashing, excused }: ReplicaRestore): Promise<readonly BlobId[]> {
  const lost = await findLost({ from: reader, into: into.journal, hashing })
  return lost.length > (excused?.() ?? 0) ? lost : []
}

const tooLate = (begun: Seq, to: Seq): StorageError =>
  new StorageError(
    'InvalidArgument',
    `A restore to a later moment was begun there: it has event ${begun} already, and ${to} was to be the last.`,
    { details: { ArgumentName: 'at' } },
  )

const tooEarly = (restored: Seq, to: Seq): StorageError =>
  new StorageError(
    'InvalidArgument',
    `A restore up to event ${restored} was begun there and has copied all of it, and ${to} was to be the last.`,
    { details: { ArgumentName: 'at' }, hint: `Restore up to event ${restored}, with \`at\` or \`--at ${restored}\`.` },
  )
