/** Counts and hashes incoming bytes. Each digest is computed once, for long bodies on another thread if one is free. */
import { StorageError } from '../base/errors.ts'
import { limits } from '../base/limits.ts'
import type { CryptographicAlgorithm, Digest, DigestAlgorithm, DigestsBeside, Hashing } from '../ports/index.ts'
import { CrcChunks } from '../bytes/crc-chunks.ts'

type Digests = ReadonlyMap<DigestAlgorithm, Uint8Array>

export interface Measured {
  readonly size: number
  readonly digests: Digests
  /** The CRC of each 1 MiB run: see `CrcChunks`. */
  readonly crcs: string
}

export class Meter {
  readonly #algorithms: readonly DigestAlgorithm[]
  /** Digests computed on this thread. */
  readonly #own: ReadonlyMap<DigestAlgorithm, Digest>
  readonly #beside: DigestsBeside | undefined
  readonly #crcs: CrcChunks
  #made: Promise<Digests> | undefined
  #size = 0

  constructor(hashing: Hashing, algorithms: readonly DigestAlgorithm[], { long }: { readonly long: boolean }) {
    this.#algorithms = algorithms
    this.#crcs = new CrcChunks(hashing)
    this.#beside = long ? hashing.beside?.(algorithms.filter(isCryptographic)) : undefined
    const own = algorithms.filter((algorithm) =>
      isCryptographic(algorithm) ? this.#beside === undefined : algorithm !== 'CRC32',
    )
    this.#own = new Map(own.map((algorithm) => [algorithm, hashing.create(algorithm)]))
  }

  /**
   * Counts and hashes a chunk. Await a returned promise before the next chunk, and before the chunk's buffer is reused.
   * @throws StorageError `EntityTooLarge` past 5 GiB
   */
  take(chunk: Uint8Array): Promise<void> | undefined {
    this.#size += chunk.length
    if (this.#size > limits.uploadSizeMax) throw tooLarge()
    const taken = this.#beside?.update(chunk)
    // The code that awaits `taken` gets the error; it may do so later.
    taken?.catch(() => undefined)
    this.#crcs.update(chunk)
    for (const digest of this.#own.values()) digest.update(chunk)
    return taken
  }

  /** No more chunks follow: the other thread can finish its digests meanwhile. */
  end(): void {
    this.#made ??= this.#beside?.finish()
    this.#made?.catch(() => undefined)
  }

  /** Returns the results. Call it once. */
  async finish(): Promise<Measured> {
    this.end()
    const crcs = this.#crcs.finish()
    const digests = new Map<DigestAlgorithm, Uint8Array>(this.#made && (await this.#made))
    for (const [algorithm, digest] of this.#own) digests.set(algorithm, digest.finish())
    // The CRC-32 of the whole follows from those of the runs.
    if (this.#algorithms.includes('CRC32')) digests.set('CRC32', this.#crcs.whole())
    return { size: this.#size, digests, crcs }
  }

  /** Releases the other thread. No effect after `finish`. */
  abandon(): void {
    this.#beside?.abandon()
  }
}

/** Measures bytes that are there as a whole. Unlike a stream, they need no state of a digest. */
export function measureWhole(hashing: Hashing, algorithms: readonly DigestAlgorithm[], bytes: Uint8Array): Measured {
  const runs = new CrcChunks(hashing)
  runs.update(bytes)
  const crcs = runs.finish()
  const digests = new Map<DigestAlgorithm, Uint8Array>()
  for (const algorithm of algorithms) {
    digests.set(algorithm, algorithm === 'CRC32' ? runs.whole() : digestOf(hashing, algorithm, bytes))
  }
  return { size: bytes.length, digests, crcs }
}

function digestOf(hashing: Hashing, algorithm: DigestAlgorithm, bytes: Uint8Array): Uint8Array {
  if (hashing.digest !== undefined && isCryptographic(algorithm)) return hashing.digest(algorithm, bytes)
  const digest = hashing.create(algorithm)
  digest.update(bytes)
  return digest.finish()
}

const isCryptographic = (algorithm: DigestAlgorithm): algorithm is CryptographicAlgorithm =>
  !algorithm.startsWith('CRC') && !algorithm.startsWith('XXHASH')

export const tooLarge = (): StorageError =>
  new StorageError('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size', {
    details: { MaxSizeAllowed: limits.uploadSizeMax },
  })
