/**
 * The S3 Control API, another service with paths `/v20180820/…`. Its requests are answered as a server without that API
 * answers them, so that clients that can do without it continue with S3.
 */

import { S3Error } from '../errors/errors.ts'
import type { Target } from './parse-target.ts'
import type { RequestHeaders } from './request-headers.ts'

const version = 'v20180820'
/** In every request of that API, whose host begins with the account. */
const accountHeader = 'x-amz-account-id'

/** @throws S3Error `MethodNotAllowed` */
export function refuseControlApi(method: string, { style, bucket, key }: Target, headers: RequestHeaders): void {
  const isControl =
    style === 'path' ? bucket === version : key?.startsWith(`${version}/`) === true && headers.has(accountHeader)
  if (!isControl) return
  throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.', {
    details: { Method: method, ResourceType: 'S3CONTROL' },
    headers: { allow: '' },
  })
}
