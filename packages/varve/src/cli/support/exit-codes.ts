/** The exit statuses of the command. They are part of its interface: see docs/cli.md. */
import { constants } from 'node:os'
import { isStorageError, type StorageError } from '@varve/core'

export const exitCodes = {
  ok: 0,
  /** An error without its own status, such as a missing bucket or a port in use. */
  failed: 1,
  usage: 2,
  /** Another process has the store open. */
  locked: 3,
  /** `verify` found a disagreement. */
  diverged: 4,
  /** The store, an archive or a replica is damaged. */
  damaged: 5,
  /** There is no store, or one that this release cannot read. */
  noStore: 6,
  /** The disk failed or is full: starting again may help. */
  medium: 7,
} as const

/** One line per code, for `--help`. */
export const exitCodeTable: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'done'],
  ['1', 'failed; the message says why'],
  ['2', 'wrong usage, or a package or a newer Node is missing'],
  ['3', 'another process has the store open'],
  ['4', 'verify found divergences'],
  ['5', 'the store, an archive or a replica is damaged'],
  ['6', 'no store there, or one this release does not read'],
  ['7', 'the disk failed or is full'],
  ['128+n', 'ended by signal n'],
]

/** A signal from outside ended the work. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
  readonly exitCode: number

  constructor(signal: NodeJS.Signals) {
    super(`Interrupted by ${signal}.`)
    this.exitCode = signalExitCode(signal)
  }
}

/** The reader of the output closed it. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed'
}

/** The command line itself is wrong. `hint` is what helps, for a line of its own. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly hint: string | undefined

  constructor(message: string, { hint }: { readonly hint?: string } = {}) {
    super(message)
    this.hint = hint
  }
}

/** Also recognises the usage errors of the bench package, which have no hint. */
export const isUsageError = (error: unknown): error is Error & { readonly hint?: string | undefined } =>
  error instanceof Error && error.name === 'UsageError'

export const signalExitCode = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

const damages = [
  'AcknowledgedWritesLost',
  'ArchiveCorrupt',
  'BlobCorrupt',
  'BlobMissing',
  'LogCorrupt',
  'ReplicaCorrupt',
  'RowCorrupt',
] as const

/** Codes of systems for a path that is wrong, or is not for this user. */
const refusals = new Set(['EACCES', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'ENOTDIR', 'EPERM'])
/** Codes of the SDK and of S3 for settings that are wrong, besides those of status 401 and 403. */
const misconfigured = new Set([
  'AuthorizationHeaderMalformed',
  'CredentialsProviderError',
  'ERR_INVALID_URL',
  'InvalidBucketName',
  'PermanentRedirect',
  'ProviderError',
])

/** The medium works, and refuses what it was given: starting again does not help. */
function isRefusal({ details: { errno, kind, status } }: StorageError): boolean {
  return refusals.has(String(errno)) || misconfigured.has(String(kind)) || status === 401 || status === 403
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof Interrupted) return error.exitCode
  if (error instanceof OutputClosed) return exitCodes.ok
  if (isUsageError(error)) return exitCodes.usage
  if (isStorageError(error, 'StoreLocked')) return exitCodes.locked
  if (isStorageError(error, ...damages)) return exitCodes.damaged
  if (isStorageError(error, 'UnsupportedFormat') && error.details['kind'] === 'package') return exitCodes.usage
  if (isStorageError(error, 'StoreNotFound', 'UnsupportedFormat')) return exitCodes.noStore
  if (isStorageError(error, 'JournalFailed', 'BlobFailed', 'StoreFailed', 'NoSpace', 'TooManyOpenFiles'))
    return isRefusal(error) ? exitCodes.failed : exitCodes.medium
  return exitCodes.failed
}
