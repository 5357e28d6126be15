/**
 * Row keys: a table byte, then components. The order of the bytes is the order of the components.
 *
 * Text is its UTF-8 bytes with 0x00 written as 0x00 0xff, closed by 0x00 0x01. So "a" sorts before "a\0" and before
 * "ab", and the open form of a prefix is a byte prefix of every text that starts with it. Positions are eight bytes,
 * big-endian, complemented if the newest must come first.
 */
import type { Seq } from '../ports/index.ts'
import { toHex } from './hex.ts'
import { decodeUtf8, decodeUtf8Range, encodeUtf8 } from './utf8.ts'
import { StorageError } from '../base/errors.ts'

const escapeByte = 0xff
const closeByte = 0x01

/** The unused buffer of the last finished writer, for the next one: a new buffer costs more than a whole key. */
let spare: Uint8Array<ArrayBuffer> | undefined

/** Builds one key. Append the components in their sort order; after `finish` it cannot be used. */
export class KeyWriter {
  #bytes: Uint8Array<ArrayBuffer>
  #length = 0

  constructor(table: number) {
    this.#bytes = spare ?? new Uint8Array(256)
    spare = undefined
    this.#push(table)
  }

  /** Appends closed text: later components do not change its order relative to other texts. */
  text(text: string): this {
    this.openText(text)
    this.#push(0x00)
    this.#push(closeByte)
    return this
  }

  /** Appends open text, for ranges by prefix. */
  openText(text: string): this {
    this.#reserve(text.length)
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      if (unit === 0x00 || unit > 0x7f) return this.#openEncoded(text.slice(i))
      this.#bytes[this.#length++] = unit
    }
    return this
  }

  #openEncoded(text: string): this {
    const bytes = encodeUtf8(text)
    this.#reserve(bytes.length * 2 + 2)
    for (const byte of bytes) {
      this.#push(byte)
      if (byte === 0x00) this.#push(escapeByte)
    }
    return this
  }

  /** Appends a position that sorts oldest first. */
  seq(seq: Seq): this {
    return this.#position(seq, 0x00)
  }

  /** Appends a position that sorts newest first. */
  seqDescending(seq: Seq): this {
    return this.#position(seq, 0xff)
  }

  /** Appends a number from 0 to 65535. */
  number16(value: number): this {
    this.#reserve(2)
    this.#push(value >> 8)
    this.#push(value & 0xff)
    return this
  }

  finish(): Uint8Array {
    const key = this.#bytes.slice(0, this.#length)
    spare = this.#bytes
    return key
  }

  #position(seq: Seq, mask: 0x00 | 0xff): this {
    this.#reserve(8)
    let high = Math.floor(seq / 2 ** 32)
    let low = seq % 2 ** 32
    for (let i = 3; i >= 0; i--) {
      this.#bytes[this.#length + i] = (high & 0xff) ^ mask
      this.#bytes[this.#length + i + 4] = (low & 0xff) ^ mask
      high = Math.floor(high / 256)
      low = Math.floor(low / 256)
    }
    this.#length += 8
    return this
  }

  #push(byte: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = byte
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return
    const larger = new Uint8Array((this.#length + count) * 2)
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

/** Reads the components of a key, in the order in which they were appended. */
export class KeyReader {
  readonly #bytes: Uint8Array
  #at = 1

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  text(): string {
    const start = this.#at
    let escapes = 0
    let end = start
    for (; ; end++) {
      const byte = this.#bytes[end]
      if (byte === undefined) throw corruptKey(this.#bytes)
      if (byte !== 0x00) continue
      if (this.#bytes[end + 1] === closeByte) break
      escapes++
      end++
    }
    this.#at = end + 2
    try {
      if (escapes === 0) return decodeUtf8Range(this.#bytes, start, end)
      return decodeUtf8(unescape(this.#bytes.subarray(start, end), escapes))
    } catch {
      throw corruptKey(this.#bytes)
    }
  }

  /** Steps over a text. */
  skipText(): this {
    let end = this.#at
    while (!(this.#bytes[end] === 0x00 && this.#bytes[end + 1] === closeByte)) {
      if (end >= this.#bytes.length) throw corruptKey(this.#bytes)
      end += this.#bytes[end] === 0x00 ? 2 : 1
    }
    this.#at = end + 2
    return this
  }

  seq(): Seq {
    return this.#position(0x00)
  }

  seqDescending(): Seq {
    return this.#position(0xff)
  }

  /** @throws StorageError `RowCorrupt` at the end of the key */
  number16(): number {
    this.#require(2)
    const value = ((this.#bytes[this.#at] as number) << 8) | (this.#bytes[this.#at + 1] as number)
    this.#at += 2
    return value
  }

  #position(mask: 0x00 | 0xff): Seq {
    this.#require(8)
    let seq = 0
    for (let i = 0; i < 8; i++) seq = seq * 256 + ((this.#bytes[this.#at + i] as number) ^ mask)
    this.#at += 8
    if (!Number.isSafeInteger(seq)) throw corruptKey(this.#bytes)
    return seq
  }

  #require(count: number): void {
    if (this.#at + count > this.#bytes.length) throw corruptKey(this.#bytes)
  }
}

/** Whether the key ends in this position, as `seqDescending` appends it. */
export function endsInSeqDescending(key: Uint8Array, seq: Seq): boolean {
  let rest = seq
  for (let i = key.length - 1; i >= key.length - 8; i--) {
    if (((key[i] as number) ^ 0xff) !== rest % 256) return false
    rest = Math.floor(rest / 256)
  }
  return true
}

/** The key is malformed, so this program did not write it. Another one did, perhaps with a right checksum. */
const corruptKey = (bytes: Uint8Array): StorageError =>
  new StorageError('RowCorrupt', 'A row of the views is damaged (key).', {
    details: { key: toHex(bytes), kind: 'key' },
  })

function unescape(raw: Uint8Array, escapes: number): Uint8Array {
  const bytes = new Uint8Array(raw.length - escapes)
  for (let from = 0, to = 0; from < raw.length; from++) {
    const byte = raw[from] as number
    bytes[to++] = byte
    if (byte === 0x00) from++
  }
  return bytes
}
