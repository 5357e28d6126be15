/**
 * Tracks which versions need which bytes. A content belongs to one version, or to several if copies share it. When the
 * last of them is removed, the content becomes garbage. The sweep erases it after the retention, once no read needs it,
 * unless a snapshot keeps it.
 * Until its erasure starts, a copy of a removed version can use it again.
 */
import { type Soon, whenThere } from '../base/soon.ts'
import type { Content, RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { blobTable, type GarbagePlace, shareTable, uploadUsageTable } from './content-tables.ts'
import { garbageAt, heldBytes, putGarbage, takeGarbage } from './garbage.ts'
import { pinOfFreed } from './pins.ts'
import type { Rows } from './row-reader.ts'
import type { RowTransaction } from './row-transaction.ts'
import type { GarbageRow, ShareRow } from './rows.ts'
import { pastVersionTable, versionTable } from './tables.ts'
import type { VersionRow } from './version-row.ts'
import { countUsage, storedBytes } from './usage.ts'

/** A version by its bucket, key and position. */
export interface VersionInKey {
  readonly bucket: string
  readonly key: string
  readonly version: Seq
}

/** Records that a content names this blob, so that the sweep does not delete it. */
export function nameBlob(rows: RowTransaction, content: Content, by: Seq): void {
  if (content.kind !== 'blob' || content.blob.inline) return
  const { id, size } = content.blob
  rows.put(blobTable.key(id), { by, size })
}

export interface ContentCopy {
  readonly source: VersionInKey
  /** The incarnations of the buckets of the source and of the copy. */
  readonly from: Seq
  readonly to: Seq
}

/** One more version has the content of `source`. If no version had it any more, it is no garbage any more. */
export async function shareContent(rows: RowTransaction, content: Content, copy: ContentCopy): Promise<void> {
  const id = contentId(content)
  if (id === undefined) return
  const share = await rows.get(shareTable.key(id))
  const freedBy = share === undefined ? await removalOf(rows, copy.source) : share.freedBy
  const garbage = freedBy === undefined ? undefined : await useAgain(rows, { freedBy, index: 0 })
  const first = { home: copy.from, ...garbage, since: copy.source.version }
  const { home, crossed, since }: Pick<ShareRow, 'home' | 'crossed' | 'since'> = share ?? first
  const versions = freedBy === undefined ? (share?.versions ?? 1) : 0
  const isCrossed = crossed === true || home !== copy.to
  rows.put(shareTable.key(id), { versions: versions + 1, home, since, ...(isCrossed && { crossed: true }) })
}

/** A removed version is there again, before the erasure of its content has started. */
export async function takeContentBack(rows: RowTransaction, content: Content, removedBy: Seq): Promise<void> {
  const id = contentId(content)
  if (id === undefined) return
  const share = await rows.get(shareTable.key(id))
  const freedBy = share === undefined ? removedBy : share.freedBy
  if (freedBy !== undefined) await useAgain(rows, { freedBy, index: 0 })
  if (share === undefined) return
  const { freedBy: _freedBy, versions, ...shared } = share
  rows.put(shareTable.key(id), { versions: freedBy === undefined ? versions + 1 : 1, ...shared })
}

/** The event that removed a version, if it was removed. */
async function removalOf(rows: RowTransaction, { bucket, key, version }: VersionInKey): Promise<Seq | undefined> {
  if ((await rows.get(versionTable.key(bucket, key, version))) !== undefined) return undefined
  return (await rows.get(pastVersionTable.key(bucket, key, version)))?.until
}

async function useAgain(rows: RowTransaction, place: GarbagePlace): Promise<GarbageRow | undefined> {
  const garbage = await garbageAt(rows, place)
  if (garbage === undefined) return undefined
  takeGarbage(rows, place, garbage)
  await countUsage(rows, garbage.home, { live: garbage.bytes, ...heldBytes(garbage, -garbage.bytes) })
  return garbage
}

/** Whether the log has no erasure of the content of a version that `removedBy` removed. */
async function isKept(rows: Rows, content: Content, removedBy: Seq): Promise<boolean> {
  const id = contentId(content)
  if (id === undefined) return true
  const share = await rows.get(shareTable.key(id))
  if (share !== undefined && share.freedBy === undefined) return true
  return (await garbageAt(rows, { freedBy: share?.freedBy ?? removedBy, index: 0 })) !== undefined
}

/** Whether versions count as having a content. Versions that a fork borrowed without their bytes do not. */
export function isShared(rows: Rows, content: Content): Soon<boolean> {
  const id = contentId(content)
  if (id === undefined) return false
  return whenThere(rows.get(shareTable.key(id)), (share) => share !== undefined && share.freedBy === undefined)
}

/** Whether the log has no erasure of the bytes of a version, which may be removed. A delete marker needs none. */
export async function hasBytes(rows: Rows, row: VersionRow): Promise<boolean> {
  if (row.deleteMarker) return true
  const { content } = row
  if (row.until !== undefined) return isKept(rows, content, row.until)
  return !row.isBorrowed || contentId(content) === undefined || isShared(rows, content)
}

/** Contents that one event frees have different numbers `index`. `home`: the incarnation of the event's bucket. */
export interface FreedBy {
  readonly event: RecordedEvent
  readonly index: number
  readonly home: Seq
  /** The version that ends with the event. Absent: the content was visible in none. */
  readonly since?: Seq
}

export function freeContent(rows: RowTransaction, content: Content, by: FreedBy): Soon<void> {
  const id = contentId(content)
  if (id === undefined) return undefined
  const key = shareTable.key(id)
  return whenThere(rows.get(key), (share) => {
    if (share === undefined) return becomeGarbage(rows, content, by)
    const { versions, home, since, crossed } = share
    const shared = { since, home, ...(crossed && { crossed }) }
    if (versions > 1) return rows.put(key, { versions: versions - 1, ...shared })
    rows.put(key, { versions: 0, freedBy: by.event.seq, ...shared })
    return becomeGarbage(rows, content, { event: by.event, index: by.index, ...shared })
  })
}

function becomeGarbage(rows: RowTransaction, content: Content, by: FreedBy & Pick<ShareRow, 'crossed'>): Soon<void> {
  const { event, index, home, since, crossed } = by
  const { seq: freedBy, at } = event
  const visible = { home, ...(crossed && { crossed }), ...(since !== undefined && { since }) }
  const size = content.kind === 'parts' ? bytesOfParts(rows, content) : storedBytes(content)
  return whenThere(size, (bytes) =>
    whenThere(pinOfFreed(rows, { freedBy, ...visible }), (pin) => {
      const garbage = { at, content, bytes, ...visible, ...(pin !== undefined && { pin }) }
      putGarbage(rows, { freedBy, index }, garbage)
      return countUsage(rows, home, { live: -bytes, ...heldBytes(garbage, bytes) })
    }),
  )
}

/** Forgets who had a content, when it is erased. */
export async function forgetShare(rows: RowTransaction, content: Content): Promise<void> {
  const id = contentId(content)
  if (id !== undefined && (await rows.get(shareTable.key(id))) !== undefined) rows.delete(shareTable.key(id))
}

const bytesOfParts = (rows: RowTransaction, { upload }: Extract<Content, { kind: 'parts' }>): Soon<number> =>
  whenThere(rows.get(uploadUsageTable.key(upload)), (usage) => usage?.bytes ?? 0)

/** The name of a content in the table of copies; `undefined` for no bytes. */
export function contentId(content: Content): string | undefined {
  switch (content.kind) {
    case 'empty':
      return undefined
    case 'blob':
      return content.blob.id
    case 'parts':
      return `upload-${content.upload}`
  }
}
