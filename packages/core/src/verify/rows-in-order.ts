/** Iterates over the rows of a range, with a look at the next row. Only the step to another page is asynchronous. */
import type { Row, RowCursor } from '../ports/index.ts'

/** The page size for reading whole tables, in rows. */
export const pageRows = 4096

export class RowsInOrder {
  readonly #cursor: RowCursor
  #page: readonly Row[] = []
  #at = 0
  #ended = false

  constructor(cursor: RowCursor) {
    this.#cursor = cursor
  }

  /** The next row, `undefined` at the end. Do not read it while `waiting`. */
  get next(): Row | undefined {
    return this.#page[this.#at]
  }

  /** True if `more` must read the next page first. */
  get waiting(): boolean {
    return this.#at === this.#page.length && !this.#ended
  }

  async more(): Promise<void> {
    if (!this.waiting) return
    this.#page = await this.#cursor.next(pageRows)
    this.#at = 0
    this.#ended = this.#page.length === 0
  }

  take(): void {
    this.#at++
  }

  async close(): Promise<void> {
    await this.#cursor.close()
  }
}
