/** Counts what is to be imported, while the import is under way. */
import type { ImportSize } from './import-entry.ts'

/** The size, once all is counted. It stops when the import ends, and a source that cannot be counted has none. */
export class SizeAhead {
  readonly #counting: Promise<void>
  #isOver = false
  #size: ImportSize | undefined

  constructor(sizes: AsyncIterable<number>) {
    this.#counting = this.#count(sizes).catch(() => undefined)
  }

  get size(): ImportSize | undefined {
    return this.#size
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#counting
  }

  async #count(sizes: AsyncIterable<number>): Promise<void> {
    let [objects, bytes] = [0, 0]
    for await (const size of sizes) {
      if (this.#isOver) return
      objects++
      bytes += size
    }
    this.#size = { objects, bytes }
  }
}
