/** The body of an operation that reads none is empty, and so must be what its headers say of it. */

import type { Hashing } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { checkBytesAgainst, checksumHeaders } from './checksums.ts'
import { parseContentMd5 } from './content-md5.ts'

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
