/** What errors of the S3 server, of the SDK and of connections mean. */
import { isStorageError, StorageError } from '@varve/core'
import { isCertificateCode } from '../system/tls-codes.ts'

/** An error of one attempt. */
export interface S3Fault {
  /** The code of S3, of the system or of this adapter; `status` and a number if there is only that. */
  readonly kind: string
  /** The status of the answer, if there is one. */
  readonly status: number | undefined
}

/** An answer that is no S3 answer, or not the answer to the request. */
export class WrongAnswer extends Error {
  override readonly name: string

  constructor(kind: string, message: string) {
    super(message)
    this.name = kind
  }
}

/** Codes of different servers for a medium without room. */
const full = new Set([
  'InsufficientStorage',
  'QuotaExceeded',
  'StorageFull',
  'XMinioAdminBucketQuotaExceeded',
  'XMinioStorageFull',
])

/** Codes beside those of status 5xx after which a repetition can succeed. */
const passing = new Set([
  'BadDigest',
  'ConditionalRequestConflict',
  'IncompleteBody',
  'InternalError',
  'OperationAborted',
  'RequestTimeTooSkewed',
  'RequestTimeout',
  'ServiceUnavailable',
  'SlowDown',
  'Throttling',
  'ThrottlingException',
  'TooManyRequests',
  'WrongRange',
  'WrongSize',
  'XAmzContentChecksumMismatch',
  'XAmzContentSHA256Mismatch',
])

/** Codes of credentials that were valid once. */
const expired = new Set(['ExpiredToken', 'ExpiredTokenException', 'InvalidToken', 'TokenRefreshRequired'])

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export function faultOf(error: unknown): S3Fault {
  const { name, code, Code, $metadata } = Object(error) as Record<string, unknown>
  const { httpStatusCode } = Object($metadata) as Record<string, unknown>
  const status = typeof httpStatusCode === 'number' ? httpStatusCode : undefined
  const system = textOf(code)
  const given = textOf(Code) || textOf(name)
  // The SDK gives an answer without a document a name of its own, or its status as name.
  const isNamed = given !== '' && !/^(\d+|Error|Unknown|UnknownError)$/.test(given)
  if (status !== undefined) return { kind: isNamed ? given : `status${status}`, status }
  return { kind: system || (isNamed ? given : 'connection'), status }
}

/** True if a repetition can succeed. Without an answer of the server, the connection failed. */
export function mayPass({ kind, status }: S3Fault): boolean {
  if (passing.has(kind)) return true
  if (full.has(kind) || status === 507 || status === 501) return false
  return status === undefined
    ? !permanent.has(kind) && !isCertificateCode(kind)
    : status >= 500 || status === 429 || status === 408
}

/** Errors of the SDK and of the configuration, which no repetition mends. */
const permanent = new Set([
  'AnswerTooLong',
  'CredentialsProviderError',
  'ERR_INVALID_URL',
  'ProviderError',
  'TypeError',
])

export const isExpired = ({ kind }: S3Fault): boolean => expired.has(kind)

/**
 * `NoSpace`, or `BlobFailed` with the code as `details.kind`. A refusal by S3 is not `AccessDenied`: a client of the store
 * did nothing wrong.
 */
export function s3Failure(error: unknown, doing: string): StorageError {
  if (isStorageError(error)) return error
  const { kind, status } = faultOf(error)
  const code = full.has(kind) || status === 507 ? 'NoSpace' : 'BlobFailed'
  const message = `${doing} failed: ${kind}: ${error instanceof Error ? error.message : String(error)}`
  return new StorageError(code, message, {
    details: { kind, ...(status !== undefined && { status }) },
    cause: withoutAnswer(error),
  })
}

/** The SDK adds the whole answer, with its connection and the signature of its request, as a property that cannot be removed. */
function withoutAnswer(error: unknown): unknown {
  if (!(error instanceof Error) || !('$response' in error)) return error
  const { message, name, stack } = error
  return Object.assign(new Error(message), { name, stack })
}

/** The `details.kind` of a failure; an empty string for other errors. */
export const kindOf = (error: unknown): string => (isStorageError(error) ? String(error.details['kind'] ?? '') : '')
