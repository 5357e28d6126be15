/** Which upload, and which part of it, a request speaks of. */

import type { UploadRef } from '@varve/core'
import { S3Error } from '../errors.ts'
import type { ObjectContext } from '../operations/operation.ts'
import { parsePartNumber } from './part-number.ts'

/** The upload id is only ever used with the bucket and key that were authorised. */
export function uploadOf({ bucket, key, query }: ObjectContext): UploadRef {
  return { bucket, key, uploadId: query.get('uploadId') ?? '' }
}

/** @throws S3Error `InvalidArgument` for a part number outside of 1 to 10,000. */
export function partOf(context: ObjectContext): { readonly upload: UploadRef; readonly partNumber: number } {
  const partNumber = parsePartNumber(context.query.get('partNumber') ?? '')
  return { upload: uploadOf(context), partNumber }
}

/**
 * A whole number in a query; an empty parameter counts as absent.
 * @throws S3Error `InvalidArgument` for anything but digits, or more than 2³¹ − 1.
 */
export function countParam({ query }: ObjectContext, name: string): number | undefined {
  const text = query.get(name)
  if (text === undefined || text === '') return undefined
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (number <= 2_147_483_647) return number
  throw new S3Error('InvalidArgument', `Provided ${name} not an integer or within integer range`, {
    details: { ArgumentName: name, ArgumentValue: text },
  })
}
