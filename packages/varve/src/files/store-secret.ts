/** The secret of a store in a directory, in a file beside its keyring. The ids of its uploads are made with it. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Secret, StorageError } from '@varve/core'
import { isNoSuchFile, placePrivateJson, placeUnlessTaken, readPrivateJson } from './private-file.ts'
import { rename } from './patient-files.ts'

const secretBytes = 32
const what = { name: 'secret of the store', bytesMax: 1024 }
const full: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])
const unwritable: ReadonlySet<string> = new Set(['EROFS', 'EACCES', 'EPERM'])

const secretFile = (dir: string): string => join(dir, 'secret.json')

/**
 * The secret is created when it is first needed, with mode 0600. All processes that share the directory get the same
 * one. A secret that is damaged, or that others could read, is replaced: open uploads then get other ids, which
 * listings show. If the directory is not writable, the secret lasts only as long as this process.
 * @throws StorageError (when it is read) `NoSpace`, `InvalidArgument` for a file that cannot be read or created
 */
export function storeSecret(dir: string): Secret {
  let reading: Promise<Uint8Array> | undefined
  return {
    read() {
      reading ??= readOrMake(secretFile(dir)).catch((error: unknown) => {
        reading = undefined
        throw error
      })
      return reading
    },
  }
}

/** For a store that is not written to. Without a usable file, the secret lasts only as long as this process. */
export function foundSecret(dir: string): Secret {
  let reading: Promise<Uint8Array> | undefined
  const read = async (): Promise<Uint8Array> => {
    const found = await find(secretFile(dir))
    return found instanceof Uint8Array ? found : new Uint8Array(randomBytes(secretBytes))
  }
  return { read: () => (reading ??= read()) }
}

/** Copies the secret to the directory of a store without one, so that the ids of open uploads stay valid there. */
export async function bringSecret(dir: string, into: string): Promise<void> {
  const secret = await find(secretFile(dir))
  if (secret instanceof Uint8Array) await placeSecret(into, secret)
}

/** Gives the secret to the directory of a store without one. */
export async function placeSecret(dir: string, secret: Uint8Array): Promise<void> {
  await write(secretFile(dir), secret, placeUnlessTaken)
}

async function readOrMake(path: string): Promise<Uint8Array> {
  const found = await find(path)
  if (found instanceof Uint8Array) return found
  const made = new Uint8Array(randomBytes(secretBytes))
  try {
    await write(path, made, found === 'missing' ? placeUnlessTaken : rename)
  } catch (error) {
    const { code = 'an error' } = error as NodeJS.ErrnoException
    if (unwritable.has(code)) return made
    if (full.has(code))
      throw new StorageError('NoSpace', 'There is no room for the secret of the store.', { cause: error })
    throw new StorageError('InvalidArgument', `Cannot write the secret of the store ${path}: ${code}.`, {
      cause: error,
    })
  }
  // If several processes create the secret at once, the first one counts.
  const placed = await find(path)
  if (placed instanceof Uint8Array) return placed
  throw new StorageError('InvalidArgument', `The secret of the store ${path} came and went.`)
}

async function find(path: string): Promise<Uint8Array | 'missing' | 'unusable'> {
  let json: unknown
  try {
    json = await readPrivateJson(path, what)
  } catch (error) {
    if (isNoSuchFile(error)) return 'missing'
    // An error with a cause means that the file could not be opened. Its content may be valid.
    if (!(error instanceof StorageError) || error.cause !== undefined) throw error
    return 'unusable'
  }
  const { secret } = (json ?? {}) as { readonly secret?: unknown }
  const bytes = typeof secret === 'string' ? new Uint8Array(Buffer.from(secret, 'base64')) : undefined
  return bytes?.length === secretBytes ? bytes : 'unusable'
}

const write = (
  path: string,
  secret: Uint8Array,
  place: (from: string, to: string) => Promise<unknown>,
): Promise<unknown> =>
  placePrivateJson(path, { secret: Buffer.from(secret).toString('base64') }, (temporary) => place(temporary, path))
