/**
 * Tracks which versions need which bytes. A content belongs to one version, or to several if copies share it. When the
 * last of them is removed, the content becomes garbage. The sweep erases it after the retention, once no read needs it,
 * unless a snapshot keeps it.
 * Until its erasure starts, a copy of a removed version can use it again.
 */
import { type Soon, whenThere } from '../base/soon.ts'
import type { Content, RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { blobTable, type GarbagePlace, holderTable, shareTable, uploadUsageTable } from './content-tables.ts'
import { garbageAt, putGarbage, takeGarbage } from './garbage.ts'
import { addHolder, endHolder, firstHolder, startHolding } from './holders.ts'
import { pinOfFreed } from './pins.ts'
import type { Rows } from './row-reader.ts'
import type { RowTransaction } from './row-transaction.ts'
import type { GarbageRow, ShareRow } from './rows.ts'
import { pastVersionTable, versionTable } from './tables.ts'
import type { VersionRow } from './version-row.ts'
import { endInherited, type EndedPlace, forksThatShow } from './shown-bytes.ts'
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
  const garbage = freedBy === undefined ? undefined : await useAgain(rows, { freedBy, index: 0 }, copy.to)
  const first = { home: copy.from, ...garbage, since: copy.source.version, versions: 1 }
  const before = share ?? first
  await hold(rows, content, { ...before, versions: freedBy === undefined ? before.versions : 0 }, copy.to)
}

/** A version of the bucket `to` has the content, beside those that `before` counts. */
async function hold(
  rows: RowTransaction,
  content: Content,
  before: Pick<ShareRow, 'versions' | 'home' | 'since' | 'crossed'>,
  to: Seq,
): Promise<void> {
  const id = contentId(content)
  if (id === undefined) return
  const { versions, since, crossed } = before
  const home = versions === 0 ? to : before.home
  const isCrossed = crossed === true || before.home !== to
  rows.put(shareTable.key(id), { versions: versions + 1, home, since, ...(isCrossed && { crossed: true }) })
  if (!isCrossed) return
  if (crossed !== true && versions > 0) startHolding(rows, id, { home, versions })
  const isNew = await addHolder(rows, id, to)
  if (isNew && to !== home) await countUsage(rows, to, { shared: await bytesOf(rows, content) })
}

/** A removed version is there again, before the erasure of its content has started. */
export async function takeContentBack(
  rows: RowTransaction,
  content: Content,
  { removedBy, home: to }: { readonly removedBy: Seq; readonly home: Seq },
): Promise<void> {
  const id = contentId(content)
  if (id === undefined) return
  const share = await rows.get(shareTable.key(id))
  const freedBy = share === undefined ? removedBy : share.freedBy
  if (freedBy !== undefined) await useAgain(rows, { freedBy, index: 0 }, to)
  if (share !== undefined) await hold(rows, content, share, to)
}

/** The event that removed a version, if it was removed. */
async function removalOf(rows: RowTransaction, { bucket, key, version }: VersionInKey): Promise<Seq | undefined> {
  if ((await rows.get(versionTable.key(bucket, key, version))) !== undefined) return undefined
  return (await rows.get(pastVersionTable.key(bucket, key, version)))?.until
}

/** From now on, the bytes count for the bucket `to`. */
async function useAgain(rows: RowTransaction, place: GarbagePlace, to: Seq): Promise<GarbageRow | undefined> {
  const garbage = await garbageAt(rows, place)
  if (garbage === undefined) return undefined
  await takeGarbage(rows, place, garbage)
  await endInherited(rows, to, { ...garbage, freedBy: place.freedBy })
  await countUsage(rows, to, { live: garbage.bytes })
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
  /** That version, and the incarnation of its bucket. */
  readonly ended?: EndedPlace
}

