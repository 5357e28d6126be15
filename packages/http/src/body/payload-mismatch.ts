/** The refusal of a body that is not the one its signature covers, whoever made its SHA-256. */

import { S3Error } from '../errors/errors.ts'

export function payloadMismatch(expected: string, computed: string): S3Error {
  return new S3Error(
    'XAmzContentSHA256Mismatch',
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
    { details: { ClientComputedContentSHA256: expected, S3ComputedContentSHA256: computed } },
  )
}
