/** The error for a body that its signature does not cover. */

import { S3Error } from '../errors/errors.ts'

export function payloadMismatch(expected: string, computed: string): S3Error {
  return new S3Error(
    'XAmzContentSHA256Mismatch',
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
    { details: { ClientComputedContentSHA256: expected, S3ComputedContentSHA256: computed } },
  )
}
