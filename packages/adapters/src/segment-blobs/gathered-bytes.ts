/** An incoming blob, whole in memory as long as it is small, after the space for its header. */
import { headerBytes } from './format/record-format.ts'

/** Memory that all writers share. */
export interface GatherMemory {
  /** A buffer of this size with undefined content; `undefined` when too little memory is left. */
  take(bytes: number): Buffer | undefined
  give(buffer: Buffer): void
}

/** Returned buffers are kept for reuse: new memory costs more than copying into it. */
const idleMax = 8 * 1024 * 1024

export function gatherMemory(max: number): GatherMemory {
  const idle = new Map<number, Buffer[]>()
  let idleBytes = 0
  let left = max
  return {
    take(bytes) {
      if (bytes > left) return undefined
      left -= bytes
      const kept = idle.get(bytes)?.pop()
      if (kept !== undefined) idleBytes -= bytes
      return kept ?? Buffer.allocUnsafeSlow(bytes)
    },
    give(buffer) {
      left += buffer.length
      if (buffer.length === 0 || idleBytes + buffer.length > idleMax) return
      idleBytes += buffer.length
      const kept = idle.get(buffer.length)
      if (kept === undefined) idle.set(buffer.length, [buffer])
      else kept.push(buffer)
    },
  }
}

const nothing = Buffer.alloc(0)
const firstBytes = 16 * 1024

export class GatheredBytes {
  readonly #memory: GatherMemory
  readonly #max: number
  #buffer: Buffer = nothing
  #filled = headerBytes

  /** Takes blobs of at most `max` bytes. */
  constructor(memory: GatherMemory, max: number) {
    this.#memory = memory
    this.#max = max + headerBytes
  }

  /** Copies the chunk. False, without copying anything, when the blob would be too large. */
  add(chunk: Uint8Array): boolean {
    if (!this.#ensure(this.#filled + chunk.length)) return false
    this.#buffer.set(chunk, this.#filled)
    this.#filled += chunk.length
    return true
  }

  /** The space for the header and the bytes; `undefined` when there was no memory even for that. */
  record(): Buffer | undefined {
    return this.#ensure(this.#filled) ? this.#buffer.subarray(0, this.#filled) : undefined
  }

  /** The bytes so far. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(headerBytes, this.#filled)
  }

  /** Returns its buffer. Idempotent. */
  release(): void {
    this.#memory.give(this.#buffer)
    this.#buffer = nothing
    this.#filled = headerBytes
  }

  #ensure(length: number): boolean {
    const held = this.#buffer
    if (length <= held.length) return true
    if (length > this.#max) return false
    const grown = this.#memory.take(Math.min(this.#max, sizeFor(length)))
    if (grown === undefined) return false
    grown.set(held)
    this.#memory.give(held)
    this.#buffer = grown
    return true
  }
}

/** Only few sizes, so that a buffer also fits later blobs. */
const sizeFor = (length: number): number => Math.max(firstBytes, 2 ** Math.ceil(Math.log2(length)))
