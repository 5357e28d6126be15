/** `Content-MD5`: base64 of the 16 bytes of the body's MD5. */

import { createHash } from 'node:crypto'
import { S3Error } from '../errors/errors.ts'
import type { RequestHeaders } from '../target/request-headers.ts'

/**
 * Returns the header if it is well-formed, or `undefined` without one. @throws S3Error `InvalidDigest`;
 * `InvalidRequest` when it was sent twice.
 */
export function parseContentMd5(headers: RequestHeaders): string | undefined {
  const value = headers.single('content-md5')
  if (value === undefined) return undefined
  const bytes = Buffer.from(value, 'base64')
  if (bytes.length === 16 && bytes.toString('base64') === value) return value
  throw new S3Error('InvalidDigest', 'The Content-MD5 you specified was invalid.', {
    details: { 'Content-MD5': value },
  })
}

/** Passes the bytes on and fails at the end if their MD5 does not match. @throws S3Error `BadDigest`. */
export async function* checkContentMd5(
  source: AsyncIterable<Uint8Array>,
  expected: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('md5')
  for await (const piece of source) {
    hash.update(piece)
    yield piece
  }
  const computed = hash.digest('base64')
  if (computed === expected) return
  throw new S3Error('BadDigest', 'The Content-MD5 you specified did not match what we received.', {
    details: { ExpectedDigest: Buffer.from(expected, 'base64').toString('hex'), CalculatedDigest: computed },
  })
}
