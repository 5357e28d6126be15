/** Refuses a body that is announced as aws-chunked, but not by `x-amz-content-sha256`, which alone decides. */

import { S3Error } from '../errors/errors.ts'
import type { RequestHeaders } from '../target/request-headers.ts'

/**
 * Without this check the chunk sizes and signatures would be stored as data, while the marker, which belongs to the
 * transfer, is removed. An empty body has no framing.
 * @throws S3Error `InvalidArgument`
 */
export function assertNotAwsChunked(headers: RequestHeaders, length: number | undefined): void {
  if (length === 0) return
  const name = announcing(headers)
  if (name === undefined) return
  throw new S3Error(
    'InvalidArgument',
    `${name} announces an aws-chunked body. Its x-amz-content-sha256 must be one of the STREAMING- values, ` +
      `such as STREAMING-UNSIGNED-PAYLOAD-TRAILER. For a body without chunks, leave out ${name}.`,
    { details: { ArgumentName: name, ArgumentValue: headers.get(name) ?? '' } },
  )
}

function announcing(headers: RequestHeaders): string | undefined {
  const codings = headers.get('content-encoding')?.toLowerCase().split(',') ?? []
  if (codings.some((coding) => coding.trim() === 'aws-chunked')) return 'content-encoding'
  return ['x-amz-decoded-content-length', 'x-amz-trailer'].find((name) => headers.has(name))
}
