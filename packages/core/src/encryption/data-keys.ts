/** Data keys: each blob has its own, which is stored wrapped in another key. */
import { fromBase64, toBase64 } from '../bytes/base64.ts'
import { StorageError } from '../base/errors.ts'
import type { BlobRef, Seal } from '../events/index.ts'
import type { BlobId, Ciphers, Hashing, Keyring } from '../ports/index.ts'
import type { EncryptionMode } from '../settings/encryption.ts'
import type { KeyGenerationRow } from '../views/rows.ts'
import { brokenSeal, ChunkCipher, secretLength } from './chunk-cipher.ts'
import { type Generations, keyUnavailable } from './generations.ts'
import type { Sealing } from './sealing.ts'
import { keyLength, unwrap, wrap } from './wrapping.ts'

/** The key that wraps a data key. */
export type WrappingKey =
  | { readonly mode: 'AES256'; readonly generation: KeyGenerationRow }
  | { readonly mode: 'aws:kms' | 'aws:kms:dsse'; readonly keyName: string }
  /** The default key of these modes, if the keyring has no key of that name. */
  | { readonly mode: 'aws:kms' | 'aws:kms:dsse'; readonly generation: KeyGenerationRow }
  | { readonly mode: 'SSE-C'; readonly key: Uint8Array }

export interface DataKeysOptions {
  readonly ciphers: Ciphers
  readonly hashing: Hashing
  readonly keyring: Keyring | undefined
  readonly generations: Generations
  readonly generation: (number: number) => Promise<KeyGenerationRow | undefined>
}

const noBytes = new Uint8Array()
const proofContext = 'proof'

export class DataKeys {
  readonly #options: DataKeysOptions

  constructor(options: DataKeysOptions) {
    this.#options = options
  }

  /** Creates a data key for a blob. */
  async seal(by: WrappingKey, blob: BlobId): Promise<Sealing> {
    const { ciphers, hashing } = this.#options
    const secret = ciphers.random(secretLength(by.mode))
    const wrapped = await this.#wrap(by, secret, contextOf(by.mode, blob))
    const sealed: Seal = { v: 1, mode: by.mode, ...sealedBy(by), keyCrc: hashing.crc32(wrapped) }
    return { sealed, wrapped, cipher: new ChunkCipher(ciphers, secret) }
  }

  /**
   * Unwraps the data key of a blob.
   * @throws StorageError `KeyUnavailable`, `KMS.NotFoundException`; `BlobCorrupt` when the wrapped key is damaged.
   */
  async unseal(
    sealed: Seal,
    { blob, wrapped }: { readonly blob: BlobRef; readonly wrapped: Uint8Array },
    customerKey: Uint8Array | undefined,
  ): Promise<ChunkCipher> {
    const secret = await this.#unwrap(sealed, wrapped, contextOf(sealed.mode, blob.id), customerKey)
    if (secret?.length !== secretLength(sealed.mode)) throw brokenSeal(blob)
    return new ChunkCipher(this.#options.ciphers, secret)
  }

  /** A proof that later distinguishes this key from any other. */
  prove(customerKey: Uint8Array): string {
    return toBase64(wrap(this.#options.ciphers, customerKey, noBytes, proofContext))
  }

  isProved(proof: string, customerKey: Uint8Array): boolean {
    const wrapped = fromBase64(proof)
    return wrapped !== undefined && unwrap(this.#options.ciphers, customerKey, wrapped, proofContext) !== undefined
  }

  async #wrap(by: WrappingKey, secret: Uint8Array, context: string): Promise<Uint8Array> {
    const { ciphers, keyring, generations } = this.#options
    if (by.mode === 'SSE-C') return wrap(ciphers, by.key, secret, context)
    if ('generation' in by) return wrap(ciphers, await generations.open(by.generation), secret, context)
    if (keyring?.has(by.keyName) !== true) throw noSuchKeyName(by.keyName)
    return keyring.wrap({ named: by.keyName }, secret, context)
  }

  async #unwrap(
    { mode, key = '', generation = mode === 'AES256' ? Number(key) : undefined }: Seal,
    wrapped: Uint8Array,
    context: string,
    customerKey: Uint8Array | undefined,
  ): Promise<Uint8Array | undefined> {
    const { ciphers, keyring, generations } = this.#options
    if (mode === 'SSE-C') return customerKey && unwrap(ciphers, customerKey, wrapped, context)
    if (generation !== undefined) {
      const row = await this.#options.generation(generation)
      if (row === undefined) throw keyUnavailable(`generation ${generation}`)
      return unwrap(ciphers, await generations.open(row), wrapped, context)
    }
    if (keyring?.has(key) !== true) throw noSuchKeyName(key)
    const secret = await keyring.unwrap({ named: key }, wrapped, context)
    if (secret === undefined) throw keyUnavailable(key)
    return secret
  }
}

/** @throws StorageError `InvalidArgument` unless the key is valid for AES-256. */
export function checkCustomerKey(key: Uint8Array): void {
  if (key instanceof Uint8Array && key.length === keyLength) return
  throw new StorageError('InvalidArgument', 'The secret key was invalid for the specified algorithm.', {
    details: { ArgumentName: 'x-amz-server-side-encryption' },
  })
}

export const noSuchKeyName = (name: string): StorageError =>
  new StorageError('KMS.NotFoundException', `Invalid keyId '${name}'`)

/** The fields of a seal that name its key: a client's own key has no name. */
export function sealedBy(by: WrappingKey): Pick<Seal, 'key' | 'generation'> {
  if (by.mode === 'SSE-C') return {}
  if ('keyName' in by) return { key: by.keyName }
  const { generation } = by.generation
  return by.mode === 'AES256' ? { key: String(generation) } : { generation }
}

const contextOf = (mode: EncryptionMode, blob: BlobId): string => `${mode} ${blob}`
