/** The `Range` header as S3 reads it. A header that S3 does not understand is ignored, and the whole object is sent. */

import type { RangeRequest } from '@varve/core'

/**
 * `undefined` for several ranges, an end before the start, and any invalid range: the answer is then the whole object.
 * Numbers beyond the largest possible size are cut to it; both are beyond the end of every object.
 */
export function parseRange(header: string | undefined): RangeRequest | undefined {
  if (header === undefined) return undefined
  const found = /^bytes=(\d*)-(\d*)$/i.exec(header.trim())
  if (found === null) return undefined
  const [, first = '', last = ''] = found
  if (first === '') return last === '' ? undefined : { suffix: size(last) }
  if (last === '') return { first: size(first) }
  return size(first) <= size(last) ? { first: size(first), last: size(last) } : undefined
}

function size(digits: string): number {
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER)
}
