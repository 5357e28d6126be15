/** The files of a replica that is encrypted, as they are without that. Those with its secret are not among them. */
import type { ByteRange, ByteSource, ReplicaFile, ReplicaFiles } from '../ports/index.ts'
import { isBroken, plainBytesIn, type ReplicaCipher, type SealedReader } from './replica-cipher.ts'
import { replicaCorrupt } from './replica-corrupt.ts'
import { keyPrefix } from './replica-names.ts'

/** So many files are known by their sizes and keys. */
const knownMax = 10_000

export class EncryptedFiles implements ReplicaFiles {
  readonly #files: ReplicaFiles
  readonly #cipher: ReplicaCipher
  /** Those that were listed. */
  readonly #known = new Map<string, SealedReader>()

  constructor(files: ReplicaFiles, cipher: ReplicaCipher) {
    this.#files = files
    this.#cipher = cipher
  }

  create(name: string, source: ByteSource): Promise<boolean> {
    return this.#files.create(name, this.#cipher.seal(name, source))
  }

  /** @throws StorageError `ReplicaCorrupt` for a file that is damaged, or that has another key; what the medium throws */
  async read(name: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    if (range === undefined) return this.#whole(name)
    const known = this.#known.get(name)
    if (known !== undefined) {
      try {
        return await known.read(range)
      } catch (error) {
        if (!isBroken(error)) throw error
        // Another file may have its name now.
        this.#known.delete(name)
      }
    }
    for await (const file of this.list(name)) if (file.name === name) return this.#range(name, range)
    // It is not listed yet. Only files that were just written are not, and they are short.
    return (await this.#whole(name))?.slice(range.start, range.end)
  }

  async *list(prefix: string): AsyncGenerator<ReplicaFile> {
    for await (const { name, size } of this.#files.list(prefix)) {
      if (name.startsWith(keyPrefix)) continue
      this.#know(name, size)
      // A file that was cut off has no size of its own. Reading it tells.
      yield { name, size: plainBytesIn(size) ?? 0 }
    }
  }

  async delete(names: readonly string[]): Promise<void> {
    for (const name of names) this.#known.delete(name)
    await this.#files.delete(names)
  }

  #know(name: string, size: number): void {
    if (this.#known.get(name)?.size === size) return
    const reader = this.#cipher.reader(name, size, (range) => this.#files.read(name, range))
    this.#known.set(name, reader)
    const [oldest] = this.#known.keys()
    if (this.#known.size > knownMax && oldest !== undefined) this.#known.delete(oldest)
  }

  async #range(name: string, range: ByteRange): Promise<Uint8Array | undefined> {
    const reader = this.#known.get(name)
    return reader && checked(name, reader.size, () => reader.read(range))
  }

  async #whole(name: string): Promise<Uint8Array | undefined> {
    const stored = await this.#files.read(name)
    if (stored === undefined) return undefined
    const reader = this.#cipher.reader(name, stored.length, async ({ start, end }) => stored.subarray(start, end))
    return checked(name, stored.length, (size) => reader.read({ start: 0, end: size }))
  }
}

async function checked<T>(name: string, stored: number, read: (size: number) => Promise<T>): Promise<T> {
  const size = plainBytesIn(stored)
  if (size === undefined) throw replicaCorrupt('form', `The file ${name} of the replica was cut off.`, name)
  try {
    return await read(size)
  } catch (error) {
    if (!isBroken(error)) throw error
    throw replicaCorrupt('checksum', `The file ${name} of the replica is damaged, or has another key.`, name)
  }
}
