/** Sealed bytes on their way out become the plain ones again. Chunks that are not what was sealed give none. */
import { concatBytes } from '../bytes/bytes.ts'
import type { BlobRef } from '../events/index.ts'
import type { ByteSource } from '../ports/index.ts'
import { brokenSeal, chunkBytes, type ChunkCipher, type SealedRange } from './chunk-cipher.ts'

/**
 * What is wanted of the chunks, from the bytes of `range.stored`. Of each piece of them that comes, all that is whole is given out
 * at once; the piece is no longer used when the next is requested.
 * @throws StorageError `BlobCorrupt`, before any byte of the chunk in question.
 */
export async function* openSealed(
  cipher: ChunkCipher,
  source: ByteSource,
  blob: BlobRef,
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
  readonly #blob: BlobRef
  readonly #range: SealedRange
  readonly #begun: Uint8Array
  #filled = 0
  #index: number
  /** Of what is wanted: how far the chunks that were opened go. */
  #at = 0
  /** How many sealed bytes there are from here to the end of the blob. */
  #left: number

  constructor(cipher: ChunkCipher, blob: BlobRef, range: SealedRange) {
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
