/**
 * Tracks which versions need which bytes. A content belongs to one version, or to several if copies share it. When the
 * last of them is removed, the content becomes garbage. The sweep erases it after the retention, once no read needs it.
 * Until then, a copy of a removed version can use it again.
 */
import type { Content, RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import type { RowTransaction } from './row-transaction.ts'
import type { Rows } from './row-reader.ts'
import { blobTable, garbageTable, pastVersionTable, shareTable, versionTable } from './tables.ts'

/** A version by its bucket, key and position. */
export interface VersionInKey {
  readonly bucket: string
  readonly key: string
  readonly version: Seq
}

/** Records that a content names this blob, so that the sweep does not delete it. */
export function nameBlob(rows: RowTransaction, content: Content, by: Seq): void {
  if (content.kind === 'blob' && !content.blob.inline) {
    rows.put(blobTable.key(content.blob.id), { by, size: content.blob.size })
  }
}

/** One more version has the content of `source`. If no version had it any more, it is no garbage any more. */
export async function shareContent(rows: RowTransaction, content: Content, source: VersionInKey): Promise<void> {
  const id = contentId(content)
  if (id === undefined) return
  const share = await rows.get(shareTable.key(id))
  const freedBy = share === undefined ? await removalOf(rows, source) : share.freedBy
  if (freedBy !== undefined) rows.delete(garbageTable.key(freedBy, 0))
  const versions = freedBy === undefined ? (share?.versions ?? 1) : 0
  rows.put(shareTable.key(id), { versions: versions + 1 })
}

/** The event that removed a version, if it was removed. */
async function removalOf(rows: RowTransaction, { bucket, key, version }: VersionInKey): Promise<Seq | undefined> {
  if ((await rows.get(versionTable.key(bucket, key, version))) !== undefined) return undefined
  return (await rows.get(pastVersionTable.key(bucket, key, version)))?.until
}

/** Whether the log has no erasure of the content of a version that `removedBy` removed. */
export async function isKept(rows: Rows, content: Content, removedBy: Seq): Promise<boolean> {
  const id = contentId(content)
  if (id === undefined) return true
  const share = await rows.get(shareTable.key(id))
  if (share !== undefined && share.freedBy === undefined) return true
  return (await rows.get(garbageTable.key(share?.freedBy ?? removedBy, 0))) !== undefined
}

/** `index` numbers the contents that one event frees. */
export async function freeContent(
  rows: RowTransaction,
  content: Content,
  by: RecordedEvent,
  index: number,
): Promise<void> {
  const id = contentId(content)
  if (id === undefined) return
  const share = await rows.get(shareTable.key(id))
  if (share !== undefined && share.versions > 1) {
    return rows.put(shareTable.key(id), { versions: share.versions - 1 })
  }
  rows.put(garbageTable.key(by.seq, index), { at: by.at, content })
  if (share !== undefined) rows.put(shareTable.key(id), { versions: 0, freedBy: by.seq })
}

/** Forgets who had a content, when it is erased. */
export async function forgetShare(rows: RowTransaction, content: Content): Promise<void> {
  const id = contentId(content)
  if (id !== undefined && (await rows.get(shareTable.key(id))) !== undefined) rows.delete(shareTable.key(id))
}

function contentId(content: Content): string | undefined {
  switch (content.kind) {
    case 'empty':
      return undefined
    case 'blob':
      return content.blob.id
    case 'parts':
      return `upload-${content.upload}`
  }
}
