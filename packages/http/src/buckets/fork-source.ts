/** `x-varve-fork-source` of CreateBucket: the bucket that the new one begins as, `NAME` or `NAME--at-MOMENT`. */

import { S3Error } from '../errors/errors.ts'
import type { RequestHeaders } from '../target/request-headers.ts'

export const forkSourceHeader = 'x-varve-fork-source'

/**
 * A header that a V4 signature does not cover is refused with the signature.
 * @param signed Whether the request has a V4 signature. Others do not cover the header.
 * @throws S3Error `AccessDenied` for a source that is not signed
 */
export function checkForkSourceSigned(headers: RequestHeaders, signed: boolean): void {
  if (signed || !headers.has(forkSourceHeader)) return
  throw new S3Error('AccessDenied', `${forkSourceHeader} counts only in a request that is signed by version 4.`)
}

/**
 * The name as sent, unchecked; `undefined` without the header.
 * @throws S3Error `InvalidRequest` if it was sent twice
 */
export const forkSourceOf = (headers: RequestHeaders): string | undefined => headers.single(forkSourceHeader)?.trim()
