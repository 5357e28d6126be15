/**
 * Collects pieces of any size in one growing buffer. Pieces of one byte each would otherwise take hundreds of times
 * their size in memory.
 */
export class GrowingBytes {
  readonly #max: number
  #buffer = new Uint8Array(0)
  #length = 0

  /** @param max The maximum total number of bytes, and the maximum size of the buffer. */
  constructor(max: number) {
    this.#max = max
  }

  get length(): number {
    return this.#length
  }

  /** By how many bytes the buffer must grow to take `more` bytes. */
  growth(more: number): number {
    const needed = this.#length + more
    const { length: has } = this.#buffer
    return needed <= has ? 0 : Math.max(needed, Math.min(2 * has, this.#max)) - has
  }

  /** Appends a copy of the bytes. */
  push(bytes: Uint8Array): void {
    const growth = this.growth(bytes.length)
    if (growth > 0) {
      const larger = new Uint8Array(this.#buffer.length + growth)
      larger.set(this.#buffer.subarray(0, this.#length))
      this.#buffer = larger
    }
    this.#buffer.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** The collected bytes, without a copy. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#length)
  }
}
