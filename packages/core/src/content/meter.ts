/** Counts and hashes bytes on their way in, each digest once: long bodies on another thread, if one is free. */
import { StorageError } from '../base/errors.ts'
import { limits } from '../base/limits.ts'
import type { CryptographicAlgorithm, Digest, DigestAlgorithm, DigestsBeside, Hashing } from '../ports/index.ts'
import { CrcChunks } from '../bytes/crc-chunks.ts'

type Digests = ReadonlyMap<DigestAlgorithm, Uint8Array>

export interface Measured {
  readonly size: number
  readonly digests: Digests
  /** Of each run of 1 MiB: see `CrcChunks`. */
  readonly crcs: string
}

export class Meter {
  readonly #algorithms: readonly DigestAlgorithm[]
  /** Made here. */
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
   * Counts a chunk in. A promise: it must resolve before the next, and before the chunk's buffer is filled again.
   * @throws StorageError `EntityTooLarge` past 5 GiB
   */
  take(chunk: Uint8Array): Promise<void> | undefined {
    this.#size += chunk.length
    if (this.#size > limits.uploadSizeMax) throw tooLarge()
    const taken = this.#beside?.update(chunk)
    // The error reaches the code that awaits it, which may come later.
    taken?.catch(() => undefined)
    this.#crcs.update(chunk)
    for (const digest of this.#own.values()) digest.update(chunk)
    return taken
  }

  /** No more will come: what is made elsewhere can be finished meanwhile. */
  end(): void {
    this.#made ??= this.#beside?.finish()
    this.#made?.catch(() => undefined)
  }

  /** Call once. */
  async finish(): Promise<Measured> {
    this.end()
    const crcs = this.#crcs.finish()
    const digests = new Map<DigestAlgorithm, Uint8Array>(this.#made && (await this.#made))
    for (const [algorithm, digest] of this.#own) digests.set(algorithm, digest.finish())
    // It is in the runs already.
    if (this.#algorithms.includes('CRC32')) digests.set('CRC32', this.#crcs.whole())
    return { size: this.#size, digests, crcs }
  }

  /** Lets go of what others hold for it. Nothing happens when it is finished. */
  abandon(): void {
    this.#beside?.abandon()
  }
}

const isCryptographic = (algorithm: DigestAlgorithm): algorithm is CryptographicAlgorithm =>
  !algorithm.startsWith('CRC') && !algorithm.startsWith('XXHASH')

export const tooLarge = (): StorageError =>
  new StorageError('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size', {
    details: { MaxSizeAllowed: limits.uploadSizeMax },
  })