export function freeContent(rows: RowTransaction, content: Content, by: FreedBy): Soon<void> {
  const id = contentId(content)
  if (id === undefined) return undefined
  const key = shareTable.key(id)
  return whenThere(rows.get(key), (share) => {
    if (share === undefined) return becomeGarbage(rows, content, by)
    const { versions, home, since, crossed } = share
    const shared = { since, home, ...(crossed && { crossed }) }
    if (versions > 1) {
      rows.put(key, { versions: versions - 1, ...shared })
      return crossed === true ? leave(rows, content, share, by.home) : undefined
    }
    rows.put(key, { versions: 0, freedBy: by.event.seq, ...shared })
    if (crossed === true) rows.delete(holderTable.key(id, home))
    return becomeGarbage(rows, content, { ...by, ...shared })
  })
}

/** A bucket has one version less with bytes that others need. If it was the last one there, the bytes count there no more. */
async function leave(rows: RowTransaction, content: Content, share: ShareRow, bucket: Seq): Promise<void> {
  const id = contentId(content)
  if (id === undefined || !(await endHolder(rows, id, bucket))) return
  const bytes = await bytesOf(rows, content)
  if (bucket !== share.home) return countUsage(rows, bucket, { shared: -bytes })
  const heir = await firstHolder(rows, id)
  if (heir === undefined) return
  rows.put(shareTable.key(id), { ...share, versions: share.versions - 1, home: heir })
  await countUsage(rows, bucket, { live: -bytes })
  await countUsage(rows, heir, { live: bytes, shared: -bytes })
}

function becomeGarbage(rows: RowTransaction, content: Content, by: FreedBy & Pick<ShareRow, 'crossed'>): Soon<void> {
  const { event, index, home, since, crossed, ended } = by
  const { seq: freedBy, at } = event
  const visible = { home, ...(crossed && { crossed }), ...(since !== undefined && { since }) }
  return whenThere(bytesOf(rows, content), (bytes) =>
    whenThere(pinOfFreed(rows, { freedBy, ...visible }), (pin) =>
      whenThere(pin === undefined ? undefined : forksThatShow(rows, { freedBy, ...visible }, ended), (shownBy) => {
        const garbage = {
          at,
          content,
          bytes,
          ...visible,
          ...(pin !== undefined && { pin }),
          ...(shownBy && { shownBy }),
        }
        return putGarbage(rows, { freedBy, index }, garbage, { live: -bytes })
      }),
    ),
  )
}

/** Forgets who had a content, when it is erased. */
export async function forgetShare(rows: RowTransaction, content: Content): Promise<void> {
  const id = contentId(content)
  if (id !== undefined && (await rows.get(shareTable.key(id))) !== undefined) rows.delete(shareTable.key(id))
}

/** The stored bytes of a content, also of one of several parts. */
const bytesOf = (rows: Rows, content: Content): Soon<number> =>
  content.kind === 'parts'
    ? whenThere(rows.get(uploadUsageTable.key(content.upload)), (usage) => usage?.bytes ?? 0)
    : storedBytes(content)

/**
 * The bytes that a further version of the bucket `to` with this content costs it: none, if it has a version with it. `at`: the bucket
 * that the source is in, if the source exists.
 */
export async function costOf(
  rows: Rows,
  content: Content,
  { to, at }: { readonly to: Seq; readonly at: Seq | undefined },
): Promise<number> {
  const id = contentId(content)
  if (id === undefined) return 0
  const share = await rows.get(shareTable.key(id))
  const has = await holds(rows, id, share, { to, at })
  return has ? 0 : bytesOf(rows, content)
}

async function holds(
  rows: Rows,
  id: string,
  share: ShareRow | undefined,
  { to, at }: { readonly to: Seq; readonly at: Seq | undefined },
): Promise<boolean> {
  if (share === undefined) return at === to
  if (share.freedBy !== undefined) return false
  return share.crossed === true ? (await rows.get(holderTable.key(id, to))) !== undefined : share.home === to
}

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
