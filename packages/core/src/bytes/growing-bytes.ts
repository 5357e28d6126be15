/**
 * Bytes that come in pieces of any size, gathered in one buffer that grows: pieces of a byte each would otherwise take hundreds of times
 * as much memory as they bring.
 */
export class GrowingBytes {
  readonly #max: number
  #buffer = new Uint8Array(0)
  #length = 0

  /** @param max Bytes that will come at most; the buffer is never larger. */
  constructor(max: number) {
    this.#max = max
  }

  get length(): number {
    return this.#length
  }

  /** By how many bytes the buffer grows to take so many more. */
  growth(more: number): number {
    const needed = this.#length + more
    const { length: has } = this.#buffer
    return needed <= has ? 0 : Math.max(needed, Math.min(2 * has, this.#max)) - has
  }

  /** Takes a copy of them. */
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

  /** What came, in place. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#length)
  }
}
