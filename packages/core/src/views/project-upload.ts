import { creationFacts, type RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { freeContent, nameBlob } from './contents.ts'
import type { RowTransaction } from './row-transaction.ts'
import type { BucketRow, Past, UploadRow } from './rows.ts'
import {
  type BucketPlace,
  bucketTable,
  completionTable,
  currentTable,
  deletedBucketTable,
  partTable,
  pastPartTable,
  pastUploadTable,
  uploadTable,
} from './tables.ts'

type UploadEvent = RecordedEvent<'UploadStarted' | 'PartAdded' | 'UploadAborted'>

export async function projectUpload(rows: RowTransaction, event: UploadEvent): Promise<void> {
  switch (event.type) {
    case 'UploadStarted':
      return startUpload(rows, event)
    case 'PartAdded':
      return addPart(rows, event)
    case 'UploadAborted': {
      const { upload, lastOf } = event.data
      await endUpload(rows, event)
      if (lastOf !== undefined) rows.delete(deletedBucketTable.key(lastOf))
      return freeContent(rows, { kind: 'parts', upload }, event, 0)
    }
  }
}

/** The chosen parts keep their rows, which become the object's manifest. */
export async function completeUpload(rows: RowTransaction, event: RecordedEvent<'UploadCompleted'>): Promise<void> {
  const { bucket, key, upload, unused } = event.data
  await endUpload(rows, event)
  rows.put(completionTable.key(upload), { bucket, key, version: event.seq })
  for (const [i, partNumber] of unused.entries()) {
    const part = await rows.get(partTable.key(upload, partNumber))
    if (part === undefined) continue
    endPart(rows, { upload, partNumber, added: part.seq, until: event.seq })
    await freeContent(rows, part.content, event, i + 1)
  }
}

interface EndingPart {
  readonly upload: Seq
  readonly partNumber: number
  readonly added: Seq
  readonly until: Seq
}

/** Moves the part to the past table. */
export function endPart(rows: RowTransaction, { upload, partNumber, added, until }: EndingPart): void {
  rows.delete(partTable.key(upload, partNumber))
  rows.put(pastPartTable.key(upload, added), { partNumber, until })
}

async function startUpload(rows: RowTransaction, event: RecordedEvent<'UploadStarted'>): Promise<void> {
  const { bucket, key, owner = event.by, metadata } = event.data
  const { checksumAlgorithm, checksumType, defaultChecksumAlgorithm } = event.data
  const optional = {
    ...(checksumAlgorithm && { checksumAlgorithm }),
    ...(checksumType && { checksumType }),
    ...(defaultChecksumAlgorithm && { defaultChecksumAlgorithm }),
    ...creationFacts(event.data),
    ...(event.data.owner && { initiator: event.by }),
  }
  const current = await rows.get(currentTable.key(bucket, key))
  const over = current && { over: current.seq }
  const row = { seq: event.seq, ...over, at: event.at, owner, metadata, ...optional }
  rows.put(uploadTable.key(await bucketAt(rows, bucket, event.seq), key, event.seq), row)
}

async function addPart(rows: RowTransaction, event: RecordedEvent<'PartAdded'>): Promise<void> {
  const { upload, partNumber, size, etag, content, checksum, defaultChecksum } = event.data
  const replaced = await rows.get(partTable.key(upload, partNumber))
  if (replaced !== undefined) {
    endPart(rows, { upload, partNumber, added: replaced.seq, until: event.seq })
    await freeContent(rows, replaced.content, event, 0)
  }
  nameBlob(rows, content, event.seq)
  const checksums = { ...(checksum && { checksum }), ...(defaultChecksum && { defaultChecksum }) }
  const row = { seq: event.seq, at: event.at, size, etag, content, ...checksums }
  rows.put(partTable.key(upload, partNumber), row)
}

async function endUpload(
  rows: RowTransaction,
  event: RecordedEvent<'UploadCompleted' | 'UploadAborted'>,
): Promise<void> {
  const { bucket, key, upload } = event.data
  const place = uploadTable.key(await bucketAt(rows, bucket, upload), key, upload)
  const row = await rows.get(place)
  if (row === undefined) return
  rows.delete(place)
  rows.put(pastUploadTable.key(bucket, key, upload), { ...row, until: event.seq })
}

/** The bucket that had this name at a position: the current one, or one that was deleted since. */
async function bucketAt(rows: RowTransaction, bucket: string, at: Seq): Promise<BucketPlace> {
  const live = await rows.get(bucketTable.key(bucket))
  if (live !== undefined && live.incarnation < at) return { bucket, incarnation: live.incarnation }
  const past = await rows.first<Past<BucketRow>>(bucketTable.pastFrom(bucket, at))
  return { bucket, incarnation: past?.row.incarnation ?? 0 }
}

/** An upload that is open, even in a bucket that was deleted since it began. */
export const uploadRow = async (
  rows: RowTransaction,
  { bucket, key, upload }: { readonly bucket: string; readonly key: string; readonly upload: Seq },
): Promise<UploadRow | undefined> => rows.get(uploadTable.key(await bucketAt(rows, bucket, upload), key, upload))
