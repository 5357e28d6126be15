/** Reads the source of a copy before the copy is made. */

import { isStorageError } from '@varve/core'
import type { ByteRange, ObjectInfo, PastStore, RequestStore } from '@varve/core'
import { errorTable } from '../errors/error-table.ts'
import { S3Error } from '../errors/errors.ts'
import type { CopyContext } from '../contract/operation.ts'
import { namedObject } from '../objects/named-object.ts'

/** The state of the store that the source is read from. */
export type SourceState = RequestStore | PastStore

export const sourceState = async ({ store, source: { at } }: CopyContext): Promise<SourceState> =>
  at === undefined ? store : store.at(at)

/**
 * The current source, without checking its conditions.
 * @throws S3Error `InvalidRequest` when its version is a delete marker; StorageError as `head` does.
 */
export async function copiedSource({ source, client }: CopyContext, state: SourceState): Promise<ObjectInfo> {
  return namedObject({ ...source, store: state, client }).catch((error: unknown) => {
    if (isStorageError(error, 'NoSuchKey')) {
      throw new S3Error('NoSuchKey', errorTable.NoSuchKey.message, { details: { Key: source.key } })
    }
    if (!isStorageError(error, 'MethodNotAllowed')) throw error
    throw new S3Error(
      'InvalidRequest',
      'The source of a copy request may not specifically refer to a delete marker by version id.',
    )
  })
}

/**
 * Parses `x-amz-copy-source-range`. Unlike in `Range`, both ends are required and must lie within the source.
 * @returns A half-open range.
 * @throws S3Error `InvalidArgument` for another form and for an end beyond the source, `InvalidRequest` for a start
 * beyond it.
 */
export function copySourceRange(header: string, size: number): ByteRange {
  const found = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(header)
  const [start, last] = [Number(found?.[1]), Number(found?.[2])]
  if (found === null || start > last) {
    throw invalidRange(
      'The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy',
      header,
    )
  }
  if (start >= size) {
    throw new S3Error('InvalidRequest', 'The specified copy range is invalid for the source object size')
  }
  if (last >= size) throw invalidRange(`Range specified is not valid for source object of size: ${size}`, header)
  return { start, end: last + 1 }
}

function invalidRange(message: string, header: string): S3Error {
  return new S3Error('InvalidArgument', message, {
    details: { ArgumentName: 'x-amz-copy-source-range', ArgumentValue: header },
  })
}
