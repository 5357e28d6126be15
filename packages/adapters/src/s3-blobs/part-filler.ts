/**
 * Gathers chunks of any size into parts of one size. A blob that is still short has a buffer that grows, so that many slow
 * writes hold little. A longer one waits for a place in memory that all writes share, once; it never waits for a second
 * one while it holds the first, so writes do not block each other.
 */
import { createHash, type Hash } from 'node:crypto'
import type { Turns } from '../system/turns.ts'

const firstBytes = 64 * 1024
/** Up to this size, a buffer needs no place. */
const shortBytes = 1024 * 1024

/** Bytes of a blob, and the SHA-256 that their request is signed with. */
export interface Part {
  readonly bytes: Uint8Array
  readonly sha256: string
}

export interface PartFillerOptions {
  readonly partBytes: number
  /** The most parts that are sent at once. */
  readonly partsAtOnce: number
  /** The places for buffers of `partBytes`. */
  readonly places: Turns
  readonly signal: AbortSignal
  /** Sends a part that is full while more bytes follow. The buffer is not used again before it resolves. */
  readonly send: (part: Part) => Promise<void>
}

export class PartFiller {
  readonly #options: PartFillerOptions
  readonly #sending = new Set<Promise<void>>()
  readonly #idle: Uint8Array[] = []
  #places = 0
  #buffer: Uint8Array
  #filled = 0
  #hash: Hash = createHash('sha256')
  #total = 0

  constructor(options: PartFillerOptions) {
    this.#options = options
    this.#buffer = new Uint8Array(Math.min(firstBytes, options.partBytes))
  }

  /** The number of bytes that were added. */
  get total(): number {
    return this.#total
  }

  /** The promise resolves when the chunk may be used again. @throws StorageError of a part that was not sent */
  add(chunk: Uint8Array): Promise<void> | undefined {
    this.#total += chunk.length
    const taken = this.#fill(chunk)
    return taken < chunk.length ? this.#addRest(chunk.subarray(taken)) : undefined
  }

  /** The bytes that were not sent; resolves when all others were sent. */
  async last(): Promise<Part> {
    await this.#sent()
    return this.#part()
  }

  /** Gives the places back. Call it when no part is being sent any more. */
  release(): void {
    for (; this.#places > 0; this.#places--) this.#options.places.give()
  }

  /** Resolves when no part is being sent, whatever the results. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#sending)
  }

  #fill(chunk: Uint8Array): number {
    const piece = chunk.subarray(0, this.#buffer.length - this.#filled)
    this.#buffer.set(piece, this.#filled)
    this.#hash.update(piece)
    this.#filled += piece.length
    return piece.length
  }

  async #addRest(chunk: Uint8Array): Promise<void> {
    for (let rest = chunk; rest.length > 0; rest = rest.subarray(this.#fill(rest))) {
      if (this.#buffer.length < this.#options.partBytes) await this.#grow()
      else if (this.#filled === this.#buffer.length) await this.#sendPart()
    }
  }

  async #grow(): Promise<void> {
    const { partBytes, places, signal } = this.#options
    let size = Math.min(this.#buffer.length * 2, partBytes)
    if (size > shortBytes) {
      await places.take(signal)
      this.#places++
      size = partBytes
    }
    const grown = new Uint8Array(size)
    grown.set(this.#buffer.subarray(0, this.#filled))
    this.#buffer = grown
  }

  async #sendPart(): Promise<void> {
    const buffer = this.#buffer
    const sending = this.#options.send(this.#part()).then(() => {
      this.#sending.delete(sending)
      this.#keep(buffer)
    })
    sending.catch(() => undefined)
    this.#sending.add(sending)
    this.#buffer = await this.#nextBuffer()
    this.#filled = 0
    this.#hash = createHash('sha256')
  }

  async #nextBuffer(): Promise<Uint8Array> {
    const { partsAtOnce, partBytes, places } = this.#options
    if (this.#idle.length === 0 && this.#sending.size < partsAtOnce && places.tryTake()) {
      this.#places++
      return new Uint8Array(partBytes)
    }
    // A failed part stays in the set, so its error ends the write here.
    while (this.#idle.length === 0) await Promise.race(this.#sending)
    return this.#idle.pop() as Uint8Array
  }

  /** Other writes may wait for a place: one is enough to go on. */
  #keep(buffer: Uint8Array): void {
    const { places } = this.#options
    if (this.#places === 1 || !places.isAwaited) return void this.#idle.push(buffer)
    this.#places--
    places.give()
  }

  async #sent(): Promise<void> {
    while (this.#sending.size > 0) await Promise.race(this.#sending)
  }

  #part(): Part {
    return { bytes: this.#buffer.subarray(0, this.#filled), sha256: this.#hash.digest('hex') }
  }
}
