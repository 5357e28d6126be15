/** The options of a new object besides bytes and metadata: for puts, copies, forms and uploads. */

import type { CreationOptions } from '@varve/core'
import type { ObjectContext } from '../contract/operation.ts'
import { encryptionHeaders, encryptionIn } from '../encryption/encryption-in.ts'
import { aclHeaderNames } from '../policies/permission-rule.ts'
import { aclOption } from '../acl/acl-in.ts'
import { lockHeaders, lockIn } from '../object-lock/lock-in.ts'
import { tagsIn } from '../headers/tags-in.ts'

/** The headers of a new object: those that are read here, and its redirect. */
export const creationHeaders = [
  ...aclHeaderNames,
  ...lockHeaders,
  ...encryptionHeaders,
  'x-amz-storage-class',
  'x-amz-tagging',
  'x-amz-website-redirect-location',
] as const

/** The headers are authorised already. @throws S3Error for invalid headers, as their readers do. */
export function creationOptions(context: ObjectContext): CreationOptions {
  const { headers } = context
  const acl = aclOption(context)
  const tags = tagsIn(headers)
  const lock = lockIn(headers)
  const encryption = encryptionIn(headers)
  const storageClass = headers.single('x-amz-storage-class')
  return {
    ...(tags !== undefined && { tags }),
    ...lock,
    ...(encryption && { encryption }),
    ...acl,
    ...(storageClass !== undefined && { storageClass }),
  }
}
