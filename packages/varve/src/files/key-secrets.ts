/**
 * The secrets of access keys of a store in a directory: a private file for each key, sealed with the secret of the store and
 * bound to the id of the key. A copy of the log, or of one of these files, reveals no secret.
 */
import { createHash, randomInt } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeCiphers } from '@varve/adapters'
import { type AccessKeyPair, type KeySecrets, type Secret, StorageError, unwrapSecret, wrapSecret } from '@varve/core'
import { isNoSuchFile, placePrivateJson, placeUnlessTaken, readPrivateJson } from './private-file.ts'
import { copyFile, mkdir, readdir, rm } from './patient-files.ts'

const folderName = 'access-keys'
const extension = '.json'
const what = { name: 'secret of an access key', bytesMax: 4096 }
/** How long the secret of an unknown key stays: a command that adds the key may be in progress in another process. */
const unknownStaysMs = 10 * 60 * 1000

const upperAlphanumeric = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const alphanumeric = `${upperAlphanumeric}abcdefghijklmnopqrstuvwxyz`

const randomText = (length: number, alphabet: string): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

/** The key that seals the tokens of temporary credentials. */
export const tokenKeyOf = (secret: Uint8Array): Uint8Array =>
  nodeCiphers.derive(secret, new Uint8Array(), 'varve session tokens 1', 32)

/** A new pair in the form of AWS. */
export const newKeyPair = (): AccessKeyPair => ({
  accessKeyId: `AKIA${randomText(16, upperAlphanumeric)}`,
  secretAccessKey: randomText(40, alphanumeric),
})

/** Access key ids may differ in case alone, and be longer than names of files. */
const nameOf = (accessKeyId: string): string => createHash('sha256').update(accessKeyId, 'utf8').digest('hex')

const contextOf = (accessKeyId: string): string => `access key ${accessKeyId}`

export function keySecrets(dir: string, secret: Secret): KeySecrets {
  const folder = join(dir, folderName)
  const fileOf = (accessKeyId: string): string => join(folder, nameOf(accessKeyId) + extension)

  async function get(accessKeyId: string): Promise<string | undefined> {
    const sealed = await readSealed(fileOf(accessKeyId))
    if (sealed === undefined) return undefined
    const opened = unwrapSecret(nodeCiphers, await secret.read(), sealed, contextOf(accessKeyId))
    return opened && Buffer.from(opened).toString('utf8')
  }

  return {
    tokenKey: async () => tokenKeyOf(await secret.read()),
    make: newKeyPair,
    get,
    async put({ accessKeyId, secretAccessKey }) {
      const bytes = new Uint8Array(Buffer.from(secretAccessKey, 'utf8'))
      const sealed = wrapSecret(nodeCiphers, await secret.read(), bytes, contextOf(accessKeyId))
      const path = fileOf(accessKeyId)
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        const value = { sealed: Buffer.from(sealed).toString('base64') }
        if (await placePrivateJson(path, value, (temporary) => placeUnlessTaken(temporary, path))) return true
      } catch (cause) {
        throw unwritable(cause)
      }
      return (await get(accessKeyId)) === secretAccessKey
    },
    remove: (accessKeyId) => rm(fileOf(accessKeyId), { force: true }),
    async settle(active, revoked) {
      const names = await readdir(folder).catch(() => [])
      const [kept, ended] = [new Set([...active].map(nameOf)), new Set([...revoked].map(nameOf))]
      for (const name of names) {
        const id = name.split('.', 1)[0] as string
        const path = join(folder, name)
        if (name === id + extension && kept.has(id)) continue
        if (ended.has(id) || (await isOld(path))) await rm(path, { force: true })
      }
    },
  }
}

/** Copies the secrets to the directory of a store without any. They can be opened there with the same store secret. */
export async function bringKeySecrets(dir: string, into: string): Promise<void> {
  const names = await readdir(join(dir, folderName)).catch(() => [])
  if (names.length === 0) return
  await mkdir(join(into, folderName), { recursive: true, mode: 0o700 })
  for (const name of names) await copyFile(join(dir, folderName, name), join(into, folderName, name))
}

async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > unknownStaysMs
}

/** A damaged file counts as none: the key cannot be used, and its identity can get another one. */
async function readSealed(path: string): Promise<Uint8Array | undefined> {
  let json: unknown
  try {
    json = await readPrivateJson(path, what)
  } catch (error) {
    // An error with a cause means that the file could not be opened.
    if (error instanceof StorageError && (isNoSuchFile(error) || error.cause === undefined)) return undefined
    throw error
  }
  const { sealed } = (json ?? {}) as { readonly sealed?: unknown }
  return typeof sealed === 'string' ? new Uint8Array(Buffer.from(sealed, 'base64')) : undefined
}

function unwritable(cause: unknown): StorageError {
  const { code = 'an error' } = cause as NodeJS.ErrnoException
  const isFull = code === 'ENOSPC' || code === 'EDQUOT'
  return new StorageError(
    isFull ? 'NoSpace' : 'InvalidArgument',
    `Cannot store the secret of an access key: ${code}.`,
    {
      cause,
    },
  )
}
