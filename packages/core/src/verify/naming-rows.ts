/** Finds every row that names bytes, with the bucket, key and version that clients know. */
import { isStorageError } from '../base/errors.ts'
import type { BlobRef, Content, Seal } from '../events/index.ts'
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { type Walk, walkRows } from '../reads/row-walk.ts'
import { nullVersionId, publicUploadId } from '../naming/version-id.ts'
import { type DescribedKey, describeKey } from '../views/describe-key.ts'
import type { KeyedRow } from '../views/row-reader.ts'
import type { GarbageRow } from '../views/rows.ts'
import { garbageTable, partTable, pastVersionTable, versionTable } from '../views/tables.ts'

export interface NamedBlob {
  readonly blob: BlobRef
  readonly seq: Seq
  readonly described: DescribedKey
  /** True if the sweep may have erased the bytes, because they belong to something that was removed. */
  readonly mayBeErased: boolean
  /** Present if the bytes are encrypted and not erased: their data key exists, and ends in one commit with this row. */
  readonly sealed: Seal | undefined
  /** The key of the row. */
  readonly place: Uint8Array
}

interface NamingRow {
  readonly seq?: Seq
  readonly nullVersion?: boolean
  readonly content?: Content
}

/** In the order of tables and keys; `from` continues after the row of that key. Damaged rows go to `onDamaged`. */
export async function* namingRows(
  rows: RowReader,
  hashing: Hashing,
  onDamaged: (key: string) => void,
  from?: Uint8Array,
): AsyncGenerator<NamedBlob> {
  const abandoned = await abandonedUploads(rows, hashing, onDamaged)
  for (const range of [
    versionTable.everything,
    pastVersionTable.everything,
    partTable.everything,
    garbageTable.range,
  ]) {
    const walk = walkRows<NamingRow>(rows, hashing, range)
    if (from !== undefined) walk.skipTo(Uint8Array.of(...from, 0))
    try {
      for (let found = await steppingOver(walk, onDamaged); found; found = await steppingOver(walk, onDamaged)) {
        const named = namedBlob(found, abandoned)
        if (named !== undefined) yield named
      }
    } finally {
      await walk.close()
    }
  }
}

function namedBlob({ key, row }: KeyedRow<NamingRow>, abandoned: ReadonlySet<string>): NamedBlob | undefined {
  const { content, seq = 0, nullVersion } = row
  if (content?.kind !== 'blob') return undefined
  const described = describeKey(key)
  const { table, of } = described
  const mayBeErased =
    table === 'pastVersion' || table === 'garbage' || (table === 'part' && abandoned.has(of?.uploadId ?? ''))
  return {
    blob: content.blob,
    seq: described.seq ?? seq,
    described: nullVersion === true ? { ...described, of: { ...of, versionId: nullVersionId } } : described,
    mayBeErased,
    // A past version stays when its bytes are erased. Before that, another row names them too.
    sealed: table === 'pastVersion' ? undefined : content.sealed,
    place: key,
  }
}

/** Uploads whose parts wait for erasure, or are being erased. */
async function abandonedUploads(
  rows: RowReader,
  hashing: Hashing,
  onDamaged: (key: string) => void,
): Promise<ReadonlySet<string>> {
  const uploads = new Set<string>()
  const walk = walkRows<GarbageRow>(rows, hashing, garbageTable.range)
  try {
    for (;;) {
      const found = await steppingOver(walk, onDamaged)
      if (found === undefined) return uploads
      if (found.row.content.kind === 'parts') uploads.add(publicUploadId(found.row.content.upload))
    }
  } finally {
    await walk.close()
  }
}

/** Reports a damaged row and continues after it. */
async function steppingOver<R>(
  walk: Walk<KeyedRow<R>>,
  onDamaged: (key: string) => void,
): Promise<KeyedRow<R> | undefined> {
  for (;;) {
    try {
      return await walk.next()
    } catch (error) {
      if (!isStorageError(error, 'RowCorrupt')) throw error
      onDamaged(String(error.details['key']))
    }
  }
}
