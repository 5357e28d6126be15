/** An object of another process, with bytes that arrive while they are read. */
import type { ByteSource, ObjectContent, ObjectInfo } from '@varve/core'
import type { AnsweredContent } from '../control/control-client.ts'

/** Up to this size, the bytes are read at once, so that an object that is never read holds no connection. */
const bufferedMax = 128 * 1024

/** @throws what the bytes throw, if there are few */
export async function attachedContent({ facts, body, end }: AnsweredContent): Promise<ObjectContent> {
  const size = sizeOf(facts)
  const bytes = new ArrivingBytes(body, end)
  if (size <= bufferedMax) await bytes.fill(size)
  const whole = async (): Promise<Uint8Array> => {
    if (bytes.begun) throw new TypeError('The bytes of an object can be read once; ask for the object again.')
    return bytes.collect(size)
  }
  return {
    ...facts,
    body: bytes,
    buffered: bytes.whole,
    bytes: whole,
    text: async () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await whole()),
    close: async () => void (await bytes.return()),
  }
}

const sizeOf = ({ range, size }: ObjectInfo): number => (range === undefined ? size : range.end - range.start)

const done = { done: true, value: undefined } as const

class ArrivingBytes implements AsyncIterableIterator<Uint8Array, undefined> {
  begun = false
  whole: Uint8Array | undefined
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #end: () => void
  #isOver = false

  constructor(body: ByteSource, end: () => void) {
    this.#chunks = body[Symbol.asyncIterator]()
    this.#end = end
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Reads all bytes now. */
  async fill(size: number): Promise<void> {
    this.whole = await this.collect(size)
    this.begun = false
    this.#isOver = false
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.begun = true
    if (this.#isOver) return done
    if (this.whole !== undefined) {
      this.#isOver = true
      return this.whole.length === 0 ? done : { done: false, value: this.whole }
    }
    const next = await this.#chunks.next()
    if (next.done !== true) return next
    this.#isOver = true
    return done
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.begun = true
    if (!this.#isOver && this.whole === undefined) this.#end()
    this.#isOver = true
    return done
  }

  /** All bytes that are left, in one array. */
  async collect(size: number): Promise<Uint8Array> {
    if (this.whole !== undefined) return (await this.next()).value ?? new Uint8Array()
    const bytes = new Uint8Array(size)
    let filled = 0
    for await (const chunk of this) {
      bytes.set(chunk, filled)
      filled += chunk.length
    }
    return bytes
  }
}
