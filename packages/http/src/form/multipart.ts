/**
 * `multipart/form-data` as it arrives, for input that may be malformed: it holds one chunk of the source and
 * the beginning of one delimiter at most, looks at every byte once, and whatever is not as RFC 7578 has it is refused.
 * Everything before the content of the file is counted, and there may be little of it.
 */

import { S3Error } from '../errors/errors.ts'
import { malformed } from './malformed.ts'
import { parsePartHead } from './part-head.ts'
import type { PartHead } from './part-head.ts'

export interface MultipartReader {
  /** How many bytes of the source stand before what is read next. */
  readonly position: number
  /** The head of the next part, `undefined` behind the last. What is left of the part before is thrown away. */
  next(): Promise<PartHead | undefined>
  /** The content of the current part, as views: consume each before asking for the next. */
  content(): AsyncGenerator<Uint8Array, void, undefined>
  /** The content of the current part, whole: it counts as read ahead of the file. */
  small(): Promise<Uint8Array>
  /** Reads the source to its end, whatever is there. */
  drain(): Promise<void>
  /** Ends the source. */
  close(): Promise<void>
}

/** As S3 has it: all fields, with their heads and delimiters. */
export const fieldsBytesMax = 20 * 1024

/**
 * @throws S3Error (while reading) `MaxPostPreDataLengthExceeded` beyond `fieldsBytesMax` of everything that is read as a
 *   head or by `small`; `MalformedPOSTRequest` for the rest; what the source throws.
 */
export function createMultipartReader(source: AsyncIterable<Uint8Array>, boundary: string): MultipartReader {
  return new Reader(source[Symbol.asyncIterator](), Buffer.from(`\r\n--${boundary}`, 'latin1'))
}

const lineEnd = Buffer.from('\r\n')
const carriageReturn = 0x0d

class Reader implements MultipartReader {
  #taken = 0
  readonly #source: AsyncIterator<Uint8Array>
  /** Begins with the line end before it. */
  readonly #delimiter: Buffer
  /** As if there had been a line before: then the first delimiter is like all others. */
  #held: Buffer = lineEnd
  #state: 'in content' | 'at a delimiter' | 'over' = 'in content'
  #ahead = 0

  constructor(source: AsyncIterator<Uint8Array>, delimiter: Buffer) {
    this.#source = source
    this.#delimiter = delimiter
  }

  get position(): number {
    return this.#taken - this.#held.length
  }

  async next(): Promise<PartHead | undefined> {
    if (this.#state === 'in content') await this.small()
    if (this.#state === 'over' || (await this.#isLast())) return undefined
    if ((await this.#line()).trim() !== '') throw malformed('A boundary is not the end of its line.')
    const lines: string[] = []
    for (let line = await this.#line(); line !== ''; line = await this.#line()) lines.push(line)
    this.#state = 'in content'
    return parsePartHead(lines)
  }

  async *content(): AsyncGenerator<Uint8Array, void, undefined> {
    yield* this.#until(this.#delimiter)
    this.#state = 'at a delimiter'
  }

  async small(): Promise<Uint8Array> {
    const bytes = await this.#collect(this.content())
    this.#count(this.#delimiter.length)
    return bytes
  }

  async drain(): Promise<void> {
    do this.#held = Buffer.alloc(0)
    while (await this.#more())
  }

  async close(): Promise<void> {
    await this.#source.return?.()
  }

  /** Two dashes behind a delimiter: it was the last. */
  async #isLast(): Promise<boolean> {
    while (this.#held.length < 2) if (!(await this.#more())) throw malformed('It has no end.')
    if (this.#held.toString('latin1', 0, 2) !== '--') return false
    this.#state = 'over'
    return true
  }

  async #line(): Promise<string> {
    const bytes = await this.#collect(this.#until(lineEnd))
    this.#count(lineEnd.length)
    return bytes.toString('latin1')
  }

  async #collect(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
    const pieces: Uint8Array[] = []
    for await (const piece of bytes) {
      this.#count(piece.length)
      // A copy: the source may use the memory of a chunk again.
      pieces.push(Buffer.from(piece))
    }
    return Buffer.concat(pieces)
  }

  #count(bytes: number): void {
    this.#ahead += bytes
    if (this.#ahead <= fieldsBytesMax) return
    throw new S3Error(
      'MaxPostPreDataLengthExceeded',
      'Your POST request fields preceding the upload file were too large.',
      { details: { MaxPostPreDataLengthBytes: String(fieldsBytesMax) } },
    )
  }

  /** The bytes before a mark, which is taken too. A mark begins with the only carriage return in it. */
  async *#until(mark: Buffer): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const at = this.#held.indexOf(mark)
      const before = this.#held.subarray(0, at === -1 ? this.#held.length - begunIn(this.#held, mark) : at)
      this.#held = this.#held.subarray(before.length + (at === -1 ? 0 : mark.length))
      if (before.length > 0) yield before
      if (at !== -1) return
      if (!(await this.#more())) throw malformed('It ends within a part.')
    }
  }

  async #more(): Promise<boolean> {
    const kept = Buffer.from(this.#held)
    const { done, value } = await this.#source.next()
    if (done === true) return false
    this.#taken += value.length
    const chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    this.#held = kept.length === 0 ? chunk : Buffer.concat([kept, chunk])
    return true
  }
}

/** How many bytes at the end may be the beginning of the mark. */
function begunIn(bytes: Buffer, mark: Buffer): number {
  const tail = bytes.subarray(Math.max(0, bytes.length - mark.length + 1))
  const at = tail.lastIndexOf(carriageReturn)
  if (at === -1) return 0
  const begun = tail.subarray(at)
  return mark.subarray(0, begun.length).equals(begun) ? begun.length : 0
}
