/** The body of an operation that reads none is empty, and so must be what its headers say of it. */

import type { Hashing } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { checkBytesAgainst, checksumHeaders } from './checksums.ts'
import { parseContentMd5 } from './content-md5.ts'

/** `assertNoContent` for a request that may be tried again, although its body can be read once. */
export function noContentIn(source: AsyncIterable<Uint8Array>, headers: RequestHeaders): () => Promise<void> {
  let checked: Promise<void> | undefined
  return () => (checked ??= assertNoContent(source, headers))
}

/**
 * S3 says so of copies. A body that nobody reads would be dropped, and its digests not compared. A body in HTTP chunks is
 * read up to its first byte.
 * @throws S3Error `InvalidRequest`
 */
export async function assertNoContent(source: AsyncIterable<Uint8Array>, headers: RequestHeaders): Promise<void> {
  const length = headers.get('content-length')
  if (length !== undefined) {
    if (Number(length) === 0) return
    throw included()
  }
  if (!headers.has('transfer-encoding')) return
  for await (const chunk of source) if (chunk.length > 0) throw included()
}

const included = (): S3Error =>
  new S3Error('InvalidRequest', 'The request included a body. Requests of this type must not include a non-empty body.')

const nothing = new Uint8Array()
const md5OfNothing = '1B2M2Y8AsgTpgAmY7PhCfg=='

/**
 * A digest of other bytes is of the object, as the client believes: without this check a copy would seem to be compared
 * with it.
 * @throws S3Error `BadDigest`, `InvalidDigest`; `NotImplemented` for an algorithm that this store does not have
 */
export function assertDigestsOfNothing(headers: RequestHeaders, hashing: Hashing): void {
  for (const [algorithm, expected] of checksumHeaders(headers)) {
    checkBytesAgainst({ algorithm, expected }, nothing, hashing)
  }
  const contentMd5 = parseContentMd5(headers)
  if (contentMd5 === undefined || contentMd5 === md5OfNothing) return
  throw new S3Error('BadDigest', 'The Content-MD5 you specified did not match what we received.', {
    details: {
      ExpectedDigest: Buffer.from(contentMd5, 'base64').toString('hex'),
      CalculatedDigest: md5OfNothing,
    },
  })
}
