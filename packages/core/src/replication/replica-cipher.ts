/**
 * Encrypts the files and blobs of a replica: as contents of a store, in chunks of 64 KiB, each with a key of its own. The key is derived
 * from the secret of the replica, the name, and a random salt, which is stored behind the chunks. So a file that is written again
 * under its name never uses a key twice, and no file can take the place of another.
 */
import { isStorageError } from '../base/errors.ts'
import { concatBytes } from '../bytes/bytes.ts'
import { brokenSeal, ChunkCipher, plainLength, sealedRange, tagLength } from '../encryption/chunk-cipher.ts'
import { openSealed } from '../encryption/opening.ts'
import { SealedBytes } from '../encryption/sealing.ts'
import { keyLength } from '../encryption/wrapping.ts'
import type { ByteRange, ByteSource, Ciphers, Hashing } from '../ports/index.ts'

const saltLength = 16

export interface ReplicaCipherPorts {
  readonly ciphers: Ciphers
  readonly hashing: Hashing
}

export class ReplicaCipher {
  readonly #ports: ReplicaCipherPorts
  readonly #secret: Uint8Array

  constructor(ports: ReplicaCipherPorts, secret: Uint8Array) {
    this.#ports = ports
    this.#secret = secret
  }

  /** What is stored for these bytes. */
  async *seal(name: string, source: ByteSource): ByteSource {
    const { ciphers, hashing } = this.#ports
    const salt = ciphers.random(saltLength)
    yield* new SealedBytes(this.#cipherOf(name, salt), hashing).of(source)
    yield salt
  }

  /** `size`: the number of stored bytes. */
  reader(name: string, size: number, read: ReadStored): SealedReader {
    return new SealedReader({ name, size, read, cipherOf: (salt) => this.#cipherOf(name, salt) })
  }

  #cipherOf(name: string, salt: Uint8Array): ChunkCipher {
    const { ciphers } = this.#ports
    return new ChunkCipher(ciphers, ciphers.derive(this.#secret, salt, `varve replica 1 ${name}`, keyLength))
  }
}

/** How many bytes are in a file of `stored` bytes. `undefined` for a number that no whole file has. */
export function plainBytesIn(stored: number): number | undefined {
  return stored === saltLength ? 0 : plainLength(stored - saltLength, tagLength)
}

/** Gives the stored bytes of a range. `undefined`: the file is gone. */
type ReadStored = (range: ByteRange) => Promise<Uint8Array | undefined>

interface SealedFile {
  readonly name: string
  readonly size: number
  readonly read: ReadStored
  cipherOf(salt: Uint8Array): ChunkCipher
}

/** Reads ranges of a file or blob, and keeps its key. */
export class SealedReader {
  /** The number of stored bytes. */
  readonly size: number
  readonly #file: SealedFile
  #cipher: ChunkCipher | undefined

  constructor(file: SealedFile) {
    this.#file = file
    this.size = file.size
  }

  /**
   * The plain bytes of a range that the file has. `undefined`: the file is gone.
   * @throws StorageError `BlobCorrupt` if they are not as they were written, also for another key
   */
  async read(range: ByteRange): Promise<Uint8Array | undefined> {
    if (range.start >= range.end) return new Uint8Array(0)
    const sealed = { id: this.#file.name, size: this.size - saltLength }
    const chunks = sealedRange(sealed, tagLength, range)
    const { start, end } = chunks.stored
    // The end of a file is mostly read first, and the salt is behind it.
    const hasSalt = this.#cipher === undefined && end === sealed.size
    const stored = await this.#file.read({ start, end: hasSalt ? this.size : end })
    if (stored === undefined) return undefined
    const cipher = (this.#cipher ??= hasSalt
      ? this.#file.cipherOf(stored.slice(end - start))
      : await this.#cipherAtEnd())
    if (cipher === undefined) return undefined
    const plain: Uint8Array[] = []
    for await (const bytes of openSealed(cipher, once(stored.subarray(0, end - start)), sealed, chunks))
      plain.push(bytes)
    const bytes = plain.length === 1 ? (plain[0] as Uint8Array) : concatBytes(plain)
    if (bytes.length !== range.end - range.start) throw brokenSeal(sealed)
    return bytes
  }

  async #cipherAtEnd(): Promise<ChunkCipher | undefined> {
    const salt = await this.#file.read({ start: this.size - saltLength, end: this.size })
    return salt && this.#file.cipherOf(salt.slice())
  }
}

async function* once(bytes: Uint8Array): ByteSource {
  yield bytes
}

/** Whether what was read is not what this replica has stored. */
export const isBroken = (error: unknown): boolean => isStorageError(error, 'BlobCorrupt')
