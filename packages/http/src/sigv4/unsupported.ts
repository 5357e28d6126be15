/** Errors for ways of signing that this store recognises and does not accept. */

import { S3Error } from '../errors/errors.ts'

/** The signatures before SigV4. */
export function unsupportedMechanism(): S3Error {
  return new S3Error(
    'InvalidRequest',
    'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.',
  )
}

/** Signatures by elliptic curve, which are valid in many regions. */
export function unsupportedSigV4A(): S3Error {
  return new S3Error('NotImplemented', 'SigV4A signatures are not implemented. Please use AWS4-HMAC-SHA256.')
}
