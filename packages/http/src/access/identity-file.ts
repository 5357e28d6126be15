import { type FileHandle, open } from 'node:fs/promises'
import { StorageError } from '@varve/core'
import { parseIdentities } from './identities.ts'
import type { Identity } from './identity.ts'

const bytesMax = 16 * 1024 * 1024
const groupAndOthers = 0o077
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Identities from a JSON file that only its owner can read (not checked on Windows, which has no such bits).
 * The file that is checked is the file that is read, whatever happens to its name meanwhile.
 * @throws InvalidArgument when the file cannot be read, is open to others, or does not hold good identities
 */
export async function loadIdentityFile(path: string): Promise<readonly Identity[]> {
  const file = await opened(path)
  try {
    await checkFile(file, path)
    return parseIdentities(parseJson(await file.readFile(), path))
  } finally {
    await file.close()
  }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r')
  } catch (cause) {
    const { code = 'an error' } = cause as NodeJS.ErrnoException
    throw new StorageError('InvalidArgument', `Cannot open the identity file ${path}: ${code}.`, { cause })
  }
}

async function checkFile(file: FileHandle, path: string): Promise<void> {
  const stat = await file.stat()
  if (!stat.isFile()) throw refused(path, 'is not a file')
  if (process.platform !== 'win32' && (stat.mode & groupAndOthers) !== 0) {
    const mode = (stat.mode & 0o777).toString(8).padStart(4, '0')
    throw refused(path, `is open to others (mode ${mode}) and holds secrets: chmod 600 it`)
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

function refused(path: string, why: string): StorageError {
  return new StorageError('InvalidArgument', `The identity file ${path} ${why}.`)
}
