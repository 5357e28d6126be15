/** A body sent as it is: as many bytes as were announced, and those that were signed. */

import { createHash } from 'node:crypto'
import { S3Error } from '../errors.ts'
import { tooLarge } from './body-length.ts'

export interface PlainBodyOptions {
  /** `undefined` when only the source knows where it ends. */
  readonly length: number | undefined
  /** Hex SHA-256 that the signature covers, lower case. */
  readonly sha256: string | undefined
  readonly bytesMax: number
}

/**
 * Passes the bytes on and fails at the end if they were not the right ones. Closes the source when left early.
 * @throws S3Error `IncompleteBody`, `XAmzContentSHA256Mismatch`, `EntityTooLarge`.
 */
export async function* readPlainBody(
  source: AsyncIterable<Uint8Array>,
  { length, sha256, bytesMax }: PlainBodyOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = sha256 && createHash('sha256')
  let size = 0
  for await (const piece of source) {
    size += piece.length
    if (length !== undefined && size > length) throw incomplete()
    if (size > bytesMax) throw tooLarge(size, bytesMax)
    if (hash) hash.update(piece)
    yield piece
  }
  if (length !== undefined && size < length) throw incomplete()
  if (hash) checkSha256(hash.digest('hex'), sha256)
}

function checkSha256(computed: string, expected: string): void {
  if (computed === expected) return
  throw new S3Error(
    'XAmzContentSHA256Mismatch',
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
    { details: { ClientComputedContentSHA256: expected, S3ComputedContentSHA256: computed } },
  )
}

function incomplete(): S3Error {
  return new S3Error(
    'IncompleteBody',
    'You did not provide the number of bytes specified by the Content-Length HTTP header',
  )
}
