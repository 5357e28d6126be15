/** Decrypts sealed bytes while they are read. A chunk that was changed gives no bytes. */
import { concatBytes } from '../bytes/bytes.ts'
import type { BlobRef } from '../events/index.ts'
import type { ByteSource } from '../ports/index.ts'
import { brokenSeal, chunkBytes, type ChunkCipher, type SealedRange } from './chunk-cipher.ts'

type SealedBlob = Pick<BlobRef, 'id' | 'size'>

/**
 * The wanted plain bytes from the bytes of `range.stored`. After each piece, all complete chunks are given out at once.
 * A piece is no longer used when the next one is requested.
 * @throws StorageError `BlobCorrupt`, before any byte of the affected chunk.
 */
export async function* openSealed(
  cipher: ChunkCipher,
  source: ByteSource,
  blob: SealedBlob,
  range: SealedRange,
): ByteSource {
  const opened = new OpenedBytes(cipher, blob, range)
  for await (const piece of source) {
    const plain = opened.take(piece)
    if (plain.length > 0) yield plain
  }
}

class OpenedBytes {
  readonly #cipher: ChunkCipher
  readonly #blob: SealedBlob
  readonly #range: SealedRange
  readonly #begun: Uint8Array
  #filled = 0
  #index: number
  /** How many plain bytes were decrypted, counted like `wanted`. */
  #at = 0
  /** How many sealed bytes remain until the end of the blob. */
  #left: number

  constructor(cipher: ChunkCipher, blob: SealedBlob, range: SealedRange) {
    this.#cipher = cipher
    this.#blob = blob
    this.#range = range
    this.#begun = new Uint8Array(chunkBytes + cipher.overhead)
    this.#index = range.first
    this.#left = blob.size - range.stored.start
  }

  take(piece: Uint8Array): Uint8Array {
    const plain: Uint8Array[] = []
    for (let at = 0; at < piece.length; ) {
      const size = Math.min(this.#begun.length, this.#left)
      const rest = piece.subarray(at, at + size - this.#filled)
      at += rest.length
      if (this.#filled + rest.length < size) {
        this.#begun.set(rest, this.#filled)
        this.#filled += rest.length
      } else plain.push(this.#open(this.#whole(rest)))
    }
    return plain.length === 1 ? (plain[0] as Uint8Array) : concatBytes(plain)
  }

  #whole(rest: Uint8Array): Uint8Array {
    if (this.#filled === 0) return rest
    this.#begun.set(rest, this.#filled)
    const size = this.#filled + rest.length
    this.#filled = 0
    return this.#begun.subarray(0, size)
  }

  #open(sealed: Uint8Array): Uint8Array {
    const { last, wanted } = this.#range
    const plain = this.#cipher.open(sealed, this.#index, this.#index === last)
    if (plain === undefined) throw brokenSeal(this.#blob)
    this.#index++
    this.#left -= sealed.length
    const [start, end] = [Math.max(wanted.start - this.#at, 0), wanted.end - this.#at]
    this.#at += plain.length
    return plain.subarray(start, end)
  }
}
