/**
 * Bytes on their way out: every 1 MiB run is checked against its CRC before the first byte of it leaves, so a range
 * verifies like the whole, and damage is an error, never wrong bytes.
 */
import { openFrame } from '../bytes/frame.ts'
import { StorageError } from '../errors.ts'
import { type BlobRef, type Content, crcChunkBytes } from '../events/index.ts'
import type { BlobStore, ByteRange, ByteSource, Hashing, RowReader, Seq } from '../ports/index.ts'
import { inlineTable } from '../views/tables.ts'
import { collect } from './body.ts'
import { CrcChunks, parseCrcs } from './crc-chunks.ts'

/** A blob of a content and the bytes of the content that it holds. */
export interface Extent {
  readonly blob: BlobRef
  readonly range: ByteRange
}

export interface ContentReaderOptions {
  readonly blobs: Pick<BlobStore, 'open'>
  readonly hashing: Hashing
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

async function* readBlob({ blobs, hashing }: ContentReaderOptions, blob: BlobRef, range: ByteRange): ByteSource {
  const handle = await blobs.open(blob.id)
  try {
    if (handle.size !== blob.size) throw corrupt(blob, 'size')
    const crcs = parseCrcs(blob.crcs)
    for (let at = range.start - (range.start % crcChunkBytes); at < range.end; at += crcChunkBytes) {
      const run = await collect(handle.read({ start: at, end: Math.min(at + crcChunkBytes, blob.size) }))
      if (hashing.crc32(run) !== crcs[at / crcChunkBytes]) throw corrupt(blob, 'checksum')
      // Whoever takes the last run may take its time, or never come back.
      if (at + crcChunkBytes >= range.end) await handle.close()
      yield run.subarray(Math.max(range.start - at, 0), range.end - at)
    }
  } finally {
    await handle.close()
  }
}

const missing = (blob: BlobRef): StorageError =>
  new StorageError('BlobMissing', 'The bytes of this object are missing.', { details: { blob: blob.id } })

const corrupt = (blob: BlobRef, kind: 'size' | 'checksum'): StorageError =>
  new StorageError('BlobCorrupt', `The bytes of this object are damaged (${kind}).`, {
    details: { blob: blob.id, kind },
  })
