/**
 * The moment that a request asks for with `x-varve-at`, as a header or as a query parameter. It counts only if it is
 * signed: otherwise anybody could turn a presigned URL towards the past.
 */

import { S3Error } from '../errors/errors.ts'
import type { QueryParams } from '../target/query-params.ts'
import type { RequestHeaders } from '../target/request-headers.ts'

export const momentField = 'x-varve-at'

export interface MomentRequest {
  readonly headers: RequestHeaders
  readonly query: QueryParams
}

/**
 * The text of the moment. A header that a V4 signature does not cover is refused with the signature.
 * @param signed Whether the request has a V4 signature. Others cover neither the header nor the parameter.
 * @throws S3Error `AccessDenied` for an unsigned moment, `InvalidArgument` for two, `InvalidRequest`
 */
export function requestedMoment({ headers, query }: MomentRequest, signed: boolean): string | undefined {
  const inQuery = query.entries.filter(([name]) => name.toLowerCase() === momentField).map(([, value]) => value)
  const header = headers.single(momentField)
  const [moment, ...others] = header === undefined ? inQuery : [header, ...inQuery]
  if (moment === undefined) return undefined
  if (!signed) {
    throw new S3Error(
      'AccessDenied',
      `${momentField} counts only in a request that is signed by version 4; the bucket BUCKET--at-MOMENT needs no header.`,
    )
  }
  if (others.length === 0) return moment
  throw new S3Error('InvalidArgument', `${momentField} was given more than once.`, {
    details: { ArgumentName: momentField },
  })
}
