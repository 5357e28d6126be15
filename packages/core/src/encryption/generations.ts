/**
 * Key generations: a few keys between the master key, which is not stored here, and the data keys, one for every
 * content. Each is stored in the log, wrapped in a master key. A new master key only rewraps them and changes no
 * content.
 */
import { fromBase64, toBase64 } from '../bytes/base64.ts'
import { StorageError } from '../base/errors.ts'
import type { Ciphers, Keyring } from '../ports/index.ts'
import type { KeyGenerationRow } from '../views/rows.ts'
import { keyLength } from './wrapping.ts'

/** A generation that was just created or rewrapped, for the log. */
export interface WrappedGeneration {
  readonly generation: number
  /** The id of the master key that wraps it. */
  readonly master: string
  /** Base64. */
  readonly wrapped: string
}

export class Generations {
  readonly #ciphers: Ciphers
  readonly #keyring: Keyring | undefined
  readonly #opened = new Map<number, Uint8Array>()

  constructor(ciphers: Ciphers, keyring: Keyring | undefined) {
    this.#ciphers = ciphers
    this.#keyring = keyring
  }

  /** Creates a generation. @throws StorageError `NotImplemented` if there is no master key. */
  async make(generation: number): Promise<WrappedGeneration> {
    return this.#wrap(generation, this.#ciphers.random(keyLength))
  }

  /** Wraps a generation in the current master key. @throws StorageError as `make` and `open`. */
  async rewrap(row: KeyGenerationRow): Promise<WrappedGeneration> {
    return this.#wrap(row.generation, await this.open(row))
  }

  /** @throws StorageError `KeyUnavailable` */
  async open(row: KeyGenerationRow): Promise<Uint8Array> {
    const { generation, master } = row
    const opened = this.#opened.get(generation)
    if (opened !== undefined) return opened
    const wrapped = fromBase64(row.wrapped)
    const key = wrapped && (await this.#keyring?.unwrap({ master }, wrapped, contextOf(generation)))
    if (key === undefined) throw keyUnavailable(`master key ${master}`)
    this.#opened.set(generation, key)
    return key
  }

  async #wrap(generation: number, key: Uint8Array): Promise<WrappedGeneration> {
    const master = this.#keyring?.master
    if (this.#keyring === undefined || master === undefined) throw noMasterKey()
    const wrapped = await this.#keyring.wrap({ master }, key, contextOf(generation))
    return { generation, master, wrapped: toBase64(wrapped) }
  }
}

const contextOf = (generation: number): string => `generation ${generation}`

const noMasterKey = (): StorageError =>
  new StorageError('NotImplemented', 'This store was given no master key, so it cannot encrypt with keys of its own.')

/** `key` names the missing key. */
export const keyUnavailable = (key: string): StorageError =>
  new StorageError('KeyUnavailable', 'The key that these bytes are encrypted with is not in the keyring.', {
    details: { key },
  })
