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
      const room = crcChunkBytes - this.#filled
      const piece = at === 0 && chunk.length <= room ? chunk : chunk.subarray(at, at + room)
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

  /** Without a view of a buffer: a buffer of its own costs more than all the rest for an object of one run. */
  #bytes(): Uint8Array {
    const bytes = new Uint8Array(this.#finished.length * 4)
    let at = 0
    for (const crc of this.#finished) {
      bytes[at++] = crc >>> 24
      bytes[at++] = crc >>> 16
      bytes[at++] = crc >>> 8
      bytes[at++] = crc
    }
    return bytes
  }

  #close(): void {
    this.#finished.push(this.#open)
    this.#lastSize = this.#filled
    this.#open = 0
    this.#filled = 0
  }
}

/** The text that `finish` returns for these bytes. */
export function crcsOf(hashing: Hashing, bytes: Uint8Array): string {
  const crcs = new CrcChunks(hashing)
  crcs.update(bytes)
  return crcs.finish()
}

/** The CRCs in the text that `finish` returned. */
export function parseCrcs(crcs: string): readonly number[] {
  const bytes = fromBase64(crcs) ?? new Uint8Array()
  const parsed: number[] = []
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const high = ((bytes[at] as number) << 8) | (bytes[at + 1] as number)
    const low = ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)
    parsed.push(high * 0x10000 + low)
  }
  return parsed
}
