/** Encrypts plain bytes while they are written. Size and checksums of the blob are those of the sealed bytes. */
import { CrcChunks } from '../bytes/crc-chunks.ts'
import type { ByteSource, Hashing } from '../ports/index.ts'
import type { Seal } from '../events/index.ts'
import { chunkBytes, type ChunkCipher } from './chunk-cipher.ts'

/** A data key of one blob: wrapped, and as a cipher. */
export interface Sealing {
  readonly sealed: Seal
  readonly wrapped: Uint8Array
  readonly cipher: ChunkCipher
}

export class SealedBytes {
  readonly #cipher: ChunkCipher
  readonly #crcs: CrcChunks
  readonly #chunk = new Uint8Array(chunkBytes)
  #filled = 0
  #index = 0
  #size = 0

  constructor(cipher: ChunkCipher, hashing: Hashing) {
    this.#cipher = cipher
    this.#crcs = new CrcChunks(hashing)
  }

  /** Seals all bytes of the source. Call this or `seal`, once. */
  async *of(source: ByteSource): ByteSource {
    for await (const bytes of source) yield* this.#take(bytes)
    if (this.#filled > 0) yield this.#close(true)
  }

  seal(bytes: Uint8Array): readonly Uint8Array[] {
    return [...this.#take(bytes), this.#close(true)]
  }

  /** Size and CRCs of the sealed bytes. Call it once. */
  finish(): { readonly size: number; readonly crcs: string } {
    return { size: this.#size, crcs: this.#crcs.finish() }
  }

  /** A full chunk is kept until more bytes come, because only then it is known not to be the last. */
  *#take(bytes: Uint8Array): Iterable<Uint8Array> {
    for (let at = 0; at < bytes.length; ) {
      if (this.#filled === chunkBytes) yield this.#close(false)
      const piece = bytes.subarray(at, at + chunkBytes - this.#filled)
      this.#chunk.set(piece, this.#filled)
      this.#filled += piece.length
      at += piece.length
    }
  }

  #close(isLast: boolean): Uint8Array {
    const sealed = this.#cipher.seal(this.#chunk.subarray(0, this.#filled), this.#index++, isLast)
    this.#filled = 0
    this.#size += sealed.length
    this.#crcs.update(sealed)
    return sealed
  }
}
