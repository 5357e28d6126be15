/**
 * Reads the bytes of a blob. Every 1 MiB run is checked as a whole against its CRC before any of its bytes is given
 * out. A range is therefore checked like a whole blob, and damage causes an error, never wrong bytes.
 *
 * Normally a run stays in memory until its bytes are taken. A thrifty reader drops it after the check and reads it a
 * second time, piece by piece. Each piece is then checked by continuing the CRC from the value before the piece to the
 * value after it.
 *
 * Dropped runs are read into reused buffers. So are other runs, if the consumer is finished with each chunk when it
 * requests the next one.
 */
import { StorageError } from '../base/errors.ts'
import { crcChunkBytes } from '../bytes/crc-chunks.ts'
import type { BlobRef } from '../events/index.ts'
import type { BlobHandle, BlobStore, ByteRange, ByteSource, Hashing } from '../ports/index.ts'
import { parseCrcs } from '../bytes/crc-chunks.ts'
import { type DamagedPart, isDamage } from './damaged-bytes.ts'
import type { RunBuffers } from './run-buffers.ts'

export interface BlobReaderOptions {
  readonly blobs: Pick<BlobStore, 'open'>
  readonly hashing: Hashing
  readonly buffers: RunBuffers
  /** Gives out, and keeps in memory, at most 128 KiB at once. */
  readonly thrifty?: boolean | undefined
  /** A chunk is valid until the next one is requested. The last one stays valid when the read ends early. */
  readonly reuseBuffers?: boolean | undefined
  /** Heals damage before it is an error. @default damage is an error at once */
  readonly heal?: ((what: DamagedPart, blob: BlobRef) => Promise<boolean>) | undefined
}

/** A run to be read, its expected CRC, and the bytes of it that are wanted. */
interface Run extends ByteRange {
  readonly handle: BlobHandle
  readonly hashing: Hashing
  readonly buffers: RunBuffers
  readonly blob: BlobRef
  readonly crc: number | undefined
  readonly wanted: ByteRange
  /** Whether the consumer is finished with a chunk of 128 KiB or more when it requests the next one. */
  readonly isLent: boolean
}

/** A piece of a run that was checked. */
interface Piece extends ByteRange {
  /** The CRC of the run before this piece, and after it. */
  readonly before: number
  readonly after: number
}

const pieceBytes = 128 * 1024

/** @throws StorageError `BlobCorrupt` or `BlobMissing`, before any byte of the affected run. */
export const readBlob = (options: BlobReaderOptions, blob: BlobRef, range: ByteRange): ByteSource =>
  options.heal === undefined ? readOnce(options, blob, range) : readHealing(options, blob, range)

/** Goes on behind the bytes that were given out, once, if the damage was healed. */
async function* readHealing(options: BlobReaderOptions, blob: BlobRef, { start, end }: ByteRange): ByteSource {
  let at = start
  for (let isSecond = false; ; isSecond = true) {
    try {
      for await (const bytes of readOnce(options, blob, { start: at, end })) {
        at += bytes.length
        yield bytes
      }
      return
    } catch (error) {
      if (isSecond || !isDamage(error) || (await options.heal?.('blob', blob)) !== true) throw error
    }
  }
}

async function* readOnce(options: BlobReaderOptions, blob: BlobRef, range: ByteRange): ByteSource {
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
        // Close before the last chunk: the consumer may keep it for long, or never return.
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

/** A consumer that ends the read early may still use these bytes, so the buffer is then not used again. */
async function* lent(run: Run): ByteSource {
  if (isLittle(run)) return yield await copyWanted(run)
  const bytes = run.buffers.take(run.end - run.start)
  await readRight(run, bytes)
  yield wantedOf(run, bytes, run.start)
  run.buffers.give(bytes)
}

async function* inPieces(run: Run): ByteSource {
  // A few bytes are copied instead of read twice.
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

/** True for a full piece of which all bytes are wanted. Shorter chunks may be queued by the consumer. */
const isAllWanted = ({ wanted }: Run, { start, end }: Piece): boolean =>
  end - start === pieceBytes && start >= wanted.start && end <= wanted.end

const isLittle = ({ wanted }: Run): boolean => wanted.end - wanted.start <= pieceBytes

/** Reads the whole run and checks its CRC. */
async function readRight({ handle, hashing, blob, start, crc }: Run, into: Uint8Array): Promise<void> {
  await handle.read(into, start)
  if (hashing.crc32(into) !== crc) throw corrupt(blob, 'checksum')
}

/** Reads and checks the run, gives it to `look`, and then drops it. */
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

/** The wanted part of bytes that begin at `start`. */
const wantedOf = ({ wanted }: Run, bytes: Uint8Array, start: number): Uint8Array =>
  bytes.subarray(Math.max(wanted.start - start, 0), wanted.end - start)

export const corrupt = (blob: BlobRef, kind: 'size' | 'checksum'): StorageError =>
  new StorageError('BlobCorrupt', `The bytes of this object are damaged (${kind}).`, {
    details: { blob: blob.id, kind },
  })
