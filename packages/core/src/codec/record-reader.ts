/** Reads the payload of a record. Every read is checked, because a right checksum does not prove a right record. */
import { type Base64Form, base64Text } from '../bytes/base64.ts'
import { hexText } from '../bytes/hex.ts'
import { shortAscii } from '../bytes/utf8.ts'
import { decodeWtf8 } from '../bytes/wtf8.ts'

/** What the eighth and last byte of a number counts. */
const factorMax = 2 ** 49

export class RecordReader {
  readonly bytes: Uint8Array
  /** The offset of the next byte. */
  at: number

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes
    this.at = at
  }

  /** The number of bytes that are left. */
  get left(): number {
    return this.bytes.length - this.at
  }

  /** @throws Malformed if anything is left. */
  end(): void {
    if (this.at !== this.bytes.length) throw new Malformed('bytes after its end')
  }

  byte(): number {
    if (this.at >= this.bytes.length) throw new Malformed('no more bytes')
    return this.bytes[this.at++] as number
  }

  /** Steps over this many bytes and returns the offset of the first. */
  take(length: number): number {
    const from = this.at
    if (length > this.bytes.length - from) throw new Malformed('no more bytes')
    this.at = from + length
    return from
  }

  /** A whole number from 0 to 2^53 - 1, in as few bytes as it needs. */
  count(): number {
    const first = this.byte()
    if (first < 0x80) return first
    let value = first & 0x7f
    for (let factor = 0x80; factor <= factorMax; factor *= 0x80) {
      const byte = this.byte()
      value += (byte & 0x7f) * factor
      if (byte >= 0x80) continue
      if (byte === 0) throw new Malformed('a number with zeros in front')
      if (value > Number.MAX_SAFE_INTEGER) break
      return value
    }
    throw new Malformed('a number that is too large')
  }

  text(): string {
    return this.#text(this.count())
  }

  /** Text that `RecordWriter.hexText` wrote. */
  hexText(): string {
    const count = this.count()
    if (count % 2 === 0) return this.#text(count / 2)
    const from = this.take((count - 1) / 2)
    return hexText(this.bytes, from, this.at)
  }

  /** Text that `RecordWriter.base64Text` wrote. */
  base64Text(form: Base64Form): string {
    const count = this.count()
    if (count % 2 === 0) return this.#text(count / 2)
    const from = this.take((count - 1) / 2)
    return base64Text(form, this.bytes, from, this.at)
  }

  /** Steps over a text of `text()`. */
  skipText(): void {
    this.take(this.count())
  }

  /** Steps over a text of `hexText()`. */
  skipHexText(): void {
    this.take(Math.floor(this.count() / 2))
  }

  #text(length: number): string {
    const from = this.take(length)
    return shortAscii(this.bytes, from, this.at) ?? decodeWtf8(this.bytes.subarray(from, this.at))
  }
}

/** The bytes are not what the writer writes. */
export class Malformed extends Error {}
