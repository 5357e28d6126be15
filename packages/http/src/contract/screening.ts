/**
 * Headers that change the meaning of an operation and that are not built. Ignoring one would answer 200 for something
 * that was not done, so they are refused, except for values that describe the existing behaviour.
 */

import type { HttpErrorCode } from '../errors/errors.ts'

export interface ScreenedHeader {
  /** Lower case, `x-amz-…` or `x-varve-…`. */
  readonly header: string
  /** Whether the rule also applies to every header whose name begins with `header`. */
  readonly family?: true
  /** Values, in lower case, that describe the existing behaviour. */
  readonly harmless?: readonly string[]
  /** @default NotImplemented */
  readonly code?: HttpErrorCode
  readonly message?: string
}

/** Headers that the ACL operations read themselves. */
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
  // Only `x-amz-tagging` sets tags: without a source there are none to copy or to replace.
  { header: 'x-amz-tagging-directive', harmless: ['copy', 'replace'] },
  { header: 'x-amz-website-redirect-location' },
  { header: 'x-amz-if-match-initiated-time' },
  { header: 'x-amz-if-match-last-modified-time' },
  { header: 'x-amz-if-match-size' },
  { header: 'x-amz-write-offset-bytes' },
  {
    header: 'x-varve-fork-source',
    code: 'InvalidRequest',
    message: 'x-varve-fork-source is only applicable to CreateBucket.',
  },
  {
    header: 'x-varve-receipt',
    harmless: ['false'],
    code: 'InvalidRequest',
    message: 'x-varve-receipt is only applicable to PutObject, CopyObject, CompleteMultipartUpload and DeleteObject.',
  },
]
