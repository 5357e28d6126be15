/** CRC-32 of each 1 MiB run of a stream, so that any range can later be checked separately. */
import { fromBase64, toBase64 } from './base64.ts'
import type { Hashing } from '../ports/index.ts'
import { combineCrcs } from './combine-crc.ts'

/** The length of a run in bytes. A range can be checked by reading only its runs. */
export const crcChunkBytes = 1024 * 1024

export class CrcChunks {
  readonly #hashing: Hashing
  readonly #finished: number[] = []
  #open = 0
  #filled = 0
  #lastSize = 0

  constructor(hashing: Hashing) {
    this.#hashing = hashing
  }

  update(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + crcChunkBytes - this.#filled)
      this.#open = this.#hashing.crc32(piece, this.#open)
      this.#filled += piece.length
      at += piece.length
      if (this.#filled === crcChunkBytes) this.#close()
    }
  }

  /** The CRCs of all runs: four big-endian bytes per run, base64. */
  finish(): string {
    if (this.#filled > 0) this.#close()
    return toBase64(this.#bytes())
  }

  /** The big-endian CRC of the whole stream, combined from the runs. Call it after `finish`. */
  whole(): Uint8Array {
    const bytes = this.#bytes()
    const last = this.#finished.length - 1
    const pieces = this.#finished.map((_, i) => ({
      digest: bytes.subarray(i * 4, i * 4 + 4),
      size: i < last ? crcChunkBytes : this.#lastSize,
    }))
    return combineCrcs('CRC32', pieces)
  }

  #bytes(): Uint8Array {
    const view = new DataView(new ArrayBuffer(this.#finished.length * 4))
    this.#finished.forEach((crc, i) => view.setUint32(i * 4, crc))
    return new Uint8Array(view.buffer)
  }

  #close(): void {
    this.#finished.push(this.#open)
    this.#lastSize = this.#filled
    this.#open = 0
    this.#filled = 0
  }
}

/** The CRCs in the text that `finish` returned. */
export function parseCrcs(crcs: string): readonly number[] {
  const bytes = fromBase64(crcs) ?? new Uint8Array()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(i * 4))
}
