/** Error codes of file systems. */
import { sep } from 'node:path'
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
    const errno = errnoOf(cause)
    const hint = refusals.get(errno)?.hint
    throw new StorageError(codeOnMedium(otherwise, cause), message, { details: { errno }, hint, cause })
  }
}

/** How the system refuses a path: the medium works, and the path is wrong, or is not for this user. */
interface PathRefusal {
  readonly code: ErrorCode
  readonly text: (path: string) => string
  readonly hint: string
}

const forbidden: PathRefusal = {
  code: 'AccessDenied',
  text: (path) => `This user may not use ${path}.`,
  hint: 'Use another directory, or change who may use this one: see `docs/runbooks/does-not-start.md`.',
}
const noDirectory: PathRefusal = {
  code: 'InvalidArgument',
  text: (path) => `${path} is not a directory, or is below a file.`,
  hint: 'Name a directory, or one that does not exist yet.',
}
const unusable: PathRefusal = {
  code: 'InvalidArgument',
  text: (path) => `The system does not accept the path ${path}.`,
  hint: 'Use a shorter path, without circles of symbolic links.',
}
const noRoom: PathRefusal = {
  code: 'NoSpace',
  text: (path) => `The disk of ${path} is full.`,
  hint: 'Free space, or use a directory on another disk: see `docs/runbooks/full-disk.md`.',
}
const refusals: ReadonlyMap<string, PathRefusal> = new Map([
  ['EACCES', forbidden],
  ['EPERM', forbidden],
  [
    'EROFS',
    {
      code: 'ReadOnly',
      text: (path: string) => `${path} is on a file system that is read-only.`,
      hint: 'Use a directory on another disk. `readOnly` and `--read-only` read a store there.',
    },
  ],
  ['ENOTDIR', noDirectory],
  ['EEXIST', noDirectory],
  ['ENAMETOOLONG', unusable],
  ['ELOOP', unusable],
  ['ENOSPC', noRoom],
  ['EDQUOT', noRoom],
])

/**
 * Opens or inspects what is in a directory. A refusal of its path has the path in its message, and no code of a broken medium.
 * @throws StorageError `AccessDenied`, `ReadOnly`, `InvalidArgument`, `NoSpace`; what `work` throws
 */
export async function onPath<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const isCoded = isStorageError(error)
    if (isCoded && !isStorageError(error, 'JournalFailed', 'BlobFailed', 'NoSpace')) throw error
    const cause = isCoded ? error.cause : error
    const refusal = refusals.get(errnoOf(cause))
    const refused = pathOf(cause) ?? path
    // A file in the place of a directory of the store is damage, and no wrong path.
    const isDamage = refusal?.code === 'InvalidArgument' && refused.startsWith(`${path}${sep}`)
    if (refusal === undefined || isDamage) throw error
    const details = { errno: errnoOf(cause), ...(refusal.code === 'InvalidArgument' && { ArgumentName: 'dir' }) }
    const { code, text, hint } = refusal
    throw new StorageError(code, text(refused), { details, hint, cause: error })
  }
}

/** The path that the system refused, which may be below the directory. */
const pathOf = (cause: unknown): string | undefined =>
  typeof cause === 'object' && cause !== null && 'path' in cause && typeof cause.path === 'string'
    ? cause.path
    : undefined

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
