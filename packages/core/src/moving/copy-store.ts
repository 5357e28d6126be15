/**
 * Copies a store, which goes on, to another place, where it can be read alone. The next call copies what is new. The first
 * copy can be read when it is whole; a later call that is interrupted leaves the events that it has copied.
 */
import { copyLog, type LogCopied, type LogCopy } from '../repair/copy-log.ts'
import { journalSource } from '../repair/log-source.ts'
import { beginArrival, passageOf, settleCopy } from '../sharing/passage.ts'
import { unseenBlobs } from '../views/unseen-blobs.ts'
import { completeBlobs } from './complete-blobs.ts'
import { neededOf } from '../views/needed-blobs.ts'
import type { BlobId } from '../ports/index.ts'
import type { MoveSource, MoveTarget } from './places.ts'

export interface StoreCopy extends Pick<LogCopy, 'hashing' | 'signal' | 'onProgress'> {
  /** What earlier calls did not find: events that were copied since may say that it was erased. @default none */
  readonly absentBefore?: readonly BlobId[]
  readonly from: Pick<MoveSource, 'name' | 'journal' | 'blobs'>
  readonly into: Pick<MoveTarget, 'name' | 'journal' | 'blobs' | 'markReady'>
}

/** What a call of `copyStore` copied. */
export interface StoreCopied extends Omit<LogCopied, 'absent' | 'absentIds'> {
  /** The position of the last event of the copy. */
  readonly head: number
  /** How many blobs versions need and the source did not have. It may have erased them after the moment of its journal. */
  readonly absent: number
  /** Whose they are, of the first ones. */
  readonly absentIds: readonly BlobId[]
}

/**
 * @throws StorageError `InvalidArgument` if there is another store in the target, or a store that is written to;
 * `StoreNotFound` for one that is moved; `LogCorrupt`, `BlobCorrupt` and the like if the source is damaged; what the ports
 * throw; the reason of `signal`
 */
export async function copyStore(copy: StoreCopy): Promise<StoreCopied> {
  const { from, into, hashing } = copy
  const ports = { journal: into.journal, hashing }
  if ((await passageOf(ports))?.state !== 'copy') await beginArrival(ports, { from: from.name, to: into.name })
  // Blobs are copied under their own names, which a cut copy may have taken for unfinished ones.
  await into.blobs.discardUnfinished()
  const isFirst = (await into.journal.head()) === 0
  const { absent, absentIds, ...copied } = await copyLog({
    ...copy,
    from: journalSource(from, await unseenBlobs(from.journal, hashing)),
    keepsErased: true,
  })
  await into.markReady?.()
  await settleCopy(ports, from.name)
  const head = await into.journal.head()
  const completed = isFirst ? { blobs: 0, bytes: 0, absentIds: [] } : await completeBlobs(copy)
  const missing = new Set([...(isFirst ? absentIds : completed.absentIds), ...(copy.absentBefore ?? [])])
  const needed = await neededOf(into.journal, [...missing])
  return {
    events: copied.events,
    blobs: copied.blobs + completed.blobs,
    bytes: copied.bytes + completed.bytes,
    head,
    absent: isFirst ? needed.length + absent - absentIds.length : needed.length,
    absentIds: needed,
  }
}
