import { creationFacts, type RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { type FreedBy, freeContent, nameBlob } from './contents.ts'
import { bucketAt } from './incarnation.ts'
import type { RowTransaction } from './row-transaction.ts'
import type { PartRow, UploadRow } from './rows.ts'
import {
  bucketTable,
  completionTable,
  currentTable,
  deletedBucketTable,
  partTable,
  pastPartTable,
  pastUploadTable,
  uploadTable,
} from './tables.ts'
import { countPart, countUsage, storedBytes } from './usage.ts'
import type { VersionRow } from './version-row.ts'
import { newestIn } from './versions-in.ts'

type UploadEvent = RecordedEvent<'UploadStarted' | 'PartAdded' | 'UploadAborted'>

export async function projectUpload(rows: RowTransaction, event: UploadEvent): Promise<void> {
  switch (event.type) {
    case 'UploadStarted':
      return startUpload(rows, event)
    case 'PartAdded':
      return addPart(rows, event)
    case 'UploadAborted': {
      const { upload, lastOf } = event.data
      const { home } = await endUpload(rows, event)
      if (lastOf !== undefined) rows.delete(deletedBucketTable.key(lastOf))
      return freeContent(rows, { kind: 'parts', upload }, { event, index: 0, home })
    }
  }
}

/** The chosen parts keep their rows, which become the object's manifest. */
export async function completeUpload(rows: RowTransaction, event: RecordedEvent<'UploadCompleted'>): Promise<void> {
  const { bucket, key, upload, unused } = event.data
  const { home, row } = await endUpload(rows, event)
  const began = row?.epoch
  rows.put(completionTable.key(upload), { bucket, key, version: event.seq, ...(began && { epoch: began }) })
  for (const [i, partNumber] of unused.entries()) {
    const part = await rows.get(partTable.key(upload, partNumber))
    if (part === undefined) continue
    endPart(rows, { upload, partNumber, added: part.seq, until: event.seq })
    await freePart(rows, part, { upload, event, index: i + 1, home })
  }
}

/** Frees the bytes of a part that the object of its upload does not need. */
async function freePart(
  rows: RowTransaction,
  { content }: PartRow,
  { upload, ...by }: FreedBy & { readonly upload: Seq },
): Promise<void> {
  await countPart(rows, upload, by.home, -storedBytes(content))
  await freeContent(rows, content, by)
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
    ...(event.epoch && { epoch: event.epoch }),
  }
  const newest = await newestObject(rows, bucket, key)
  const over = newest && { over: newest.seq }
  const row = { seq: event.seq, ...over, at: event.at, owner, metadata, ...optional }
  const place = await bucketAt(rows, bucket, event.seq)
  rows.put(uploadTable.key(place, key, event.seq), row)
  await countUsage(rows, place.incarnation, { uploads: 1 })
}

async function newestObject(rows: RowTransaction, bucket: string, key: string): Promise<VersionRow | undefined> {
  const row = await rows.get(bucketTable.key(bucket))
  if (row?.base === undefined) return rows.get(currentTable.key(bucket, key))
  const newest = await newestIn(rows, { bucket, row, key })
  return newest?.deleteMarker === false ? newest : undefined
}

async function addPart(rows: RowTransaction, event: RecordedEvent<'PartAdded'>): Promise<void> {
  const { bucket, upload, partNumber, size, etag, content, checksum, defaultChecksum } = event.data
  const { incarnation: home } = await bucketAt(rows, bucket, upload)
  const replaced = await rows.get(partTable.key(upload, partNumber))
  if (replaced !== undefined) {
    endPart(rows, { upload, partNumber, added: replaced.seq, until: event.seq })
    await freePart(rows, replaced, { upload, event, index: 0, home })
  }
  await countPart(rows, upload, home, storedBytes(content))
  nameBlob(rows, content, event.seq)
  await countUsage(rows, home, { live: storedBytes(content) })
  const checksums = { ...(checksum && { checksum }), ...(defaultChecksum && { defaultChecksum }) }
  const row = { seq: event.seq, at: event.at, size, etag, content, ...checksums }
  rows.put(partTable.key(upload, partNumber), row)
}

/** Resolves with the incarnation of the upload's bucket, and with the row that the upload had. */
async function endUpload(
  rows: RowTransaction,
  event: RecordedEvent<'UploadCompleted' | 'UploadAborted'>,
): Promise<{ readonly home: Seq; readonly row: UploadRow | undefined }> {
  const { bucket, key, upload } = event.data
  const place = await bucketAt(rows, bucket, upload)
  const open = uploadTable.key(place, key, upload)
  const row = await rows.get(open)
  const home = place.incarnation
  if (row === undefined) return { home, row }
  rows.delete(open)
  rows.put(pastUploadTable.key(bucket, key, upload), { ...row, until: event.seq })
  await countUsage(rows, home, { uploads: -1 })
  return { home, row }
}

/** An upload that is open, even in a bucket that was deleted since it began. */
export const uploadRow = async (
  rows: RowTransaction,
  { bucket, key, upload }: { readonly bucket: string; readonly key: string; readonly upload: Seq },
): Promise<UploadRow | undefined> => rows.get(uploadTable.key(await bucketAt(rows, bucket, upload), key, upload))
