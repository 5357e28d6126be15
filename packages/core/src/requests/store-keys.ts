/** The keys of the store: which key seals a write, which reads need a key, and how keys are rotated. */
import { DataKeys, checkCustomerKey, noSuchKeyName, sealedBy, type WrappingKey } from '../encryption/data-keys.ts'
import { readDataKey } from '../encryption/data-key-row.ts'
import { defaultKeyName, isDefaultKey } from '../encryption/default-key.ts'
import type { ChunkCipher } from '../encryption/chunk-cipher.ts'
import { Generations, keyUnavailable, type WrappedGeneration } from '../encryption/generations.ts'
import type { Sealing } from '../encryption/sealing.ts'
import { StorageError } from '../base/errors.ts'
import type { Actor, BlobRef, Seal } from '../events/index.ts'
import type { BlobId, Ciphers, Hashing, Ids, Keyring } from '../ports/index.ts'
import type { ObjectEncryption } from '../settings/encryption.ts'
import { committedRows } from '../views/row-reader.ts'
import type { KeyGenerationRow } from '../views/rows.ts'
import { keysKey } from '../views/tables.ts'
import type { LogService } from './log-service.ts'
import type { EncryptionRequest, ReadsFacts } from '../api/types/index.ts'

/** How the bytes of a write are encrypted. */
export interface Protection {
  /** The encryption that the object records. */
  readonly encryption: ObjectEncryption
  seal(blob: BlobId): Promise<Sealing>
  /** Whether content with this encryption and these seals has the protection that this would give it. */
  isThatOf(encryption: ObjectEncryption | undefined, seals: readonly (Seal | undefined)[]): boolean
}

interface KeyPorts {
  readonly hashing: Hashing
  readonly ids: Ids
  readonly ciphers?: Ciphers
  readonly keyring?: Keyring
}

export class StoreKeys {
  readonly #owner: LogService
  readonly #ports: KeyPorts
  readonly #generations: Generations | undefined
  readonly #dataKeys: DataKeys | undefined

