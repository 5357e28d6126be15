/** A keyring as a file that only its owner can read. */
import { randomBytes } from 'node:crypto'
import { StorageError } from '@varve/core'
import { isNoSuchFile, placePrivateJson, readPrivateJson } from '../files/private-file.ts'
import { type KeyMaterial, parseKeyMaterial } from './key-material.ts'
import { link, rename } from '../files/patient-files.ts'

const bytesMax = 1024 * 1024

/**
 * Modes are not checked on Windows, which has none.
 * @throws StorageError `InvalidArgument` when the file cannot be read, is open to others, or contains invalid keys
 */
export async function loadKeyringFile(path: string): Promise<KeyMaterial> {
  return parseKeyMaterial(await readPrivateJson(path, { name: 'keyring', bytesMax }), `The keyring ${path}`)
}

/** Like `loadKeyringFile`, but `undefined` when the file does not exist. */
export async function findKeyringFile(path: string): Promise<KeyMaterial | undefined> {
  return loadKeyringFile(path).catch((error: unknown) => {
    if (isNoSuchFile(error)) return undefined
    throw error
  })
}

/** Writes the file durably and atomically, with mode 0600. Returns false, without a change, if the file exists. */
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

/** Like `createKeyringFile`, but replaces an existing file. */
export async function replaceKeyringFile(path: string, material: KeyMaterial): Promise<void> {
  await withWritten(path, material, (temporary) => rename(temporary, path))
}

/** A random key. */
export const newKey = (): string => randomBytes(32).toString('base64')

async function withWritten<R>(
  path: string,
  material: KeyMaterial,
  place: (temporary: string) => Promise<R>,
): Promise<R> {
  try {
    return await placePrivateJson(path, material, place)
  } catch (error) {
    throw failed(path, error)
  }
}

function failed(path: string, cause: unknown): StorageError {
  if (cause instanceof StorageError) return cause
  const { code = 'an error' } = cause as NodeJS.ErrnoException
  return new StorageError('InvalidArgument', `Cannot write the keyring ${path}: ${code}.`, { cause })
}
