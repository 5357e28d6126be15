/** Rows of a range one after another, with a look at the one that comes next. */
import type { Row, RowCursor } from '../ports/index.ts'

const pageRows = 1000

export interface RowsInOrder {
  peek(): Promise<Row | undefined>
  take(): void
  close(): Promise<void>
}

export function rowsInOrder(cursor: RowCursor): RowsInOrder {
  let page: readonly Row[] = []
  let at = 0
  return {
    async peek() {
      if (at === page.length) {
        page = await cursor.next(pageRows)
        at = 0
      }
      return page[at]
    },
    take: () => {
      at++
    },
    close: () => cursor.close(),
  }
}
