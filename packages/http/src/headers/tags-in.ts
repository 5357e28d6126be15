/** Parses `x-amz-tagging`: tags in the form of query parameters. */

import type { Tag } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import { parseQuery } from '../target/query-params.ts'
import type { RequestHeaders } from '../target/request-headers.ts'

const header = 'x-amz-tagging'

/** `undefined` without the header, an empty list for an empty one. @throws S3Error `InvalidArgument` */
export function tagsIn(headers: RequestHeaders): readonly Tag[] | undefined {
  const raw = headers.single(header)
  if (raw === undefined) return undefined
  const tags = pairs(raw).map(([key, value]) => ({ key, value }))
  if (tags.some(({ key }) => key === '')) throw misencoded(raw)
  if (new Set(tags.map(({ key }) => key)).size < tags.length) throw misencoded(raw)
  return tags
}

function pairs(raw: string): readonly (readonly [key: string, value: string])[] {
  // `a=b,c=d` would be one tag with an unintended value.
  if (raw.split('&').some((pair) => pair.indexOf('=') !== pair.lastIndexOf('='))) throw misencoded(raw)
  try {
    return parseQuery(raw).entries
  } catch (cause) {
    throw misencoded(raw, cause)
  }
}

function misencoded(raw: string, cause?: unknown): S3Error {
  return new S3Error(
    'InvalidArgument',
    `The header '${header}' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates.`,
    { details: { ArgumentName: header, ArgumentValue: raw.slice(0, 2048) }, cause },
  )
}
