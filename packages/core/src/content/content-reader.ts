/** Reads content: finds the blobs that hold it, and reads their bytes with checks. */
import { type Soon, soonOrFailed, whenThere } from '../base/soon.ts'
import { payloadOf } from '../bytes/frame.ts'
import { type ChunkCipher, plainSize, sealedRange } from '../encryption/chunk-cipher.ts'
import { dataKeyMissing } from '../encryption/data-key-row.ts'
import { openSealed } from '../encryption/opening.ts'
import { StorageError } from '../base/errors.ts'
import type { BlobContent, BlobRef, Content, Seal } from '../events/index.ts'
import type { ByteRange, ByteSource, Hashing, RowReader, Seq } from '../ports/index.ts'
import { dataKeyTable, inlineTable } from '../views/tables.ts'
import { type BlobReaderOptions, corrupt, readBlob } from './blob-reader.ts'
import { isDamage } from './damaged-bytes.ts'
import { crcsOf } from '../bytes/crc-chunks.ts'

/** A blob of a content, and the range of its bytes that is wanted. */
export interface Extent {
  readonly blob: BlobRef
  readonly range: ByteRange
  /** Unwraps the key. Absent if the bytes are stored unencrypted. */
  readonly unseal?: (() => Promise<ChunkCipher>) | undefined
}

export interface ContentPlaces {
  /** The parts of a completed upload that have bytes, in order. */
  readonly manifest: (upload: Seq) => Promise<readonly BlobContent[]>
  /** @throws StorageError if the key is not available. */
  readonly unseal: (sealed: Seal, blob: BlobRef) => Promise<ChunkCipher>
}

/** The blobs, and the range of each, that make up a range of a content. */
export function extentsOf(
  { manifest, unseal }: ContentPlaces,
  content: Content,
  range: ByteRange,
): Soon<readonly Extent[]> {
  if (content.kind === 'empty' || range.start >= range.end) return []
  const contents = content.kind === 'blob' ? [content] : manifest(content.upload)
  return whenThere(contents, (found) => extentsIn(found, range, unseal))
}

function extentsIn(
  contents: readonly BlobContent[],
  range: ByteRange,
  unseal: ContentPlaces['unseal'],
): readonly Extent[] {
  const extents: Extent[] = []
  let offset = 0
  for (const one of contents) {
    const { blob, sealed } = one
    const size = plainSize(one)
    const start = Math.max(range.start - offset, 0)
    const end = Math.min(range.end - offset, size)
    if (start < end) extents.push({ blob, range: { start, end }, unseal: sealed && (() => unseal(sealed, blob)) })
    offset += size
    if (offset >= range.end) break
  }
  return extents
}

/**
 * For bytes of the past, some of which a crash may have left: checks that all exist.
 * @throws StorageError `BlobMissing`, `KeyUnavailable`
 */
export async function assertPresent(
  { blobs, heal }: Pick<BlobReaderOptions, 'blobs' | 'heal'>,
  rows: RowReader,
  extents: readonly Extent[],
): Promise<void> {
  for (const { blob, unseal } of extents) {
    if (!blob.inline) await assertBlobThere(blobs, heal, blob)
    else if ((await rows.get(inlineTable.key(blob.id))) === undefined) throw missing(blob)
    if (unseal !== undefined && (await rows.get(dataKeyTable.key(blob.id))) === undefined) throw dataKeyMissing(blob.id)
  }
}

async function assertBlobThere(
  blobs: BlobReaderOptions['blobs'],
  heal: BlobReaderOptions['heal'],
  blob: BlobRef,
): Promise<void> {
  try {
    await (await blobs.open(blob.id)).close()
  } catch (error) {
    if (!isDamage(error) || (await heal?.('blob', blob)) !== true) throw error
  }
}

/**
 * The bytes of the extents in order.
 * @throws StorageError `BlobCorrupt` or `BlobMissing`, before any byte of the affected run.
 */
export async function* readExtents(
  options: BlobReaderOptions,
  rows: RowReader,
  extents: readonly Extent[],
): ByteSource {
  for (const { blob, range, unseal } of extents) {
    if (unseal !== undefined) yield* readSealed(options, rows, { blob, range }, await unseal())
    else if (blob.inline) yield (await readInline(options, rows, blob)).subarray(range.start, range.end)
    else yield* readBlob(options, blob, range)
  }
}

function readSealed(
  options: BlobReaderOptions,
  rows: RowReader,
  { blob, range }: Extent,
  cipher: ChunkCipher,
): ByteSource {
  const chunks = sealedRange(blob, cipher.overhead, range)
  return openSealed(cipher, readExtents(options, rows, [{ blob, range: chunks.stored }]), blob, chunks)
}

/** The first bytes, which are read and checked, and the iteration over the rest. */
export interface OpenedBytes {
  readonly first: IteratorResult<Uint8Array>
  readonly rest: AsyncIterator<Uint8Array>
}

const nothing: AsyncIterator<Uint8Array> = { next: async () => ({ done: true, value: undefined }) }

/** As `readExtents`. A row of the journal, which holds most small objects, is read at once. */
export function openExtents(
  options: BlobReaderOptions,
  rows: RowReader,
  extents: readonly Extent[],
): Soon<OpenedBytes> {
  const [{ blob, range, unseal } = {}] = extents
  if (extents.length === 1 && blob?.inline === true && unseal === undefined) {
    return whenThere(readInline(options, rows, blob), (bytes) => ({
      first: { done: false, value: partOf(bytes, range) },
      rest: nothing,
    }))
  }
  const rest = readExtents(options, rows, extents)[Symbol.asyncIterator]()
  return rest.next().then((first) => ({ first, rest }))
}

const partOf = (bytes: Uint8Array, range: ByteRange | undefined): Uint8Array =>
  range === undefined || (range.start === 0 && range.end === bytes.length)
    ? bytes
    : bytes.subarray(range.start, range.end)

function readInline({ hashing, heal }: BlobReaderOptions, rows: RowReader, blob: BlobRef): Soon<Uint8Array> {
  const read = () => whenThere(rows.get(inlineTable.key(blob.id)), (frame) => checkedInline(hashing, blob, frame))
  if (heal === undefined) return read()
  return soonOrFailed(read, async (error) => {
    if (isDamage(error) && (await heal('inline', blob))) return read()
    throw error
  })
}

/** The log has the checksum of the bytes, so that of the frame, which is over the same bytes, would show nothing more. */
function checkedInline(hashing: Hashing, blob: BlobRef, frame: Uint8Array | undefined): Uint8Array {
  if (frame === undefined) throw missing(blob)
  const bytes = payloadOf(frame)
  if (bytes.length !== blob.size || crcsOf(hashing, bytes) !== blob.crcs) throw corrupt(blob, 'checksum')
  return bytes
}

const missing = (blob: BlobRef): StorageError =>
  new StorageError('BlobMissing', 'The bytes of this object are missing.', { details: { blob: blob.id } })
