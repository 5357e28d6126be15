/**
 * Reads `multipart/form-data` as it arrives, and expects malformed input. It holds at most one chunk of the source and
 * the beginning of one delimiter, and looks at every byte once. Input that violates RFC 7578 is refused. The bytes
 * before the content of the file are counted and limited.
 */

import { S3Error } from '../errors/errors.ts'
import { malformed } from './malformed.ts'
import { parsePartHead } from './part-head.ts'
import type { PartHead } from './part-head.ts'

export interface MultipartReader {
  /** The number of bytes of the source before the next byte to read. */
  readonly position: number
  /** Returns the head of the next part, or `undefined` after the last. Discards the rest of the part before. */
  next(): Promise<PartHead | undefined>
  /** The content of the current part, as views: consume each before requesting the next. */
  content(): AsyncGenerator<Uint8Array, void, undefined>
  /** Returns the whole content of the current part. It counts towards `fieldsBytesMax`. */
  small(): Promise<Uint8Array>
  /** Reads the source to its end and discards the bytes. */
  drain(): Promise<void>
  /** Ends the source. */
  close(): Promise<void>
}

/** The limit of S3 for all fields, with their heads and delimiters, in bytes. */
export const fieldsBytesMax = 20 * 1024

/**
 * @param onHeld Called with the number of bytes that are kept in memory, before they are kept. It may throw.
 * @throws S3Error (while reading) `MaxPostPreDataLengthExceeded` beyond `fieldsBytesMax` of everything that is read as a
 *   head or by `small`; `MalformedPOSTRequest` for the rest; what the source throws.
 */
export function createMultipartReader(
  source: AsyncIterable<Uint8Array>,
  boundary: string,
  onHeld: (bytes: number) => void = () => undefined,
): MultipartReader {
  return new Reader(source[Symbol.asyncIterator](), Buffer.from(`\r\n--${boundary}`, 'latin1'), onHeld)
}

const lineEnd = Buffer.from('\r\n')
const carriageReturn = 0x0d

class Reader implements MultipartReader {
  #taken = 0
  readonly #source: AsyncIterator<Uint8Array>
  /** The delimiter, which begins with the line end before it. */
  readonly #delimiter: Buffer
  /** The first delimiter has no line end before it, so the reader begins as if it had read one. */
  #held: Buffer = lineEnd
  #state: 'in content' | 'at a delimiter' | 'over' = 'in content'
  readonly #onHeld: (bytes: number) => void
  #ahead = 0

  constructor(source: AsyncIterator<Uint8Array>, delimiter: Buffer, onHeld: (bytes: number) => void) {
    this.#onHeld = onHeld
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

  /** Whether two dashes follow the delimiter: it was the last one. */
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
      // Copies the piece, since the source may reuse the memory of a chunk.
      pieces.push(Buffer.from(piece))
    }
    return Buffer.concat(pieces)
  }

  #count(bytes: number): void {
    this.#ahead += bytes
    if (this.#ahead <= fieldsBytesMax) return this.#onHeld(bytes)
    throw new S3Error(
      'MaxPostPreDataLengthExceeded',
      'Your POST request fields preceding the upload file were too large.',
      { details: { MaxPostPreDataLengthBytes: String(fieldsBytesMax) } },
    )
  }

  /** Yields the bytes before the mark and consumes the mark. The first byte of the mark is its only carriage return. */
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

/** The number of bytes at the end that may be the beginning of the mark. */
function begunIn(bytes: Buffer, mark: Buffer): number {
  const tail = bytes.subarray(Math.max(0, bytes.length - mark.length + 1))
  const at = tail.lastIndexOf(carriageReturn)
  if (at === -1) return 0
  const begun = tail.subarray(at)
  return mark.subarray(0, begun.length).equals(begun) ? begun.length : 0
}
