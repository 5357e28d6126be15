/** Errors that both versions of signatures use. */

import { S3Error } from '../errors/errors.ts'

export function unknownAccessKey(accessKeyId: string): S3Error {
  return new S3Error('InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.', {
    details: { AWSAccessKeyId: accessKeyId },
  })
}

export function invalidToken(): S3Error {
  return new S3Error('InvalidToken', 'The provided token is malformed or otherwise invalid.')
}

export function expiredToken(): S3Error {
  return new S3Error('ExpiredToken', 'The provided token has expired.')
}

export function unsignedHeaders(names: readonly string[]): S3Error {
  return new S3Error('AccessDenied', 'There were headers present in the request which were not signed', {
    details: { HeadersNotSigned: names.join(', ') },
  })
}

export function severalMechanisms(): S3Error {
  return new S3Error(
    'InvalidArgument',
    'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter ' +
      'or the Authorization header should be specified',
    { details: { ArgumentName: 'Authorization' } },
  )
}
