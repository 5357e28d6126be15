/** What a request says of the object it makes besides bytes and metadata: of puts, copies, forms and uploads alike. */

import type { CreationOptions } from '@varve/core'
import { S3Error } from '../../errors.ts'
import type { ObjectContext } from '../../operations/operation.ts'
import { encryptionHeader, encryptionIn } from './encryption-in.ts'
import { aclHeaders } from '../../operations/screening.ts'
import { aclOption } from './acl-in.ts'
import { lockIn } from './lock-in.ts'
import { tagsIn } from './tags-in.ts'

/** Headers of `screening.ts` that are read here. */
export const creationHeaders = [
  ...aclHeaders,
  'x-amz-object-lock-',
  encryptionHeader,
  'x-amz-storage-class',
  'x-amz-tagging',
  'x-amz-website-redirect-location',
] as const

/**
 * Whoever may put an object may not therefore tag or lock it.
 * @throws S3Error `AccessDenied`; `InvalidArgument` for headers that say nothing that can be.
 */
export async function creationOptions(context: ObjectContext): Promise<CreationOptions> {
  const { headers, bucket, key, allows } = context
  const acl = aclOption(context)
  const tags = tagsIn(headers)
  const lock = lockIn(headers)
  const encryption = encryptionIn(headers)
  const storageClass = headers.single('x-amz-storage-class')
  const asked = [
    ...(tags !== undefined && tags.length > 0 ? ['s3:PutObjectTagging' as const] : []),
    ...(lock.retention === undefined ? [] : ['s3:PutObjectRetention' as const]),
    ...(lock.legalHold === undefined ? [] : ['s3:PutObjectLegalHold' as const]),
  ]
  const allowed = await Promise.all(asked.map((action) => allows({ action, bucket, key })))
  if (allowed.includes(false)) throw new S3Error('AccessDenied', 'Access Denied')
  return {
    ...(tags !== undefined && { tags }),
    ...lock,
    ...(encryption && { encryption }),
    ...acl,
    ...(storageClass !== undefined && { storageClass }),
  }
}
