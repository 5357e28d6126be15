/** Takes bytes from a stream of chunks in other sizes than they come in. Holds one chunk besides what it is asked for. */
import { archiveCorrupt } from './archive-error.ts'

const none = new Uint8Array()

export class ByteQueue {
  readonly #chunks: AsyncIterator<Uint8Array>
  #chunk: Uint8Array = none
  #isOver = false
  /** Bytes that were taken. */
  position = 0

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]()
  }

  /** At least one byte and at most `max`. `undefined` at the end. */
  async some(max: number): Promise<Uint8Array | undefined> {
    while (this.#chunk.length === 0) {
      if (this.#isOver) return undefined
      const next = await this.#chunks.next()
      if (next.done === true) this.#isOver = true
      else this.#chunk = next.value
    }
    const taken = this.#chunk.subarray(0, max)
    this.#chunk = this.#chunk.subarray(taken.length)
    this.position += taken.length
    return taken
  }

  /** Exactly `size` bytes, in an array of their own. @throws StorageError `ArchiveCorrupt` if there are fewer */
  async take(size: number, problem: string, member?: string): Promise<Uint8Array> {
    const bytes = await this.#upTo(size)
    if (bytes.length < size) throw archiveCorrupt('torn', problem, member)
    return bytes
  }

  /** As `take`; `undefined` if nothing is left. A part of a block counts as a block that is cut. */
  async blockOrEnd(size: number): Promise<Uint8Array | undefined> {
    const bytes = await this.#upTo(size)
    if (bytes.length === 0) return undefined
    if (bytes.length < size) throw archiveCorrupt('torn', 'its end is missing')
    return bytes
  }

  async close(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    this.#chunk = none
    await this.#chunks.return?.()
  }

  /** `size` is limited by the callers. */
  async #upTo(size: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(size)
    let filled = 0
    while (filled < size) {
      const chunk = await this.some(size - filled)
      if (chunk === undefined) return bytes.subarray(0, filled)
      bytes.set(chunk, filled)
      filled += chunk.length
    }
    return bytes
  }
}
