/** A blob on its way in, whole in memory as long as it is small, behind the room that its header will take. */
import { headerBytes } from './record-format.ts'

/** Bytes that all writers together may hold. */
export interface ByteBudget {
  /** False when there are not so many left. */
  take(bytes: number): boolean
  give(bytes: number): void
}

export function byteBudget(max: number): ByteBudget {
  let left = max
  return {
    take(bytes) {
      if (bytes > left) return false
      left -= bytes
      return true
    },
    give(bytes) {
      left += bytes
    },
  }
}

const firstBytes = 16 * 1024

export class GatheredBytes {
  readonly #budget: ByteBudget
  readonly #max: number
  #buffer = Buffer.alloc(0)
  #filled = headerBytes

  /** Takes blobs of at most `max` bytes. */
  constructor(budget: ByteBudget, max: number) {
    this.#budget = budget
    this.#max = max + headerBytes
  }

  /** Takes a copy of the chunk; false, having taken nothing, when it is too much. */
  add(chunk: Uint8Array): boolean {
    if (!this.#ensure(this.#filled + chunk.length)) return false
    this.#buffer.set(chunk, this.#filled)
    this.#filled += chunk.length
    return true
  }

  /** The room and the bytes; `undefined` when there was no memory even for that. */
  record(): Buffer | undefined {
    return this.#ensure(this.#filled) ? this.#buffer.subarray(0, this.#filled) : undefined
  }

  /** The bytes so far. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(headerBytes, this.#filled)
  }

  /** Gives back what it holds. Idempotent. */
  release(): void {
    this.#budget.give(this.#buffer.length)
    this.#buffer = Buffer.alloc(0)
    this.#filled = headerBytes
  }

  #ensure(length: number): boolean {
    const held = this.#buffer.length
    if (length <= held) return true
    if (length > this.#max) return false
    const wanted = Math.min(this.#max, Math.max(length, 2 * held, firstBytes))
    if (!this.#budget.take(wanted - held)) return false
    const grown = Buffer.allocUnsafeSlow(wanted)
    grown.set(this.#buffer)
    this.#buffer = grown
    return true
  }
}
