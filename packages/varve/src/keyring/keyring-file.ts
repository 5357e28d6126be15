/** A keyring as a file that only its owner can read. The file that is checked is the file that is read, whatever happens to its name. */
import { randomBytes } from 'node:crypto'
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StorageError } from '@varve/core'
import { type KeyMaterial, parseKeyMaterial } from './key-material.ts'

const bytesMax = 1024 * 1024
const groupAndOthers = 0o077
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Modes are not checked on Windows, which has no such bits.
 * @throws StorageError `InvalidArgument` when the file cannot be read, is open to others, or does not hold good keys
 */
export async function loadKeyringFile(path: string): Promise<KeyMaterial> {
  const file = await opened(path)
  try {
    await checkFile(file, path)
    return parseKeyMaterial(parseJson(await file.readFile(), path), `The keyring ${path}`)
  } finally {
    await file.close()
  }
}

/** The same; `undefined` when there is none. */
export async function findKeyringFile(path: string): Promise<KeyMaterial | undefined> {
  return loadKeyringFile(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
}

/** Durably, all or nothing, with mode 0600. False when there is a file of this name already: it stays as it is. */
export async function createKeyringFile(path: string, material: KeyMaterial): Promise<boolean> {
  return withWritten(path, material, async (temporary) => {
    try {
      // A link, unlike a rename, refuses a name that is taken.
      await link(temporary, path)
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
      throw failed(path, error)
    }
  })
}

/** The same in the place of the file that is there. */
export async function replaceKeyringFile(path: string, material: KeyMaterial): Promise<void> {
  await withWritten(path, material, (temporary) => rename(temporary, path))
}

/** A key that nobody can guess. */
export const newKey = (): string => randomBytes(32).toString('base64')

async function withWritten<R>(
  path: string,
  material: KeyMaterial,
  place: (temporary: string) => Promise<R>,
): Promise<R> {
  const temporary = `${path}.${randomBytes(8).toString('hex')}.tmp`
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(`${JSON.stringify(material, null, 2)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    const placed = await place(temporary)
    await syncDirectory(dirname(path))
    return placed
  } catch (error) {
    throw failed(path, error)
  } finally {
    await rm(temporary, { force: true })
  }
}

async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r')
  } catch (cause) {
    const { code = 'an error' } = cause as NodeJS.ErrnoException
    throw new StorageError('InvalidArgument', `Cannot open the keyring ${path}: ${code}.`, { cause })
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof StorageError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT'

async function checkFile(file: FileHandle, path: string): Promise<void> {
  const stat = await file.stat()
  if (!stat.isFile()) throw refused(path, 'is not a file')
  if (process.platform !== 'win32' && (stat.mode & groupAndOthers) !== 0) {
    const mode = (stat.mode & 0o777).toString(8).padStart(4, '0')
    throw refused(path, `is open to others (mode ${mode}) and holds keys: chmod 600 it`)
  }
  if (stat.size > bytesMax) throw refused(path, `is larger than ${bytesMax} bytes`)
}

/** Without the parser's own message or cause: they quote the text around the mistake. */
function parseJson(bytes: Uint8Array, path: string): unknown {
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown
  } catch {
    throw refused(path, 'is not JSON in UTF-8')
  }
}

const refused = (path: string, why: string): StorageError =>
  new StorageError('InvalidArgument', `The keyring ${path} ${why}.`)

function failed(path: string, cause: unknown): StorageError {
  if (cause instanceof StorageError) return cause
  const { code = 'an error' } = cause as NodeJS.ErrnoException
  return new StorageError('InvalidArgument', `Cannot write the keyring ${path}: ${code}.`, { cause })
}
