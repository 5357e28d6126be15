/**
 * The headers of S3 and of Varve by name, and those of HTTP that change what a write does. A header that an operation does not read
 * is refused: ignoring it would answer 200 for something that was not done. So a name that no list has is refused too.
 * `test/facts/s3-model.test.ts` compares the lists with the model of the AWS SDK.
 */

import { checksumAlgorithms } from '@varve/core'
import type { HttpErrorCode } from '../errors/errors.ts'

export interface ScreenedHeader {
  /** Lower case, `x-amz-…`, `x-varve-…`, or a header of HTTP that changes what is written. */
  readonly header: string
  /** Values, in lower case, that describe the existing behaviour. */
  readonly harmless?: readonly string[]
  /** Whether operations that only read ignore it, as HTTP permits. */
  readonly ignoredByReads?: true
  /** @default NotImplemented */
  readonly code?: HttpErrorCode
  readonly message?: string
}

/** Headers that every operation accepts. They are read before the operation, with its body, or by its policy. */
export const commonHeaders: readonly string[] = [
  'x-amz-checksum-algorithm',
  'x-amz-checksum-mode',
  ...checksumAlgorithms.map((algorithm) => `x-amz-checksum-${algorithm.toLowerCase()}`),
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-decoded-content-length',
  'x-amz-expected-bucket-owner',
  'x-amz-request-payer',
  'x-amz-sdk-checksum-algorithm',
  'x-amz-security-token',
  'x-amz-source-expected-bucket-owner',
  'x-amz-trailer',
  'x-varve-at',
]

/** Headers that request nothing. */
export const harmlessHeaders: readonly string[] = [
  // Sent by SDKs for .NET and C++, by SDKs in browsers, by CloudFront, and by SDKs that could also read a checksum after
  // the body.
  'x-amz-api-version',
  'x-amz-user-agent',
  'x-amz-cf-id',
  'x-amz-te',
  // Headers of answers. Some clients send them back with a copy.
  'x-amz-abort-date',
  'x-amz-abort-rule-id',
  'x-amz-access-point-alias',
  'x-amz-archive-status',
  'x-amz-bucket-arn',
  'x-amz-bucket-location-name',
  'x-amz-bucket-location-type',
  'x-amz-bucket-region',
  'x-amz-copy-source-version-id',
  'x-amz-delete-marker',
  'x-amz-expiration',
  'x-amz-id-2',
  'x-amz-missing-meta',
  'x-amz-mp-parts-count',
  'x-amz-object-size',
  'x-amz-object-version-id',
  'x-amz-replication-status',
  'x-amz-request-charged',
  'x-amz-request-id',
  'x-amz-restore',
  'x-amz-restore-output-path',
  'x-amz-tagging-count',
  'x-amz-version-id',
  'x-varve-checkpoint',
  'x-varve-position',
  'x-varve-seq',
]

/** Values of `x-amz-…-directive` without a source: there is nothing to copy or to replace. */
const directives = ['copy', 'replace'] as const

const unsupported = (header: string): ScreenedHeader => ({
  header,
  code: 'InvalidArgument',
  message: `${header} header is not supported for this operation.`,
})

const plain = (header: string): ScreenedHeader => ({ header })

/** Headers that an operation refuses unless its row `understands` them. */
export const screenedHeaders: readonly ScreenedHeader[] = [
  // A write that passes over a condition or a range does what the client did not want.
  { header: 'content-range', ignoredByReads: true },
  { header: 'if-match', ignoredByReads: true },
  { header: 'if-modified-since', ignoredByReads: true },
  { header: 'if-none-match', ignoredByReads: true },
  { header: 'if-unmodified-since', ignoredByReads: true },
  // Trailers of HTTP are discarded. Those of S3 are in the body, and `x-amz-trailer` announces them.
  { header: 'trailer', ignoredByReads: true },
  { header: 'x-amz-acl', harmless: ['private', 'bucket-owner-full-control'] },
  // Of Tigris: see `tigris-headers.ts`.
  { header: 'x-amz-acl-public-list-objects-enabled', harmless: ['false'] },
  { header: 'x-amz-bucket-namespace', harmless: ['global'] },
  { header: 'x-amz-bucket-object-lock-enabled', harmless: ['false'] },
  {
    header: 'x-amz-bypass-governance-retention',
    harmless: ['false'],
    code: 'InvalidArgument',
    message: 'x-amz-bypass-governance-retention is only applicable to Object Lock enabled buckets.',
  },
  { header: 'x-amz-checksum-type', harmless: ['full_object'] },
  {
    header: 'x-amz-copy-source',
    code: 'InvalidArgument',
    message: 'You can only specify a copy source header for copy requests.',
  },
  { header: 'x-amz-metadata-directive', harmless: directives },
  { header: 'x-amz-object-ownership', harmless: ['bucketownerenforced'] },
  // No object is being restored, so no listing has a restore status.
  { header: 'x-amz-optional-object-attributes', harmless: ['restorestatus'] },
  unsupported('x-amz-server-side-encryption'),
  unsupported('x-amz-server-side-encryption-aws-kms-key-id'),
  unsupported('x-amz-server-side-encryption-bucket-key-enabled'),
  unsupported('x-amz-server-side-encryption-context'),
  { header: 'x-amz-storage-class', harmless: ['standard'] },
  { header: 'x-amz-tagging', harmless: [''] },
  { header: 'x-amz-tagging-directive', harmless: directives },
  ...[
    'x-amz-bucket-object-lock-token',
    'x-amz-confirm-remove-self-bucket-access',
    'x-amz-copy-source-if-match',
    'x-amz-copy-source-if-modified-since',
    'x-amz-copy-source-if-none-match',
    'x-amz-copy-source-if-unmodified-since',
    'x-amz-copy-source-range',
    'x-amz-copy-source-server-side-encryption-customer-algorithm',
    'x-amz-copy-source-server-side-encryption-customer-key',
    'x-amz-copy-source-server-side-encryption-customer-key-md5',
    'x-amz-grant-full-control',
    'x-amz-grant-read',
    'x-amz-grant-read-acp',
    'x-amz-grant-write',
    'x-amz-grant-write-acp',
    'x-amz-if-match-initiated-time',
    'x-amz-if-match-last-modified-time',
    'x-amz-if-match-size',
    'x-amz-max-parts',
    'x-amz-mfa',
    'x-amz-mp-object-size',
    'x-amz-object-annotation-directive',
    'x-amz-object-attributes',
    'x-amz-object-lock-event-hold',
    'x-amz-object-lock-event-hold-duration-days',
    'x-amz-object-lock-event-hold-duration-years',
    'x-amz-object-lock-legal-hold',
    'x-amz-object-lock-mode',
    'x-amz-object-lock-retain-until-date',
    'x-amz-part-number-marker',
    'x-amz-server-side-encryption-customer-algorithm',
    'x-amz-server-side-encryption-customer-key',
    'x-amz-server-side-encryption-customer-key-md5',
    'x-amz-skip-destination-validation',
    'x-amz-transition-default-minimum-object-size',
    'x-amz-website-redirect-location',
    'x-amz-write-offset-bytes',
  ].map(plain),
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

/** Those of HTTP. A form has them as headers of its request or as fields. */
export const screenedHeadersOfHttp: readonly string[] = screenedHeaders
  .map(({ header }) => header)
  .filter((header) => !header.startsWith('x-'))
