/**
 * aws-chunked: `size[;chunk-signature=…]CRLF data CRLF`, a chunk of size 0, then trailers and an empty line.
 *
 * The bytes of a chunk are passed on as they arrive, before its signature is known. That is safe because the store
 * commits nothing until the iteration has ended without an error. So memory holds only one piece of the source.
 */

import { createHash } from 'node:crypto'
import { S3Error } from '../errors/errors.ts'
import type { ChunkChain } from '../sigv4/chunk-chain.ts'
import { signaturesEqual } from '../sigv4/digests.ts'
import { createByteReader } from './byte-reader.ts'
import type { ByteReader } from './byte-reader.ts'
import { malformedTrailer, parseTrailers, trailerBytesMax } from './trailers.ts'
import type { Trailers } from './trailers.ts'

export interface AwsChunkedOptions {
  /** The decoded length of the body: `x-amz-decoded-content-length`. */
  readonly length: number
  /** Present when chunks are signed. */
  readonly chain: ChunkChain | undefined
  /** Whether trailers may follow the last chunk. With a `chain` they are signed. */
  readonly hasTrailers: boolean
  /** Whether chunks before the last may be smaller than S3 accepts. */
  readonly smallChunks: boolean
  /** Called before the signature of trailers is compared, so that a wrong name is not reported as a wrong signature. */
  readonly checkNames: (values: Trailers['values']) => void
  /** Called once, after all other checks have passed; may throw. */
  readonly onTrailers: (trailers: Trailers) => void
}

/** The largest accepted chunk, in bytes. An unsigned body may be a single chunk: some clients send it so. */
const chunkBytesMax = { signed: 16 * 1024 ** 2, unsigned: 5 * 1024 ** 3 } as const

/** The smallest chunk that S3 accepts before the last one, in bytes. */
const chunkBytesMin = 8192

/**
 * The most chunks for so many bytes, where small chunks are accepted. A body of many small chunks would take longer to
 * decode than to store.
 */
const chunksMax = (bytes: number): number => 1000 + bytes / chunkBytesMin

/**
 * The decoded bytes. Closes the source when decoding fails or the iteration is left early.
 * @throws S3Error `IncompleteBody` when the body ends early, is not `length` bytes long, or its framing is broken;
 * `InvalidChunkSizeError` for small chunks; `SignatureDoesNotMatch` for a wrong signature of a chunk or of the
 * trailers; `MalformedTrailerError`.
 */
export async function* decodeAwsChunked(
  source: AsyncIterable<Uint8Array>,
  { length, chain, smallChunks, ...rules }: AwsChunkedOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = createByteReader(source)
  try {
    let missing = length
    let before = chunkBytesMin
    for (let chunks = 0; ; chunks += 1) {
      if (chunks > chunksMax(length - missing)) throw tooSmall(chunks, before)
      const header = await readChunkHeader(reader, chain !== undefined)
      if (header.size > 0 && before < chunkBytesMin && !smallChunks) throw tooSmall(chunks, before)
      before = header.size
      if (header.size > missing || (header.size === 0 && missing > 0)) throw incomplete()
      yield* readChunkData(reader, header, chain)
      if (header.size === 0) break
      missing -= header.size
    }
    rules.onTrailers(await readTrailers(reader, chain, rules))
  } finally {
    await reader.close()
  }
}

async function* readChunkData(
  reader: ByteReader,
  { size, signature }: ChunkHeader,
  chain: ChunkChain | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = chain && createHash('sha256')
  for (let left = size; left > 0; ) {
    const piece = await reader.read(left)
    if (piece === undefined) throw incomplete()
    hash?.update(piece)
    left -= piece.length
    yield piece
  }
  if (size > 0) await readLineEnd(reader)
  if (chain && hash) checkSignature(chain.chunk(hash.digest('hex')), signature)
}

interface ChunkHeader {
  readonly size: number
  readonly signature: string
}

const headerBytesMax = 128
const signedHeader = /^([0-9a-fA-F]{1,8});chunk-signature=([0-9a-fA-F]{64})$/
const unsignedHeader = /^([0-9a-fA-F]{1,9})$/

async function readChunkHeader(reader: ByteReader, signed: boolean): Promise<ChunkHeader> {
  const line = await reader.line(headerBytesMax, notAHeader)
  if (line === undefined) throw incomplete()
  const match = (signed ? signedHeader : unsignedHeader).exec(line)
  if (match === null) throw notAHeader()
  const size = Number.parseInt(match[1] ?? '', 16)
  if (size > (signed ? chunkBytesMax.signed : chunkBytesMax.unsigned)) throw broken('a chunk is too large.')
  return { size, signature: match[2] ?? '' }
}

async function readLineEnd(reader: ByteReader): Promise<void> {
  const line = await reader.line(0, () => broken('a chunk is not as long as it says.'))
  if (line === undefined) throw incomplete()
}

async function readTrailers(
  reader: ByteReader,
  chain: ChunkChain | undefined,
  { hasTrailers, checkNames }: Pick<AwsChunkedOptions, 'hasTrailers' | 'checkNames'>,
): Promise<Trailers> {
  const text = await readRest(reader, hasTrailers ? trailerBytesMax : 2)
  if (!hasTrailers && text.length >= 2 && text !== '\r\n') throw broken('there are bytes after its end.')
  if (text.length > trailerBytesMax) throw malformedTrailer()
  const trailers = parseTrailers(text)
  if (chain === undefined && trailers.signature !== undefined) throw malformedTrailer()
  checkNames(trailers.values)
  if (chain !== undefined && hasTrailers) {
    if (trailers.signature === undefined) throw malformedTrailer()
    checkSignature(chain.trailers(trailers.signedText), trailers.signature)
  }
  return trailers
}

/** Reads the rest of the source, or enough to know that it is longer than `bytesMax`. */
async function readRest(reader: ByteReader, bytesMax: number): Promise<string> {
  let text = ''
  while (text.length <= bytesMax) {
    const piece = await reader.read(bytesMax + 1 - text.length)
    if (piece === undefined) break
    text += Buffer.from(piece).toString('latin1')
  }
  return text
}

function checkSignature(expected: string, provided: string): void {
  if (signaturesEqual(expected, provided)) return
  throw new S3Error(
    'SignatureDoesNotMatch',
    'The signature of a chunk or of the trailers does not match what we calculated.',
  )
}

function incomplete(): S3Error {
  return new S3Error(
    'IncompleteBody',
    'You did not provide the number of bytes specified by the x-amz-decoded-content-length header.',
  )
}

/** S3 has one error code for every kind of broken framing. */
function broken(reason: string): S3Error {
  return new S3Error('IncompleteBody', `The aws-chunked body is malformed: ${reason}`)
}

/** @param chunk The number of the chunk, from 1. */
function tooSmall(chunk: number, size: number): S3Error {
  return new S3Error(
    'InvalidChunkSizeError',
    `Only the last chunk is allowed to have a size less than ${chunkBytesMin} bytes`,
    { details: { Chunk: String(chunk), BadChunkSize: String(size) } },
  )
}

function notAHeader(): S3Error {
  return broken('a chunk header is not one.')
}
