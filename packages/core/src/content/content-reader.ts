/** Bytes on their way out: which blobs they are in, and they themselves, checked. */
import { openFrame } from '../bytes/frame.ts'
import { StorageError } from '../errors.ts'
import type { BlobRef, Content } from '../events/index.ts'
import type { ByteRange, ByteSource, Hashing, RowReader, Seq } from '../ports/index.ts'
import { inlineTable } from '../views/tables.ts'
import { type BlobReaderOptions, corrupt, readBlob } from './blob-reader.ts'
import { CrcChunks } from './crc-chunks.ts'

/** A blob of a content and the bytes of the content that it holds. */
export interface Extent {
  readonly blob: BlobRef
  readonly range: ByteRange
}

export interface ContentReaderOptions extends BlobReaderOptions {
  /** The blobs of an assembled object, in order. */
  readonly manifest: (upload: Seq) => Promise<readonly BlobRef[]>
}

/** Which blobs, and which bytes of each, make up a range of a content. */
export async function extentsOf(
  manifest: ContentReaderOptions['manifest'],
  content: Content,
  range: ByteRange,
): Promise<readonly Extent[]> {
  if (content.kind === 'empty' || range.start >= range.end) return []
  const blobs = content.kind === 'blob' ? [content.blob] : await manifest(content.upload)
  const extents: Extent[] = []
  let offset = 0
  for (const blob of blobs) {
    const start = Math.max(range.start - offset, 0)
    const end = Math.min(range.end - offset, blob.size)
    if (start < end) extents.push({ blob, range: { start, end } })
    offset += blob.size
    if (offset >= range.end) break
  }
  return extents
}

/**
 * The bytes of the extents in order.
 * @throws StorageError `BlobCorrupt` or `BlobMissing`, before any byte of the run in question.
 */
export async function* readExtents(
  options: ContentReaderOptions,
  rows: RowReader,
  extents: readonly Extent[],
): ByteSource {
  for (const { blob, range } of extents) {
    if (blob.inline) yield (await readInline(options.hashing, rows, blob)).subarray(range.start, range.end)
    else yield* readBlob(options, blob, range)
  }
}

async function readInline(hashing: Hashing, rows: RowReader, blob: BlobRef): Promise<Uint8Array> {
  const key = inlineTable.key(blob.id)
  const frame = await rows.get(key)
  if (frame === undefined) throw missing(blob)
  const bytes = openFrame(hashing, key, frame)
  if (bytes === undefined || bytes.length !== blob.size) throw corrupt(blob, 'checksum')
  const crcs = new CrcChunks(hashing)
  crcs.update(bytes)
  if (crcs.finish() !== blob.crcs) throw corrupt(blob, 'checksum')
  return bytes
}

const missing = (blob: BlobRef): StorageError =>
  new StorageError('BlobMissing', 'The bytes of this object are missing.', { details: { blob: blob.id } })
