/**
 * The bytes of a blob on their way out. Every 1 MiB run is checked whole against its CRC before the first byte of it leaves,
 * so a range verifies like the whole, and damage is an error, never wrong bytes.
 *
 * A run that leaves at once stays in memory until it is taken. A thrifty reader forgets it instead, and reads it a second time
 * piece by piece: since the run was right, so is a piece that takes the CRC from where it stood before it to where it stood
 * behind it.
 *
 * A run that is read to be forgotten is read into a buffer that was used before, and so is one that leaves if its taker agrees to
 * be done with it when it asks for the next.
 */
import { StorageError } from '../base/errors.ts'
import { crcChunkBytes } from '../bytes/crc-chunks.ts'
import type { BlobRef } from '../events/index.ts'
import type { BlobHandle, BlobStore, ByteRange, ByteSource, Hashing } from '../ports/index.ts'
import { parseCrcs } from '../bytes/crc-chunks.ts'
import type { RunBuffers } from './run-buffers.ts'

export interface BlobReaderOptions {
  readonly blobs: Pick<BlobStore, 'open'>
  readonly hashing: Hashing
  readonly buffers: RunBuffers
  /** Gives out, and holds, no more than 128 KiB at once. */
  readonly thrifty?: boolean | undefined
  /** A chunk is valid until the next one is requested. The last one stays valid when the read ends early. */
  readonly reuseBuffers?: boolean | undefined
}

/** A run to be read, the CRC it must have, and the bytes of it to be given out. */
interface Run extends ByteRange {
  readonly handle: BlobHandle
  readonly hashing: Hashing
  readonly buffers: RunBuffers
  readonly blob: BlobRef
  readonly crc: number | undefined
  readonly wanted: ByteRange
  /** Whether the consumer has finished with a chunk of 128 KiB or more when it requests the next. */
  readonly isLent: boolean
}

/** Of a run that was right. */
interface Piece extends ByteRange {
  /** The CRC of the run up to here, and with these bytes. */
  readonly before: number
  readonly after: number
}

const pieceBytes = 128 * 1024

/** @throws StorageError `BlobCorrupt` or `BlobMissing`, before any byte of the run in question. */
export async function* readBlob(options: BlobReaderOptions, blob: BlobRef, range: ByteRange): ByteSource {
  const { blobs, hashing, buffers } = options
  const isLent = options.reuseBuffers === true
  const runBytes = options.thrifty === true ? inPieces : isLent ? lent : atOnce
  const handle = await blobs.open(blob.id)
  try {
    if (handle.size !== blob.size) throw corrupt(blob, 'size')
    const crcs = parseCrcs(blob.crcs)
    let left = range.end - range.start
    for (let start = range.start - (range.start % crcChunkBytes); start < range.end; start += crcChunkBytes) {
      const end = Math.min(start + crcChunkBytes, blob.size)
      const wanted = { start: Math.max(range.start, start), end: Math.min(range.end, end) }
      const run = { handle, hashing, buffers, blob, start, end, wanted, isLent, crc: crcs[start / crcChunkBytes] }
      for await (const bytes of runBytes(run)) {
        left -= bytes.length
        // The consumer may hold the last one for long, or never return.
        if (left === 0) await handle.close()
        yield bytes
      }
    }
  } finally {
    await handle.close()
  }
}

async function* atOnce(run: Run): ByteSource {
  const bytes = new Uint8Array(run.end - run.start)
  await readRight(run, bytes)
  yield wantedOf(run, bytes, run.start)
}

/** A consumer that ends the read early may still use these bytes: then the buffer is not used again. */
async function* lent(run: Run): ByteSource {
  if (isLittle(run)) return yield await copyWanted(run)
  const bytes = run.buffers.take(run.end - run.start)
  await readRight(run, bytes)
  yield wantedOf(run, bytes, run.start)
  run.buffers.give(bytes)
}

async function* inPieces(run: Run): ByteSource {
  // Little that is wanted need not be read twice.
  if (isLittle(run)) return yield await copyWanted(run)
  let used: Uint8Array | undefined
  for (const piece of await wantedPieces(run)) {
    const isLent = run.isLent && isAllWanted(run, piece)
    const bytes = (isLent ? used : undefined) ?? new Uint8Array(piece.end - piece.start)
    if (isLent) used = bytes
    await readAgain(run, piece, bytes)
    yield wantedOf(run, bytes, piece.start)
  }
}

/** True for a whole piece that is wanted whole: a consumer may queue shorter chunks. */
const isAllWanted = ({ wanted }: Run, { start, end }: Piece): boolean =>
  end - start === pieceBytes && start >= wanted.start && end <= wanted.end

const isLittle = ({ wanted }: Run): boolean => wanted.end - wanted.start <= pieceBytes

/** The whole run. */
async function readRight({ handle, hashing, blob, start, crc }: Run, into: Uint8Array): Promise<void> {
  await handle.read(into, start)
  if (hashing.crc32(into) !== crc) throw corrupt(blob, 'checksum')
}

/** What `look` makes of the run, which is forgotten then. */
const withRun = <R>(run: Run, look: (bytes: Uint8Array) => R): Promise<R> =>
  run.buffers.during(run.end - run.start, async (bytes) => {
    await readRight(run, bytes)
    return look(bytes)
  })

const copyWanted = (run: Run): Promise<Uint8Array> =>
  withRun(run, (bytes) => new Uint8Array(wantedOf(run, bytes, run.start)))

const wantedPieces = (run: Run): Promise<readonly Piece[]> =>
  withRun(run, (bytes) => {
    const pieces: Piece[] = []
    let before = 0
    for (let start = run.start; start < run.end; start += pieceBytes) {
      const end = Math.min(start + pieceBytes, run.end)
      const after = run.hashing.crc32(bytes.subarray(start - run.start, end - run.start), before)
      if (start < run.wanted.end && end > run.wanted.start) pieces.push({ start, end, before, after })
      before = after
    }
    return pieces
  })

async function readAgain({ handle, hashing, blob }: Run, piece: Piece, into: Uint8Array): Promise<void> {
  await handle.read(into, piece.start)
  if (hashing.crc32(into, piece.before) !== piece.after) throw corrupt(blob, 'checksum')
}

/** What is wanted of bytes that begin at `start`. */
const wantedOf = ({ wanted }: Run, bytes: Uint8Array, start: number): Uint8Array =>
  bytes.subarray(Math.max(wanted.start - start, 0), wanted.end - start)

export const corrupt = (blob: BlobRef, kind: 'size' | 'checksum'): StorageError =>
  new StorageError('BlobCorrupt', `The bytes of this object are damaged (${kind}).`, {
    details: { blob: blob.id, kind },
  })
