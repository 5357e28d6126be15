/**
 * Headers that change what an operation means and that are not built. To ignore one would be to answer 200 to something
 * that was not done, so they are refused, except for values that describe what is done anyway.
 */

import type { HttpErrorCode } from '../errors/errors.ts'

export interface ScreenedHeader {
  /** Lower case, `x-amz-…`. */
  readonly header: string
  /** Also every header whose name goes on from here. */
  readonly family?: true
  /** Values, in lower case, that mean nothing new here. */
  readonly harmless?: readonly string[]
  /** @default NotImplemented */
  readonly code?: HttpErrorCode
  readonly message?: string
}

/** What operations on access control lists read themselves. */
export const aclHeaders = ['x-amz-acl', 'x-amz-grant-'] as const

export const screenedHeaders: readonly ScreenedHeader[] = [
  { header: 'x-amz-acl', harmless: ['private', 'bucket-owner-full-control'] },
  { header: 'x-amz-grant-', family: true },
  { header: 'x-amz-object-ownership', harmless: ['bucketownerenforced'] },
  { header: 'x-amz-bucket-object-lock-enabled', harmless: ['false'] },
  { header: 'x-amz-object-lock-', family: true },
  {
    header: 'x-amz-bypass-governance-retention',
    harmless: ['false'],
    code: 'InvalidArgument',
    message: 'x-amz-bypass-governance-retention is only applicable to Object Lock enabled buckets.',
  },
  { header: 'x-amz-mfa' },
  { header: 'x-amz-server-side-encryption', family: true },
  { header: 'x-amz-copy-source-server-side-encryption', family: true },
  { header: 'x-amz-storage-class', harmless: ['standard'] },
  { header: 'x-amz-tagging', harmless: [''] },
  // There are no tags to copy or to replace; tags to set come in `x-amz-tagging`.
  { header: 'x-amz-tagging-directive', harmless: ['copy', 'replace'] },
  { header: 'x-amz-website-redirect-location' },
  { header: 'x-amz-if-match-initiated-time' },
  { header: 'x-amz-if-match-last-modified-time' },
  { header: 'x-amz-if-match-size' },
  { header: 'x-amz-write-offset-bytes' },
]
