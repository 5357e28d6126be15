/** Reads the upload, and the part of it, that a request names. */

import type { UploadRef } from '@varve/core'
import type { ObjectContext } from '../contract/operation.ts'
import { parsePartNumber } from '../headers/part-number.ts'

/** The upload id is only ever used with the bucket and key that were authorised. */
export function uploadOf({ bucket, key, query }: ObjectContext): UploadRef {
  return { bucket, key, uploadId: query.get('uploadId') ?? '' }
}

/** @throws S3Error `InvalidArgument` for a part number outside of 1 to 10,000. */
export function partOf(context: ObjectContext): { readonly upload: UploadRef; readonly partNumber: number } {
  const partNumber = parsePartNumber(context.query.get('partNumber') ?? '')
  return { upload: uploadOf(context), partNumber }
}
