/** Why a request failed. Every page shows one of these. */

/** The server answered with an error. */
export class ServerError extends Error {
  /** The code of S3 or of Varve, such as `NoSuchKey`. */
  readonly code: string
  readonly status: number
  /** What else the answer holds, such as `BucketName` or `Region`. */
  readonly details: Readonly<Record<string, string>>
  readonly requestId: string | undefined

  constructor(given: {
    readonly code: string
    readonly status: number
    readonly message: string
    readonly details?: Readonly<Record<string, string>>
    readonly requestId?: string | undefined
  }) {
    super(given.message)
    this.code = given.code
    this.status = given.status
    this.details = given.details ?? {}
    this.requestId = given.requestId
  }
}

/** No answer came: the server is away, or the network is. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('The server does not answer.', { cause })
  }
}

export const isAborted = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

export const hasCode = (error: unknown, ...codes: readonly string[]): error is ServerError =>
  error instanceof ServerError && codes.includes(error.code)

/** True if the key does not work any more: the person must sign in again. */
export const isCredentialFailure = (error: unknown): boolean =>
  hasCode(error, 'InvalidAccessKeyId', 'SignatureDoesNotMatch', 'ExpiredToken', 'InvalidToken', 'TokenRefreshRequired')
