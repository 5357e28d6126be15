/** Reads what LevelDB writes: numbers of seven bits a byte, the low ones first, and strings behind their length. */

/** What a damaged file gives instead of what was written into it. */
export class LevelFormatError extends Error {
  override readonly name = 'LevelFormatError'
}

export class LevelReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get ended(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** @throws LevelFormatError for none, or one that no file here can hold. */
  number(): number {
    let value = 0
    for (let scale = 1; scale <= Number.MAX_SAFE_INTEGER; scale *= 0x80) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) throw new LevelFormatError('it ends within a number')
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
    throw new LevelFormatError('it has a number that is too large')
  }

  /** @throws LevelFormatError when there are fewer. */
  bytes(length: number): Uint8Array {
    const from = this.#at
    this.#at += length
    if (this.#at > this.#bytes.length) throw new LevelFormatError('it ends within a string')
    return this.#bytes.subarray(from, this.#at)
  }

  string(): Uint8Array {
    return this.bytes(this.number())
  }
}
