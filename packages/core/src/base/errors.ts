/**
 * Every error of a store. `code` is API: S3's own code where S3 has one, otherwise one of Varve.
 * Messages are prose and may change. HTTP status numbers live in the HTTP package.
 */

/** Codes of the S3 protocol that the engine itself can raise. */
export type S3ErrorCode =
  | 'AccessDenied'
  | 'BadDigest'
  | 'BucketAlreadyExists'
  | 'BucketAlreadyOwnedByYou'
  | 'BucketNotEmpty'
  | 'ConditionalRequestConflict'
  | 'EntityTooLarge'
  | 'EntityTooSmall'
  | 'IncompleteBody'
  | 'InternalError'
  | 'InvalidArgument'
  | 'InvalidBucketName'
  | 'InvalidBucketState'
  | 'InvalidDigest'
  | 'InvalidPart'
  | 'InvalidPartNumber'
  | 'InvalidPartOrder'
  | 'InvalidRange'
  | 'InvalidRequest'
  | 'InvalidRetentionPeriod'
  | 'InvalidStorageClass'
  | 'InvalidTag'
  | 'KMS.NotFoundException'
  | 'KeyTooLongError'
  | 'MetadataTooLarge'
  | 'MethodNotAllowed'
  | 'NoSuchBucket'
  | 'NoSuchKey'
  | 'NoSuchUpload'
  | 'NoSuchVersion'
  | 'NotImplemented'
  | 'NotModified'
  | 'PreconditionFailed'

/** Codes S3 has no word for. */
export type EngineErrorCode =
  /** A blob's bytes are damaged or gone: an error instead of wrong bytes. `details.kind` names the damage. */
  | 'BlobCorrupt'
  | 'BlobFailed'
  | 'BlobMissing'
  /** The log is damaged: `details.kind` names the damage, `details.seq` the position. */
  | 'LogCorrupt'
  /** A view row fails its checksum; `rebuild()` mends it. */
  | 'RowCorrupt'
  /** The log is shorter than what was once acknowledged. */
  | 'AcknowledgedWritesLost'
  | 'JournalClosed'
  | 'JournalConflict'
  | 'JournalFailed'
  /** The keyring does not have, or no longer has, what bytes are encrypted with. */
  | 'KeyUnavailable'
  /** No room for more bytes; reads and deletes go on. */
  | 'NoSpace'
  /** The bytes of a removed version were erased after their retention; the facts remain. */
  | 'ObjectErased'
  /** The bytes of an object were left unread for so long that they are no longer held. */
  | 'ReadExpired'
  | 'ReadOnly'
  /** What a request was authorised on has changed since. It is authorised again, and refused with this when that happens too often: see `Authorisation`. */
  | 'ReadSetChanged'
  | 'StoreClosed'
  /** A write failed in a way that leaves its outcome unknown: no more writes until the store is opened again. */
  | 'StoreFailed'
  | 'StoreLocked'
  | 'StoreNotFound'
  /** No file handle is left for this request; the store goes on. */
  | 'TooManyOpenFiles'
  | 'UnsupportedFormat'

/** Every code that a `StorageError` can have: those of S3 and those of the engine. */
export type ErrorCode = S3ErrorCode | EngineErrorCode

/** What happened to what: shown to people and programs, never holds secrets or paths of keys. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean>>

/** The one error class. Test `code`, not the class: see `isStorageError`. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(
    code: ErrorCode,
    message: string,
    options: { readonly details?: ErrorDetails; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details ?? {}
  }
}

/** True for errors with one of our codes, whichever copy of the package made them. Narrow further by passing codes. */
export function isStorageError<C extends ErrorCode = ErrorCode>(
  error: unknown,
  ...codes: readonly C[]
): error is StorageError & { readonly code: C } {
  const code = codeOf(error, 'StorageError')
  return code !== undefined && (codes.length === 0 || codes.includes(code as C))
}

/**
 * The code of an error of this name, whichever copy of a package made it; `undefined` for anything else. Never throws: it is
 * used on anything that is caught, and a caller may throw a proxy.
 */
export function codeOf(error: unknown, name: string): string | undefined {
  try {
    if (!(error instanceof Error) || error.name !== name) return undefined
    const { code } = error as Partial<StorageError>
    return typeof code === 'string' ? code : undefined
  } catch {
    return undefined
  }
}
