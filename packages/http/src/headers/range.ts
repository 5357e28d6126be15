/** The `Range` header as S3 reads it: one range it understands, or the header means nothing and the whole is sent. */

import type { RangeRequest } from '@varve/core'

/**
 * `undefined` for several ranges, an end before the start and everything that is no range: answered with the whole.
 * Numbers beyond what a size can be are cut to the largest that can; they lie behind every object either way.
 */
export function parseRange(header: string | undefined): RangeRequest | undefined {
  const found = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '')
  if (found === null) return undefined
  const [, first = '', last = ''] = found
  if (first === '') return last === '' ? undefined : { suffix: size(last) }
  if (last === '') return { first: size(first) }
  return size(first) <= size(last) ? { first: size(first), last: size(last) } : undefined
}

function size(digits: string): number {
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER)
}
