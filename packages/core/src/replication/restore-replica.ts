/** Restores a store from a replica, or from a copy. What was interrupted goes on with another call. */
import type { Cancelable } from '../api/types/index.ts'
import { StorageError } from '../base/errors.ts'
import type { MoveTarget } from '../moving/places.ts'
import type { Hashing, Ids, Seq } from '../ports/index.ts'
import { copyLog, type LogCopied, type LogCopy } from '../repair/copy-log.ts'
import type { LogSource } from '../repair/log-source.ts'
import { bringCommonSecret } from '../sharing/common-secret.ts'
import { beginArrival, endPassage } from '../sharing/passage.ts'
import { fromHex } from '../bytes/hex.ts'
import { appendEpoch, beganEpoch } from './append-epoch.ts'

export interface ReplicaRestore extends Cancelable, Pick<LogCopy, 'onProgress' | 'leavesBlobs' | 'believesViews'> {
  /** What the target says of it until it is whole: without secrets. */
  readonly name: string
  readonly reader: LogSource
  readonly into: MoveTarget
  readonly hashing: Hashing
  readonly ids: Ids
  /** The last event to restore. */
  readonly to: Seq
  /** Milliseconds since the Unix epoch. */
  readonly now: number
  /** Awaited before anything is copied, when it is known that the target has this restore alone. */
  onBegun?(): Promise<void>
}

/**
 * The log is checked event by event, and bytes as they are copied. The store goes on in an epoch of its own. Uploads that were open can only be begun again, because their ids
 * are made with a secret that no replica has.
 * @throws StorageError `ReplicaCorrupt`, `LogCorrupt`, `BlobCorrupt` and the like if the replica is damaged; `InvalidArgument` if there
 * is another store in the target, or a later state of this one; what the ports throw; the reason of `signal`
 */
export async function restoreReplica(restore: ReplicaRestore): Promise<LogCopied> {
  const { into, reader, hashing, ids, name, to, now } = restore
  const ports = { journal: into.journal, hashing }
  const wasBegun = await beginArrival(ports, { from: name, to: into.name })
  if (wasBegun) await into.blobs.discardUnfinished()
  const begun = await into.journal.head()
  const isRestored = begun === to + 1 && (await beganEpoch(ports, begun))
  if (begun > to && !isRestored) throw tooLate(begun, to)
  await restore.onBegun?.()
  const secret = fromHex(ids.next() + ids.next())
  await (into.bringSecret?.(secret) ?? bringCommonSecret(ports, secret))
  const copied = isRestored
    ? nothing
    : await copyLog({
        ...restore,
        from: reader,
        into: { journal: into.journal, blobs: into.blobs },
        to,
        notesAbsent: true,
      })
  if (!isRestored) await appendEpoch({ ...ports, ids, seq: to, source: name, now })
  await into.markReady?.()
  await endPassage(into)
  return copied
}

const nothing: LogCopied = { events: 0, blobs: 0, bytes: 0, absent: 0, absentIds: [] }

const tooLate = (begun: Seq, to: Seq): StorageError =>
  new StorageError(
    'InvalidArgument',
    `A restore to a later moment was begun there: it has event ${begun} already, and ${to} was to be the last.`,
    { details: { ArgumentName: 'at' } },
  )
