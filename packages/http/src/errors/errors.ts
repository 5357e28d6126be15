/**
 * Errors that the server itself throws, in S3's own words. The engine throws `StorageError`. `toWireError` turns both
 * into one answer. Statuses and default messages are in `error-table.ts`.
 */

import { codeOf } from '@varve/core'
import type { S3ErrorCode } from '@varve/core'

/** Codes of S3 that only the server can throw: the engine never sees such a request. */
export type RequestErrorCode =
  | 'AccessControlListNotSupported'
  | 'AccessForbidden'
  | 'AmbiguousGrantByEmailAddress'
  | 'AuthorizationHeaderMalformed'
  | 'AuthorizationQueryParametersError'
  | 'BadRequest'
  | 'CrossLocationLoggingProhibitted'
  | 'ExpiredToken'
  | 'IllegalLocationConstraintException'
  | 'IllegalVersioningConfigurationException'
  | 'IncorrectNumberOfFilesInPostRequest'
  | 'InsufficientStorage'
  | 'InvalidAccessKeyId'
  | 'InvalidBucketAclWithBlockPublicAccessError'
  | 'InvalidBucketAclWithObjectOwnership'
  | 'InvalidChunkSizeError'
  | 'InvalidEncryptionAlgorithmError'
  | 'InvalidLocationConstraint'
  | 'InvalidObjectState'
  | 'InvalidPolicyDocument'
  | 'InvalidRedirectLocation'
  | 'InvalidTargetBucketForLogging'
  | 'InvalidToken'
  | 'InvalidURI'
  | 'MalformedACLError'
  | 'MalformedPolicy'
  | 'MalformedPOSTRequest'
  | 'MalformedTrailerError'
  | 'MalformedXML'
  | 'MaxMessageLengthExceeded'
  | 'MaxPostPreDataLengthExceeded'
  | 'MissingAuthenticationToken'
  | 'MissingContentLength'
  | 'MissingRequestBodyError'
  | 'MissingSecurityHeader'
  | 'NoSuchBucketPolicy'
  | 'NoSuchConfiguration'
  | 'NoSuchCORSConfiguration'
  | 'NoSuchLifecycleConfiguration'
  | 'NoSuchObjectLockConfiguration'
  | 'NoSuchPublicAccessBlockConfiguration'
  | 'NoSuchTagSet'
  | 'NoSuchWebsiteConfiguration'
  | 'ObjectLockConfigurationNotFoundError'
  | 'OperationAborted'
  | 'OwnershipControlsNotFoundError'
  | 'ReplicationConfigurationNotFoundError'
  | 'RequestHeaderSectionTooLarge'
  | 'RequestTimeout'
  | 'RequestTimeTooSkewed'
  | 'ServerSideEncryptionConfigurationNotFoundError'
  | 'ServiceUnavailable'
  | 'SignatureDoesNotMatch'
  | 'SlowDown'
  | 'UnexpectedContent'
  | 'UnresolvableGrantByEmailAddress'
  | 'UserKeyMustBeSpecified'
  | 'XAmzContentSHA256Mismatch'

/** Every code that the server may throw: its own codes, and S3's codes that the engine has too. */
export type HttpErrorCode = RequestErrorCode | S3ErrorCode

/** Further content of an error answer, beside its code and message. */
export interface S3ErrorOptions {
  /** Further elements of the error document, named as S3 names them (`Region`, `ArgumentName`, ...). Never a secret. */
  readonly details?: Readonly<Record<string, string>>
  /** Headers that the answer must have (`allow`, `retry-after`, ...), names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** For logs; never sent. */
  readonly cause?: unknown
}

/** A refusal by the server. Test `code`, not the class: see `isS3Error`. The message is sent to the client. */
export class S3Error extends Error {
  override readonly name = 'S3Error'
  readonly code: HttpErrorCode
  readonly details: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>

  constructor(code: HttpErrorCode, message: string, options: S3ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details ?? {}
    this.headers = options.headers ?? {}
  }
}

/** True for the server's errors, whichever copy of the package made them. Narrow further by passing codes. */
export function isS3Error<C extends HttpErrorCode = HttpErrorCode>(
  error: unknown,
  ...codes: readonly C[]
): error is S3Error & { readonly code: C } {
  const code = codeOf(error, 'S3Error')
  return code !== undefined && (codes.length === 0 || codes.includes(code as C))
}

export const accessDenied = (): S3Error => new S3Error('AccessDenied', 'Access Denied')

/** The refusal of a public setting. It names the setting of the public access block that refuses it. */
export const publicAccessBlocked = (
  what: 'policies' | 'ACLs',
  setting: 'BlockPublicPolicy' | 'BlockPublicAcls',
): S3Error =>
  new S3Error('AccessDenied', `Public ${what} are prevented by the ${setting} setting in S3 Block Public Access.`)
