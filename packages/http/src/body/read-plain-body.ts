/** A body sent as it is: as many bytes as were announced, and those that were signed. */

import { createHash } from 'node:crypto'
import { S3Error } from '../errors/errors.ts'
import { tooLarge } from './body-length.ts'
import { payloadMismatch } from './payload-mismatch.ts'

export interface PlainBodyOptions {
  /** `undefined` when only the source knows where it ends. */
  readonly length: number | undefined
  /** Hex SHA-256 the bytes must have, lower case. `undefined` when it is unknown, or compared elsewhere. */
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
