/** Refuses a body that is announced as aws-chunked where it is not decoded. */

import { S3Error } from '../errors/errors.ts'
import type { RequestHeaders } from '../target/request-headers.ts'

/**
 * For a body that is not decoded, because `x-amz-content-sha256` alone decides that. Without this check the chunk sizes and
 * signatures would be stored as data, while the marker, which belongs to the transfer, is removed. An empty body has no
 * framing.
 * @throws S3Error `InvalidArgument`
 */
export function assertNotAwsChunked(headers: RequestHeaders, length: number | undefined): void {
  const name = length === 0 ? undefined : announcing(headers)
  if (name === undefined) return
  const remedy =
    'Its x-amz-content-sha256 must be one of the STREAMING- values, such as STREAMING-UNSIGNED-PAYLOAD-TRAILER. ' +
    `For a body without chunks, leave out ${name}.`
  throw refused(headers, name, remedy)
}

/**
 * The refusal where a body can never be aws-chunked.
 * @param what Such as `A form`.
 */
export function chunkedRefusal(headers: RequestHeaders, what: string): S3Error | undefined {
  const name = announcing(headers)
  return name === undefined ? undefined : refused(headers, name, `${what} cannot have one: leave out ${name}.`)
}

function announcing(headers: RequestHeaders): string | undefined {
  const codings = headers.get('content-encoding')?.toLowerCase().split(',') ?? []
  if (codings.some((coding) => coding.trim() === 'aws-chunked')) return 'content-encoding'
  if (headers.get('x-amz-content-sha256')?.startsWith('STREAMING-')) return 'x-amz-content-sha256'
  return ['x-amz-decoded-content-length', 'x-amz-trailer'].find((name) => headers.has(name))
}

const refused = (headers: RequestHeaders, name: string, remedy: string): S3Error =>
  new S3Error('InvalidArgument', `${name} announces an aws-chunked body. ${remedy}`, {
    details: { ArgumentName: name, ArgumentValue: headers.get(name) ?? '' },
  })
