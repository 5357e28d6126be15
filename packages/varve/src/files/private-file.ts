/** Files with secrets. The checks and the read use the same open file, so renaming it meanwhile has no effect. */
import { randomBytes } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { nodeFileSystem, syncDirectory } from '@varve/adapters'
import { StorageError } from '@varve/core'
import { pathOf } from './paths.ts'
import { link, open, rename, rm } from './patient-files.ts'

export interface PrivateFile {
  /** The name of the file in messages: `keyring`, `file of webhooks`. */
  readonly name: string
  readonly bytesMax: number
}

const groupAndOthers = 0o077
const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads JSON from a file that only its owner can read. Modes are not checked on Windows, which has none.
 * @throws StorageError `InvalidArgument` for an invalid path, when the file cannot be read (with the cause), is open to
 * others, or is not JSON
 */
export async function readPrivateJson(given: string, what: PrivateFile): Promise<unknown> {
  const path = pathOf('path', given)
  const file = await opened(path, what)
  try {
    await checkFile(file, path, what)
    return parseJson(await file.readFile(), path, what)
  } finally {
    await file.close()
  }
}

/**
 * Writes JSON to a temporary file beside `path`, with mode 0600, and calls `place` to give it its final name. Content
 * and name are durable when this resolves. A file that was not placed is removed.
 * @throws what the file system throws
 */
export async function placePrivateJson<R>(
  path: string,
  value: unknown,
  place: (temporary: string) => Promise<R>,
): Promise<R> {
  const temporary = `${path}.${randomBytes(8).toString('hex')}.tmp`
  try {
    await writeDurably(temporary, `${JSON.stringify(value, null, 2)}\n`)
    const placed = await place(temporary)
    await syncDirectory(nodeFileSystem, dirname(path))
    return placed
  } finally {
    await rm(temporary, { force: true })
  }
}

/**
 * For `placePrivateJson`; resolves with false when the name is taken. Uses a link, which refuses a taken name, unlike a
 * rename. File systems without links get the rename.
 */
export async function placeUnlessTaken(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    if (!withoutLinks.has(code)) throw error
    await rename(temporary, path)
    return true
  }
}

/** Whether an error of `readPrivateJson` means that the file does not exist. */
export const isNoSuchFile = (error: unknown): boolean =>
  error instanceof StorageError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT'

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function opened(path: string, { name }: PrivateFile): Promise<FileHandle> {
  try {
    return await open(path, 'r')
  } catch (cause) {
    const { code = 'an error' } = cause as NodeJS.ErrnoException
    throw new StorageError('InvalidArgument', `Cannot open the ${name} ${path}: ${code}.`, { cause })
  }
}

async function checkFile(file: FileHandle, path: string, what: PrivateFile): Promise<void> {
  const stat = await file.stat()
  if (!stat.isFile()) throw refused(path, what, 'is not a file')
  if (process.platform !== 'win32' && (stat.mode & groupAndOthers) !== 0) {
    const mode = (stat.mode & 0o777).toString(8).padStart(4, '0')
    throw refused(path, what, `is open to others (mode ${mode}) and holds secrets: chmod 600 it`)
  }
  if (stat.size > what.bytesMax) throw refused(path, what, `is larger than ${what.bytesMax} bytes`)
}

/** Leaves out the parser's message and cause, which quote the text around the mistake. */
function parseJson(bytes: Uint8Array, path: string, what: PrivateFile): unknown {
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown
  } catch {
    throw refused(path, what, 'is not JSON in UTF-8')
  }
}

const refused = (path: string, { name }: PrivateFile, why: string): StorageError =>
  new StorageError('InvalidArgument', `The ${name} ${path} ${why}.`)
