/**
 * The key that signs checkpoints of a log, in a file of the directory, with the last checkpoint that it signed: a copy of
 * the file that has the key also says what it has signed.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { ed25519PublicKey, signEd25519, verifyEd25519 } from '@varve/adapters'
import { isKeyName, type LogIdentity, type LogSigner, schema, StorageError } from '@varve/core'
import { isNoSuchFile, placePrivateJson, readPrivateJson } from './private-file.ts'
import { rename } from './patient-files.ts'

const { Mismatch, object, optional, text } = schema

const seedBytes = 32
const what = { name: 'key of the log', bytesMax: 1024 * 1024 }
const full: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])
const unwritable: ReadonlySet<string> = new Set(['EROFS', 'EACCES', 'EPERM'])

/** What the file has. */
export interface StoredLogKey {
  readonly origin: string
  /** The secret half, base64. */
  readonly seed: string
  /** The last note that the key has signed. */
  readonly last?: string
}

const fields = object<StoredLogKey>({ origin: text(), seed: text(), last: optional(text()) })

/** Reads and replaces what is stored of the key. A replacement is durable when it resolves. */
export interface LogKeyPlace {
  read(): Promise<StoredLogKey | undefined>
  write(key: StoredLogKey): Promise<void>
}

export const logKeyFile = (dir: string): string => join(dir, 'log-key.json')

/**
 * A file that is damaged, or that others can read, is never replaced: what the key has signed would be forgotten.
 * @throws StorageError (when it is used) `InvalidArgument` for such a file; `NoSpace`; `ReadOnly`
 */
export const fileLogSigner = (dir: string, storeId: string): LogSigner => logSigner(filePlace(logKeyFile(dir)), storeId)

/** As `fileLogSigner`, for a store that is open to be read alone: it shows the key that there is, and signs nothing. */
export function readOnlyLogSigner(dir: string, storeId: string): LogSigner {
  const { read } = filePlace(logKeyFile(dir))
  const write = (): Promise<void> =>
    Promise.reject(new StorageError('ReadOnly', 'The store is open to be read alone, and has no key for its log yet.'))
  const signer = logSigner({ read, write }, storeId)
  return { ...signer, sign: write as never, keep: write, renew: write as never }
}

/** The key of a store in memory. */
export function memoryLogSigner(storeId: string): LogSigner {
  let stored: StoredLogKey | undefined
  return logSigner(
    {
      read: async () => stored,
      write: async (key) => void (stored = key),
    },
    storeId,
  )
}

function logSigner(place: LogKeyPlace, storeId: string): LogSigner {
  let reading: Promise<StoredLogKey> | undefined
  const readOrMake = async (): Promise<StoredLogKey> => {
    const found = await place.read()
    return found ?? stored(newKey(`varve/${storeId}`))
  }
  const stored = async (key: StoredLogKey): Promise<StoredLogKey> => {
    await place.write(key)
    reading = Promise.resolve(key)
    return key
  }
  const current = (): Promise<StoredLogKey> => {
    reading ??= readOrMake().catch((error: unknown) => {
      reading = undefined
      throw error
    })
    return reading
  }
  return {
    identity: async () => identityOf(await current()),
    sign: async (message) => signEd25519(seedOf(await current()), message),
    last: async () => (await current()).last,
    async keep(last) {
      await stored({ ...(await current()), last })
    },
    async renew(origin) {
      const random = randomBytes(4).toString('hex')
      return identityOf(await stored(newKey(origin ?? `varve/${storeId}/${random}`)))
    },
    verify: verifyEd25519,
  }
}

const newKey = (origin: string): StoredLogKey => ({ origin, seed: randomBytes(seedBytes).toString('base64') })

const seedOf = ({ seed }: StoredLogKey): Uint8Array => new Uint8Array(Buffer.from(seed, 'base64'))

const identityOf = (key: StoredLogKey): LogIdentity => ({
  origin: key.origin,
  publicKey: ed25519PublicKey(seedOf(key)),
})

const filePlace = (path: string): LogKeyPlace => ({
  async read() {
    let json: unknown
    try {
      json = await readPrivateJson(path, what)
    } catch (error) {
      if (isNoSuchFile(error)) return undefined
      throw error
    }
    return checkedKey(path, json)
  },
  async write(key) {
    try {
      await placePrivateJson(path, key, (temporary) => rename(temporary, path))
    } catch (error) {
      throw unwritten(path, error)
    }
  },
})

function checkedKey(path: string, json: unknown): StoredLogKey {
  try {
    const key = fields.read(json)
    if (!isKeyName(key.origin)) throw new Mismatch('is no name of a log', ['origin'])
    if (seedOf(key).length !== seedBytes) throw new Mismatch('must be 32 bytes in base64', ['seed'])
    return key
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error
    const message = `The key of the log ${path} is damaged: ${error.path.join('.')} ${error.problem}.`
    const hint = 'Restore the file, or give the log a new key with `varve log-key --renew`.'
    throw new StorageError('InvalidArgument', message, { hint })
  }
}

function unwritten(path: string, cause: unknown): StorageError {
  const { code = 'an error' } = cause as NodeJS.ErrnoException
  if (full.has(code)) return new StorageError('NoSpace', 'There is no room for the key of the log.', { cause })
  if (unwritable.has(code)) return new StorageError('ReadOnly', 'The key of the log cannot be written.', { cause })
  return new StorageError('InvalidArgument', `Cannot write the key of the log ${path}: ${code}.`, { cause })
}
