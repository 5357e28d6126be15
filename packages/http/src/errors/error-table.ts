/**
 * Maps error codes to HTTP: status, default message, and the code on the wire where S3 has no such code. An error
 * answer always has a message: an empty one crashes well-known clients.
 */

import type { ErrorCode } from '@varve/core'
import { engineErrorRows } from './engine-error-rows.ts'
import { type ErrorRow, internal, unavailable } from './error-row.ts'
import type { HttpErrorCode } from './errors.ts'

/** Every error code, of S3 and of the engine, with its status and text. */
export const errorTable = {
  AccessControlListNotSupported: { status: 400, message: 'The bucket does not allow ACLs' },
  AccessDenied: { status: 403, message: 'Access Denied' },
  AccessForbidden: { status: 403, message: 'CORSResponse: This CORS request is not allowed.' },
  AmbiguousGrantByEmailAddress: {
    status: 400,
    message: 'The e-mail address you provided is associated with more than one account.',
  },
  AuthorizationHeaderMalformed: { status: 400, message: 'The authorization header is malformed.' },
  AuthorizationQueryParametersError: { status: 400, message: 'Error parsing the authorization query parameters.' },
  BadDigest: {
    status: 400,
    message: 'The Content-MD5 or checksum value you specified did not match what we received.',
  },
  BadRequest: { status: 400, message: 'Bad Request' },
  BucketAlreadyExists: { status: 409, message: 'The requested bucket name is not available.' },
  BucketAlreadyOwnedByYou: {
    status: 409,
    message: 'Your previous request to create the named bucket succeeded and you already own it.',
  },
  BucketNotEmpty: { status: 409, message: 'The bucket you tried to delete is not empty' },
  ConditionalRequestConflict: {
    status: 409,
    message: 'The conditional request cannot succeed due to a conflicting operation against this resource.',
  },
  CrossLocationLoggingProhibitted: { status: 403, message: 'Cross S3 location logging not allowed.' },
  EntityTooLarge: { status: 400, message: 'Your proposed upload exceeds the maximum allowed size' },
  EntityTooSmall: { status: 400, message: 'Your proposed upload is smaller than the minimum allowed size' },
  ExpiredToken: { status: 400, message: 'The provided token has expired.' },
  IllegalLocationConstraintException: {
    status: 400,
    message: 'The location constraint is incompatible for the region specific endpoint this request was sent to.',
  },
  IllegalVersioningConfigurationException: { status: 400, message: 'The Versioning element must be specified' },
  IncompleteBody: { status: 400, message: 'The request body terminated unexpectedly' },
  IncorrectNumberOfFilesInPostRequest: { status: 400, message: 'POST requires exactly one file upload per request.' },
  InsufficientStorage: { status: 507, message: 'The store has no room for more bytes.' },
  InternalError: internal,
  InvalidAccessKeyId: { status: 403, message: 'The AWS Access Key Id you provided does not exist in our records.' },
  InvalidArgument: { status: 400, message: 'Invalid Argument' },
  InvalidBucketAclWithBlockPublicAccessError: {
    status: 400,
    message: 'Bucket cannot have public ACLs set with BlockPublicAccess enabled',
  },
  InvalidBucketAclWithObjectOwnership: {
    status: 400,
    message: "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting",
  },
  InvalidBucketName: { status: 400, message: 'The specified bucket is not valid.', isTextOfS3: true },
  InvalidBucketState: { status: 409, message: 'The request is not valid with the current state of the bucket.' },
  InvalidChunkSizeError: {
    status: 400,
    message: 'Only the last chunk is allowed to have a size less than 8192 bytes',
  },
  InvalidDigest: { status: 400, message: 'The Content-MD5 you specified was invalid.' },
  InvalidEncryptionAlgorithmError: { status: 400, message: 'The encryption request you specified is not valid.' },
  InvalidLocationConstraint: { status: 400, message: 'The specified location-constraint is not valid' },
  InvalidObjectState: { status: 403, message: 'The operation is not valid for the current state of the object.' },
  InvalidPart: {
    status: 400,
    message:
      "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
  },
  InvalidPartNumber: { status: 416, message: 'The requested partnumber is not satisfiable' },
  InvalidPartOrder: {
    status: 400,
    message: 'The list of parts was not in ascending order. Parts must be ordered by part number.',
  },
  InvalidPolicyDocument: {
    status: 400,
    message: 'The content of the form does not meet the conditions specified in the policy document.',
  },
  InvalidRange: { status: 416, message: 'The requested range is not satisfiable' },
  InvalidRedirectLocation: {
    status: 400,
    message: "The website redirect location must have a prefix of 'http://' or 'https://' or '/'.",
  },
  InvalidRequest: { status: 400, message: 'Invalid Request' },
  InvalidRetentionPeriod: { status: 400, message: 'Default retention period must be a positive integer value.' },
  InvalidStorageClass: { status: 400, message: 'The storage class you specified is not valid' },
  InvalidTag: { status: 400, message: 'The tag provided was not a valid tag.' },
  InvalidTargetBucketForLogging: { status: 400, message: 'The target bucket for logging does not exist' },
  InvalidToken: { status: 400, message: 'The provided token is malformed or otherwise invalid.' },
  InvalidURI: { status: 400, message: "Couldn't parse the specified URI." },
  KeyTooLongError: { status: 400, message: 'Your key is too long', isTextOfS3: true },
  'KMS.NotFoundException': { status: 400, message: 'The key of this name is not in the keyring.' },
  MalformedACLError: {
    status: 400,
    message: 'The XML you provided was not well-formed or did not validate against our published schema',
  },
  MalformedPolicy: { status: 400, message: 'This policy is not well formed.' },
  MalformedPOSTRequest: {
    status: 400,
    message: 'The body of your POST request is not well-formed multipart/form-data.',
  },
  MalformedTrailerError: {
    status: 400,
    message: 'The request contained trailing data that was not well-formed or did not conform to our published schema.',
  },
  MalformedXML: {
    status: 400,
    message: 'The XML you provided was not well-formed or did not validate against our published schema',
  },
  MaxMessageLengthExceeded: { status: 400, message: 'Your request was too big.' },
  MaxPostPreDataLengthExceeded: {
    status: 400,
    message: 'Your POST request fields preceding the upload file were too large.',
  },
  MetadataTooLarge: {
    status: 400,
    message: 'Your metadata headers exceed the maximum allowed metadata size',
    isTextOfS3: true,
  },
  MethodNotAllowed: { status: 405, message: 'The specified method is not allowed against this resource.' },
  MissingAuthenticationToken: { status: 403, message: 'The request is missing an authentication token.' },
  MissingContentLength: { status: 411, message: 'You must provide the Content-Length HTTP header.' },
  MissingRequestBodyError: { status: 400, message: 'Request Body is empty' },
  MissingSecurityHeader: { status: 400, message: 'Your request was missing a required header' },
  NoSuchBucket: { status: 404, message: 'The specified bucket does not exist', isTextOfS3: true },
  NoSuchBucketPolicy: { status: 404, message: 'The bucket policy does not exist' },
  NoSuchConfiguration: { status: 404, message: 'The specified configuration does not exist.' },
  NoSuchCORSConfiguration: { status: 404, message: 'The CORS configuration does not exist' },
  NoSuchKey: { status: 404, message: 'The specified key does not exist.', isTextOfS3: true },
  NoSuchLifecycleConfiguration: { status: 404, message: 'The lifecycle configuration does not exist' },
  NoSuchObjectLockConfiguration: {
    status: 404,
    message: 'The specified object does not have a ObjectLock configuration',
  },
  NoSuchPublicAccessBlockConfiguration: { status: 404, message: 'The public access block configuration was not found' },
  NoSuchTagSet: { status: 404, message: 'The TagSet does not exist' },
  NoSuchUpload: {
    status: 404,
    message:
      'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  },
  NoSuchVersion: { status: 404, message: 'The specified version does not exist.', isTextOfS3: true },
  NoSuchWebsiteConfiguration: { status: 404, message: 'The specified bucket does not have a website configuration' },
  NotImplemented: {
    status: 501,
    message: 'A header or query you provided implies functionality that is not implemented.',
  },
  NotModified: { status: 304, message: 'Not Modified' },
  ObjectLockConfigurationNotFoundError: {
    status: 404,
    message: 'Object Lock configuration does not exist for this bucket',
  },
  OperationAborted: {
    status: 409,
    message: 'A conflicting conditional operation is currently in progress against this resource. Please try again.',
  },
  OwnershipControlsNotFoundError: { status: 404, message: 'The bucket ownership controls were not found' },
  PreconditionFailed: { status: 412, message: 'At least one of the pre-conditions you specified did not hold' },
  ReplicationConfigurationNotFoundError: { status: 404, message: 'The replication configuration was not found' },
  RequestHeaderSectionTooLarge: {
    status: 400,
    message: 'Your request header section exceeds the maximum allowed request header section size.',
  },
  RequestTimeout: {
    status: 408,
    message: 'Your socket connection to the server was not read from or written to within the timeout period.',
  },
  RequestTimeTooSkewed: {
    status: 403,
    message: 'The difference between the request time and the current time is too large.',
  },
  ServerSideEncryptionConfigurationNotFoundError: {
    status: 404,
    message: 'The server side encryption configuration was not found',
  },
  ServiceUnavailable: unavailable,
  SignatureDoesNotMatch: {
    status: 403,
    message:
      'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  },
  SlowDown: { status: 503, message: 'Please reduce your request rate.' },
  TooManyBuckets: { status: 400, message: 'You have attempted to create more buckets than allowed' },
  UnexpectedContent: { status: 400, message: 'This request does not support content' },
  UnresolvableGrantByEmailAddress: {
    status: 400,
    message: 'The e-mail address you provided does not match any account on record.',
  },
  UserKeyMustBeSpecified: {
    status: 400,
    message:
      'The bucket POST must contain the specified field name. If it is specified, check the order of the fields.',
  },
  XAmzContentSHA256Mismatch: {
    status: 400,
    message: "The provided 'x-amz-content-sha256' header does not match what was computed.",
  },

  ...engineErrorRows,
} as const satisfies Readonly<Record<HttpErrorCode | ErrorCode, ErrorRow>>