  constructor(owner: LogService, ports: KeyPorts) {
    this.#owner = owner
    this.#ports = ports
    const { ciphers, hashing, keyring } = ports
    if (ciphers === undefined) return
    this.#generations = new Generations(ciphers, keyring)
    this.#dataKeys = new DataKeys({
      ciphers,
      hashing,
      keyring,
      generations: this.#generations,
      generation: async (number) => (await this.list()).find(({ generation }) => generation === number),
    })
  }

  /**
   * @throws StorageError `KMS.NotFoundException`, `InvalidArgument`; `NotImplemented` if there are no keys to encrypt
   * with.
   */
  async protect(request: EncryptionRequest, by: Actor): Promise<Protection> {
    const { mode } = request
    switch (mode) {
      case 'AES256':
        return this.#protection({ mode }, { mode, generation: await this.#newest(by) })
      case 'SSE-C': {
        const { key } = request
        checkCustomerKey(key)
        return this.#protection({ mode, proof: this.#keys().prove(key) }, { mode, key })
      }
      case 'aws:kms':
      case 'aws:kms:dsse': {
        return this.#protectByName(mode, request, by)
      }
    }
  }

  async #protectByName(
    mode: 'aws:kms' | 'aws:kms:dsse',
    { keyName: id = defaultKeyName, bucketKey }: { readonly keyName?: string; readonly bucketKey?: boolean },
    by: Actor,
  ): Promise<Protection> {
    const { keyring } = this.#ports
    const keyName = keyring?.has(id) !== true && isDefaultKey(id) ? defaultKeyName : id
    const encryption = { mode, keyName, ...(bucketKey && { bucketKey }) }
    if (keyring?.has(keyName) === true) return this.#protection(encryption, { mode, keyName })
    if (keyName !== defaultKeyName || keyring?.master === undefined) throw noSuchKeyName(keyName)
    return this.#protection(encryption, { mode, generation: await this.#newest(by) })
  }

  /**
   * The protection of a part, as its upload started it.
   * @throws StorageError `InvalidRequest` for another client key.
   */
  async protectPart(
    encryption: ObjectEncryption | undefined,
    customerKey: Uint8Array | undefined,
    by: Actor,
  ): Promise<Protection | undefined> {
    const own = encryption?.mode === 'SSE-C'
    if (own !== (customerKey !== undefined)) throw partWithoutItsKey()
    if (encryption === undefined) return undefined
    if (encryption.mode !== 'SSE-C') return this.protect(encryption as EncryptionRequest, by)
    const key = customerKey as Uint8Array
    this.checkSame(encryption, key)
    return this.#protection(encryption, { mode: 'SSE-C', key })
  }

  /** @throws StorageError `InvalidRequest` for another key than the one that the upload was created with. */
  checkSame(encryption: ObjectEncryption | undefined, customerKey: Uint8Array): void {
    checkCustomerKey(customerKey)
    if (this.#keys().isProved(encryption?.proof ?? '', customerKey)) return
    throw new StorageError(
      'InvalidRequest',
      'The provided encryption parameters did not match the ones used originally.',
    )
  }

  /** @throws StorageError `InvalidRequest` for a missing or needless key, `AccessDenied` for the wrong key. */
  checkReader(encryption: ObjectEncryption | undefined, { customerKey, needsKey = false }: ReadsFacts): void {
    if (encryption?.mode !== 'SSE-C') {
      if (customerKey === undefined) return
      throw new StorageError('InvalidRequest', 'The encryption parameters are not applicable to this object.')
    }
    if (customerKey === undefined) {
      if (needsKey) throw keyNeeded()
      return
    }
    checkCustomerKey(customerKey)
    if (!this.#keys().isProved(encryption.proof ?? '', customerKey)) throw wrongKey()
  }

  /** @throws StorageError `KeyUnavailable`, `KMS.NotFoundException`, `RowCorrupt`, `BlobCorrupt`. */
  async unseal(sealed: Seal, blob: BlobRef, customerKey: Uint8Array | undefined): Promise<ChunkCipher> {
    if (this.#dataKeys === undefined) throw keyUnavailable(sealed.key ?? sealed.mode)
    const wrapped = await readDataKey(this.#ports.hashing, this.#owner.log, { blob, sealed })
    return this.#dataKeys.unseal(sealed, { blob, wrapped }, customerKey)
  }

  /** The existing generations, oldest first. */
  async list(): Promise<readonly KeyGenerationRow[]> {
    const row = await this.#owner.withSnapshot((rows) => committedRows(rows, this.#ports.hashing).get(keysKey))
    return row?.generations ?? []
  }

  /** Wraps every generation in the current master key, and adds a new generation for later writes. */
  async rotate(by: Actor): Promise<readonly KeyGenerationRow[]> {
    const generations = this.#generations
    if (generations === undefined) throw noCiphers()
    const before = await this.list()
    // Rewrap before any commit: if one generation cannot be rewrapped, none is changed.
    const rewrapped = await Promise.all(before.map((row) => generations.rewrap(row)))
    for (const [i, row] of rewrapped.entries()) {
      const data = { ...row, replaces: (before[i] as KeyGenerationRow).wrapped }
      await this.#owner.submit({ type: 'RewrapKeyGeneration', data, meta: { by, requestId: this.#ports.ids.next() } })
    }
    await this.#add(await generations.make(before.length + 1), by)
    return this.list()
  }

  async #newest(by: Actor): Promise<KeyGenerationRow> {
    const keys = this.#generations
    if (keys === undefined) throw noCiphers()
    const newest = (await this.list()).at(-1)
    if (newest !== undefined) return newest
    await this.#add(await keys.make(1), by)
    return (await this.list()).at(-1) as KeyGenerationRow
  }

  async #add(data: WrappedGeneration, by: Actor): Promise<void> {
    await this.#owner.submit({ type: 'AddKeyGeneration', data, meta: { by, requestId: this.#ports.ids.next() } })
  }

  #protection(encryption: ObjectEncryption, by: WrappingKey): Protection {
    const keys = this.#keys()
    return {
      encryption,
      seal: (blob) => keys.seal(by, blob),
      isThatOf(other, seals) {
        if (other?.mode !== by.mode) return false
        if (by.mode === 'SSE-C') return keys.isProved(other.proof ?? '', by.key)
        const { key, generation } = sealedBy(by)
        return seals.every((sealed) => sealed?.key === key && sealed?.generation === generation)
      },
    }
  }

  #keys(): DataKeys {
    if (this.#dataKeys === undefined) throw noCiphers()
    return this.#dataKeys
  }
}

const noCiphers = (): StorageError => new StorageError('NotImplemented', 'This store was made without ciphers.')

const partWithoutItsKey = (): StorageError =>
  new StorageError(
    'InvalidRequest',
    'The multipart upload initiate requested encryption. Subsequent part requests must include the appropriate encryption parameters.',
  )

const keyNeeded = (): StorageError =>
  new StorageError(
    'InvalidRequest',
    'The object was stored using a form of Server Side Encryption. The correct parameters must be provided to retrieve the object.',
  )

const wrongKey = (): StorageError =>
  new StorageError(
    'AccessDenied',
    'Requests specifying Server Side Encryption with Customer provided keys must provide the correct secret key.',
  )
