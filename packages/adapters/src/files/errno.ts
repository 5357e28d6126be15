/** Error codes of file systems. */
import { type EngineErrorCode, type ErrorCode, isStorageError, StorageError } from '@varve/core'

const full = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL'])
const noHandle = new Set(['EMFILE', 'ENFILE'])

/**
 * `ENOENT` and the like; an empty string for errors that did not come from the system. The class is not tested: in a test
 * of Jest, the errors of Node are not of the class `Error` that the test has.
 */
export function errnoOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : ''
}

/**
 * Runs work on the medium. A full disk becomes `NoSpace`, a lack of file handles becomes `TooManyOpenFiles`, any other
 * failure becomes `otherwise`, each with its cause.
 */
export async function onMedium<T>(otherwise: EngineErrorCode, doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (isStorageError(cause)) throw cause
    const message = `${doing} failed: ${cause instanceof Error ? cause.message : String(cause)}`
    throw new StorageError(codeOnMedium(otherwise, cause), message, { details: { errno: errnoOf(cause) }, cause })
  }
}

const forbidden = new Set(['EACCES', 'EPERM'])

/** As `onMedium`, for the first look into a directory: `AccessDenied` if this user may not read it. */
export async function onDirectory<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await onMedium('JournalFailed', 'Looking into the directory', work)
  } catch (error) {
    if (!isStorageError(error) || !forbidden.has(String(error.details['errno']))) throw error
    throw new StorageError('AccessDenied', `This user may not read the directory ${path}.`, {
      details: error.details,
      cause: error,
    })
  }
}

/** The code that `onMedium` gives an error. */
export function codeOnMedium(otherwise: EngineErrorCode, error: unknown): ErrorCode {
  if (isStorageError(error)) return error.code
  const errno = errnoOf(error)
  if (full.has(errno)) return 'NoSpace'
  return noHandle.has(errno) ? 'TooManyOpenFiles' : otherwise
}

/** Runs `work` and treats one kind of failure as success. */
export async function allowing(errno: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (errnoOf(error) !== errno) throw error
  }
}
