/** Reads a body without aws-chunked framing, and checks its announced length and its signed digest. */

import { createHash } from 'node:crypto'
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

/**
 * Passes the bytes on and fails at the end if length or digest do not match. Closes the source when left early.
 * @throws S3Error `IncompleteBody`, `XAmzContentSHA256Mismatch`, `EntityTooLarge`.
 */
export async function* readPlainBody(
  source: AsyncIterable<Uint8Array>,
  { length, sha256, bytesMax }: PlainBodyOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = sha256 === undefined ? undefined : createHash('sha256')
  let size = 0
  for await (const piece of source) {
    size += piece.length
    if (length !== undefined && size > length) throw incomplete()
    if (size > bytesMax) throw tooLarge(size, bytesMax)
    hash?.update(piece)
    yield piece
  }
  if (length !== undefined && size < length) throw incomplete()
  if (hash === undefined || sha256 === undefined) return
  const computed = hash.digest('hex')
  if (computed !== sha256) throw payloadMismatch(sha256, computed)
}

function incomplete(): S3Error {
  return new S3Error(
    'IncompleteBody',
    'You did not provide the number of bytes specified by the Content-Length HTTP header',
  )
}
