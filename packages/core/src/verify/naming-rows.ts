/** Finds every row that names bytes, with the bucket, key and version that clients know. */
import { isStorageError } from '../base/errors.ts'
import type { BlobRef, Content, Seal } from '../events/index.ts'
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { type Walk, walkRows } from '../reads/row-walk.ts'
import { publicUploadId, versionId } from '../naming/version-id.ts'
import { type DescribedKey, describeKey } from '../views/describe-key.ts'
import { hasBytes } from '../views/contents.ts'
import { committedRows, type KeyedRow, type Rows } from '../views/row-reader.ts'
import type { GarbageRow, PartRow } from '../views/rows.ts'
import { erasingTable, garbageTable, pinnedTable } from '../views/content-tables.ts'
import { partTable, pastVersionTable, versionTable } from '../views/tables.ts'
import type { VersionRow } from '../views/version-row.ts'

export interface NamedBlob {
  readonly blob: BlobRef
  readonly seq: Seq
  readonly described: DescribedKey
  /** True if the sweep may have erased the bytes. Until their erasure has started, removed bytes must be there. */
  readonly mayBeErased: boolean
  /** Present if the bytes are encrypted and not erased: their data key exists, and ends in one commit with this row. */
  readonly sealed: Seal | undefined
  /** The key of the row. */
  readonly place: Uint8Array
}

type NamingRow = VersionRow | PartRow | GarbageRow

/** In the order of tables and keys; `from` continues after the row of that key. Damaged rows go to `onDamaged`. */
export async function* namingRows(
  rows: RowReader,
  hashing: Hashing,
  onDamaged: (key: string) => void,
  from?: Uint8Array,
): AsyncGenerator<NamedBlob> {
  const views = committedRows(rows, hashing)
  const abandoned = await abandonedUploads(rows, hashing, onDamaged)
  for (const range of [
    versionTable.everything,
    pastVersionTable.everything,
    partTable.everything,
    garbageTable.range,
    erasingTable.range,
    pinnedTable.range,
  ]) {
    const walk = walkRows(rows, hashing, range, {
      make: (key, row: NamingRow) => ({ row, named: namedBlob({ key, row }, abandoned) }),
    })
    if (from !== undefined) walk.skipTo(Uint8Array.of(...from, 0))
    const { next } = walk
    try {
      for (let found = await steppingOver(next, onDamaged); found; found = await steppingOver(next, onDamaged)) {
        if (found.named === undefined) continue
        yield isBorrowed(found.row) ? await withoutErased(views, found.named, found.row) : found.named
      }
    } finally {
      await walk.close()
    }
  }
}

function namedBlob({ key, row }: KeyedRow<NamingRow>, abandoned: ReadonlySet<string>): NamedBlob | undefined {
  const content = contentOf(row)
  if (content?.kind !== 'blob') return undefined
  const described = describeKey(key)
  const { table, of } = described
  // The key of a version lacks its epoch, and does not tell whether it is a null version.
  const id = 'nullVersion' in row ? { versionId: versionId(row) } : {}
  return {
    blob: content.blob,
    seq: described.seq ?? ('seq' in row ? row.seq : 0),
    described: { ...described, ...(of && { of: { ...of, ...id } }) },
    mayBeErased: mayBeErased(described, abandoned),
    // A past version stays when its bytes are erased. Before that, another row names them too.
    sealed: table === 'pastVersion' ? undefined : content.sealed,
    place: key,
  }
}

/** Whether the row describes a version of the base of a fork, which exists in the fork. */
const isBorrowed = (row: NamingRow): row is VersionRow =>
  'deleteMarker' in row && row.until === undefined && row.isBorrowed

/** A fork may describe a version of its base whose bytes were erased before. */
const withoutErased = async (views: Rows, named: NamedBlob, row: VersionRow): Promise<NamedBlob> =>
  (await hasBytes(views, row)) ? named : { ...named, mayBeErased: true, sealed: undefined }

const mayBeErased = ({ table, of }: ReturnType<typeof describeKey>, abandoned: ReadonlySet<string>): boolean =>
  table === 'pastVersion' || table === 'erasing' || (table === 'part' && abandoned.has(of?.uploadId ?? ''))

/** The bytes that the row names. @throws StorageError `RowCorrupt` */
function contentOf(row: NamingRow): Content | undefined {
  if (!('deleteMarker' in row)) return row.content
  return row.deleteMarker ? undefined : row.content
}

/** Uploads whose parts are being erased. */
async function abandonedUploads(
  rows: RowReader,
  hashing: Hashing,
  onDamaged: (key: string) => void,
): Promise<ReadonlySet<string>> {
  const uploads = new Set<string>()
  const walk = walkRows<GarbageRow>(rows, hashing, erasingTable.range)
  try {
    for (;;) {
      const found = await steppingOver(() => walk.next(), onDamaged)
      if (found === undefined) return uploads
      if (found.row.content.kind === 'parts') uploads.add(publicUploadId(found.row.content.upload))
    }
  } finally {
    await walk.close()
  }
}

/** Reports a damaged row and continues after it. */
async function steppingOver<T>(next: Walk<T>['next'], onDamaged: (key: string) => void): Promise<T | undefined> {
  for (;;) {
    try {
      return await next()
    } catch (error) {
      if (!isStorageError(error, 'RowCorrupt')) throw error
      onDamaged(String(error.details['key']))
    }
  }
}
