/** Reads a body without aws-chunked framing, and checks its announced length and its signed digest. */

import { createHash, type Hash } from 'node:crypto'
import { type InOnePiece, onePiece, onePieceMax } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import { tooLarge } from './body-length.ts'
import { payloadMismatch } from './payload-mismatch.ts'

export interface PlainBodyOptions {
  /** `undefined` when only the source knows its end. */
  readonly length: number | undefined
  /** The SHA-256 of the bytes in lower-case hex; `undefined` when it is unknown, or compared elsewhere. */
  readonly sha256: string | undefined
  readonly bytesMax: number
}

type PlainBody = AsyncIterable<Uint8Array> & InOnePiece

/**
 * Passes the bytes on and fails at the end if length or digest do not match. Closes the source when left early. A short
 * body can also be taken in one piece.
 * @throws S3Error `IncompleteBody`, `XAmzContentSHA256Mismatch`, `EntityTooLarge`, while it is read.
 */
export function readPlainBody(source: AsyncIterable<Uint8Array>, options: PlainBodyOptions): PlainBody {
  const { length } = options
  return length !== undefined && length <= onePieceMax
    ? new ShortBody(source, length, options)
    : new LongBody(source, options)
}

/** Classes, because a literal with a computed name costs a microsecond. */
class LongBody implements PlainBody {
  protected readonly source: AsyncIterable<Uint8Array>
  protected readonly options: PlainBodyOptions

  constructor(source: AsyncIterable<Uint8Array>, options: PlainBodyOptions) {
    this.source = source
    this.options = options
  }

  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    return pieces(this.source, this.options)
  }
}

class ShortBody extends LongBody {
  readonly #length: number

  constructor(source: AsyncIterable<Uint8Array>, length: number, options: PlainBodyOptions) {
    super(source, options)
    this.#length = length
  }

  [onePiece](): Promise<Uint8Array> {
    return whole(this.source, this.#length, this.options)
  }
}

async function* pieces(source: AsyncIterable<Uint8Array>, options: PlainBodyOptions): AsyncGenerator<Uint8Array> {
  const checks = new PlainChecks(options)
  for await (const piece of source) {
    checks.take(piece)
    yield piece
  }
  checks.end()
}

async function whole(
  source: AsyncIterable<Uint8Array>,
  length: number,
  options: PlainBodyOptions,
): Promise<Uint8Array> {
  const checks = new PlainChecks(options)
  // A client that sends nothing holds no memory.
  let bytes: Uint8Array | undefined
  for await (const piece of source) {
    const at = checks.size
    checks.take(piece)
    bytes ??= new Uint8Array(length)
    bytes.set(piece, at)
  }
  checks.end()
  return bytes ?? new Uint8Array()
}

class PlainChecks {
  size = 0
  readonly #options: PlainBodyOptions
  readonly #hash: Hash | undefined

  constructor(options: PlainBodyOptions) {
    this.#options = options
    this.#hash = options.sha256 === undefined ? undefined : createHash('sha256')
  }

  take(piece: Uint8Array): void {
    const { length, bytesMax } = this.#options
    this.size += piece.length
    if (length !== undefined && this.size > length) throw incomplete()
    if (this.size > bytesMax) throw tooLarge(this.size, bytesMax)
    this.#hash?.update(piece)
  }

  end(): void {
    const { length, sha256 } = this.#options
    if (length !== undefined && this.size < length) throw incomplete()
    if (this.#hash === undefined || sha256 === undefined) return
    const computed = this.#hash.digest('hex')
    if (computed !== sha256) throw payloadMismatch(sha256, computed)
  }
}

function incomplete(): S3Error {
  return new S3Error(
    'IncompleteBody',
    'You did not provide the number of bytes specified by the Content-Length HTTP header',
  )
}
