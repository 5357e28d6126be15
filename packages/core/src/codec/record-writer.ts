/**
 * Writes the payload of a record, with the header of its frame before it.
 *
 * Records are cut from shared pages: they are many and short-lived, and a separate allocation would cost more than the
 * record. A record that is kept keeps its whole page in memory. Pages are never written twice.
 */
import { type Base64Form, base64Length, fillFromBase64 } from '../bytes/base64.ts'
import { headerLength } from '../bytes/frame.ts'
import { fillIfHex } from '../bytes/hex.ts'
import { encodeUtf8Into, isWellFormed } from '../bytes/utf8.ts'
import { fillFromText, wtf8Length } from '../bytes/wtf8.ts'
import { Mismatch } from '../schema/schema.ts'

const pageBytes = 64 * 1024
const noPage = new Uint8Array(0)
/** Far more than any record needs, and far less than the maximum of a journal. */
const recordBytesMax = 64 * 1024 * 1024
/** Longer text is encoded by the runtime: a call into it costs as much as this many characters. */
const shortText = 48
/** Room for any whole number: seven bits a byte. */
const countBytesMax = 8

export class RecordWriter {
  #page: Uint8Array = noPage
  /** Where the header of the record begins in the page. */
  #start = 0
  #at = 0

  /** Begins a record. What was written since the last `finish` is discarded. */
  begin(): void {
    this.#at = this.#start
    this.#reserve(headerLength)
    this.#at += headerLength
  }

  /** Ends the record, and returns its frame with an empty header. */
  finish(): Uint8Array {
    const frame = this.#page.subarray(this.#start, this.#at)
    if (this.#page.length > pageBytes) this.#page = noPage
    this.#start = this.#page === noPage ? 0 : this.#at
    return frame
  }

  /** The offset of the next byte in the frame. */
  get offset(): number {
    return this.#at - this.#start
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#page[this.#at++] = value
  }

  /** Leaves room for a byte that `patch` writes later, and returns its offset. */
  skip(): number {
    this.byte(0)
    return this.offset - 1
  }

  patch(offset: number, value: number): void {
    this.#page[this.#start + offset] = value
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#page.set(bytes, this.#at)
    this.#at += bytes.length
  }

  /** A whole number from 0 to 2^53 - 1, seven bits a byte, the lowest first. The caller checks the value. */
  count(value: number): void {
    this.#reserve(countBytesMax)
    let rest = value
    // Bit operations take 32 bits only.
    while (rest >= 0x10000000) {
      this.#page[this.#at++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    while (rest >= 0x80) {
      this.#page[this.#at++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.#page[this.#at++] = rest
  }

  /** The number of bytes, times `factor`, and the text in UTF-8. The caller checks that it is a text. */
  text(text: string, factor = 1): void {
    const { length } = text
    if (length > shortText) return this.#longText(text, factor)
    this.count(length * factor)
    this.#reserve(length)
    const page = this.#page
    const start = this.#at
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i)
      if (unit > 0x7f) return this.#replaceText(text, factor, start)
      page[start + i] = unit
    }
    this.#at = start + length
  }

  /** Text that is usually hexadecimal: its bytes with an odd length in front, or any text with an even one. */
  hexText(text: string): void {
    if (text.length < 2) return this.text(text, 2)
    const before = this.offset
    this.#reserveBytes(text.length >> 1)
    this.#endBytes(fillIfHex(this.#page, this.#at, text), before, text)
  }

  /** As `hexText`, for text that is usually base64. */
  base64Text(form: Base64Form, text: string): void {
    const length = Math.floor(base64Length(form, text))
    if (length < 1) return this.text(text, 2)
    const before = this.offset
    this.#reserveBytes(length)
    this.#endBytes(fillFromBase64(form, this.#page, this.#at, text), before, text)
  }

  #reserveBytes(length: number): void {
    this.count(length * 2 + 1)
    this.#reserve(length + 1)
  }

  /** `end` is -1 if the text has no form in bytes. It is then written as text from `before` on. */
  #endBytes(end: number, before: number, text: string): void {
    this.#at = end < 0 ? this.#start + before : end
    if (end < 0) this.text(text, 2)
  }

  #longText(text: string, factor: number): void {
    const isShorter = text.length * 3 <= pageBytes && isWellFormed(text)
    if (!isShorter) return this.#measuredText(text, factor)
    // Most text is ASCII, so its length in bytes is that in characters; otherwise the length is corrected.
    this.#reserve(countBytesMax + text.length * 3)
    const start = this.#at
    this.count(text.length * factor)
    const from = this.#at
    const written = encodeUtf8Into(text, this.#page.subarray(from))
    this.#at = from + written
    if (written !== text.length) {
      this.#at = start
      this.#measuredText(text, factor)
    }
  }

  #replaceText(text: string, factor: number, start: number): void {
    this.#at = start - this.#countLength(text.length * factor)
    this.#measuredText(text, factor)
  }

  #measuredText(text: string, factor: number): void {
    const length = wtf8Length(text)
    this.count(length * factor)
    this.#reserve(length)
    this.#at = fillFromText(this.#page, this.#at, text)
  }

  #countLength(value: number): number {
    let length = 1
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++
    return length
  }

  /** Makes room in the page, or moves the record to a larger one. */
  #reserve(count: number): void {
    if (this.#at + count <= this.#page.length) return
    const length = this.#at - this.#start
    if (length + count > recordBytesMax) throw new Mismatch(`makes a record of more than ${recordBytesMax} bytes`)
    const page = new Uint8Array(Math.max(pageBytes, Math.min((length + count) * 2, recordBytesMax)))
    page.set(this.#page.subarray(this.#start, this.#at))
    this.#page = page
    this.#start = 0
    this.#at = length
  }
}
