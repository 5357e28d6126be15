/** Rows of a range one after another, with a look at the one that comes next. Only the step to another page has to wait. */
import type { Row, RowCursor } from '../ports/index.ts'

/** How many rows a reader of whole tables requests at once. */
export const pageRows = 4096

export class RowsInOrder {
  readonly #cursor: RowCursor
  #page: readonly Row[] = []
  #at = 0
  #ended = false

  constructor(cursor: RowCursor) {
    this.#cursor = cursor
  }

  /** The row that comes next, `undefined` at the end. Not to be read while `waiting`. */
  get next(): Row | undefined {
    return this.#page[this.#at]
  }

  /** Whether what comes next has to be read first, by `more`. */
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
