/**
 * Reads LevelDB's encodings: numbers with seven bits a byte, the low ones first, and strings that follow their length.
 */

/** The file is damaged: it does not hold what LevelDB writes. */
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

  /** @throws LevelFormatError if there is no number, or one that is too large for any file here. */
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

  /** @throws LevelFormatError when fewer bytes are left. */
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
