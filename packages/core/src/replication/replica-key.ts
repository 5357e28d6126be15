/**
 * The secret of a replica that is encrypted. The replica has it wrapped by a master key of the keyring, in a file that is not encrypted.
 * When the keyring has another master key, the writer wraps the secret again, in the next file.
 */
import { StorageError } from '../base/errors.ts'
import { fromBase64, toBase64 } from '../bytes/base64.ts'
import { keyLength } from '../encryption/wrapping.ts'
import type { Ciphers, Keyring, ReplicaFiles } from '../ports/index.ts'
import { integer, text } from '../schema/scalars.ts'
import type { Schema } from '../schema/schema.ts'
import { object } from '../schema/structures.ts'
import { createDocument, readDocument, replicaFormat } from './replica-files-json.ts'
import { keyName, termName } from './replica-names.ts'

export interface ReplicaKeys {
  readonly files: ReplicaFiles
  readonly ciphers: Ciphers
  readonly keyring: Keyring | undefined
}

interface KeyFile {
  readonly format: number
  /** The id of the master key. */
  readonly master: string
  /** Base64. */
  readonly wrapped: string
}

const keyFile: Schema<KeyFile> = object<KeyFile>({
  format: integer({ min: 1 }),
  master: text({ min: 1, max: 1024 }),
  wrapped: text({ min: 1, max: 4096 }),
})

const context = 'replica'

/**
 * `undefined` for a replica that is not encrypted.
 * @throws StorageError `KeyUnavailable` if the keyring has none of its keys; `ReplicaCorrupt`, `UnsupportedFormat`; what the medium throws
 */
export async function findReplicaSecret(keys: ReplicaKeys): Promise<Uint8Array | undefined> {
  const found = await keyFiles(keys.files)
  return found.length === 0 ? undefined : unwrapped(keys, found)
}

/**
 * For the writer: the secret of a replica that is to be encrypted, which is made if the replica is new.
 * @throws StorageError `InvalidArgument` for a replica that was begun without encryption; as `findReplicaSecret`
 */
export async function ensureReplicaSecret(keys: ReplicaKeys): Promise<Uint8Array> {
  const found = await keyFiles(keys.files)
  if (found.length === 0) return begin(keys)
  const secret = await unwrapped(keys, found)
  const master = keys.keyring?.master
  // Of several writers that do this at once one wins, and the next opening looks again.
  if (master !== undefined && found.at(-1)?.master !== master) await wrapIn(keys, master, secret, found.length + 1)
  return secret
}

async function begin(keys: ReplicaKeys): Promise<Uint8Array> {
  const { files, ciphers, keyring } = keys
  if ((await files.read(termName(1))) !== undefined) throw begunPlain()
  if (keyring?.master === undefined) throw noKey(keyring)
  const secret = ciphers.random(keyLength)
  if (await wrapIn(keys, keyring.master, secret, 1)) return secret
  return unwrapped(keys, await keyFiles(files))
}

async function wrapIn({ files, keyring }: ReplicaKeys, master: string, secret: Uint8Array, number: number) {
  if (keyring === undefined) throw noKey(keyring)
  const wrapped = toBase64(await keyring.wrap({ master }, secret, context))
  return createDocument(files, keyName(number), { format: replicaFormat, master, wrapped })
}

/** Without a listing, which can be late. */
async function keyFiles(files: ReplicaFiles): Promise<readonly KeyFile[]> {
  const found: KeyFile[] = []
  for (let number = 1; ; number++) {
    const file = await readDocument(files, keyName(number), keyFile)
    if (file === undefined) return found
    found.push(file)
  }
}

async function unwrapped({ keyring }: ReplicaKeys, found: readonly KeyFile[]): Promise<Uint8Array> {
  for (const { master, wrapped } of found.toReversed()) {
    const bytes = fromBase64(wrapped)
    const secret = bytes && (await keyring?.unwrap({ master }, bytes, context))
    if (secret?.length === keyLength) return secret
  }
  throw noKey(keyring)
}

function noKey(keyring: Keyring | undefined): StorageError {
  const lack = keyring === undefined ? 'no keyring was given' : 'the keyring has no key of it'
  return new StorageError(
    'KeyUnavailable',
    `The replica is encrypted, and ${lack}: give the one that it is written with (keyring, --keyring).`,
    {
      hint: 'Give the keyring that the replica is written with, with `keyring` or `--keyring`.',
    },
  )
}

const begunPlain = (): StorageError =>
  new StorageError('InvalidArgument', 'The replica was begun without encryption.', {
    hint: 'Begin another replica: see `docs/replicas.md`.',
    details: { ArgumentName: 'encrypt' },
  })
