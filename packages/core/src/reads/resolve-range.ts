import { StorageError } from '../base/errors.ts'
import type { ByteRange } from '../ports/index.ts'
import type { RangeRequest } from '../api/types/index.ts'

/**
 * The bytes of a range request: the range is cut at the end, and a suffix longer than the object means all of it. So a suffix of
 * an empty object is the object, as in S3.
 * @throws StorageError `InvalidRange` when no byte remains.
 */
export function resolveRange(range: RangeRequest, size: number): ByteRange {
  const start = 'suffix' in range ? Math.max(size - range.suffix, 0) : range.first
  const end = 'suffix' in range ? size : Math.min((range.last ?? size - 1) + 1, size)
  const isWhole = 'suffix' in range && range.suffix > 0 && size === 0
  if (start >= end && !isWhole) {
    throw new StorageError('InvalidRange', 'The requested range is not satisfiable', {
      details: { ActualObjectSize: size },
    })
  }
  return { start, end }
}
