/** Compares two ranges of rows in the order of their keys, a page at a time. */
import { compareBytes } from '../bytes/bytes.ts'
import type { Row, RowCursor } from '../ports/index.ts'
import type { Findings } from './findings.ts'
import type { Divergence } from './report.ts'
import { RowsInOrder } from './rows-in-order.ts'

/** The divergence of a stored row from the computed one; one of them may be missing. */
export type Judge = (stored: Row | undefined, made: Row | undefined) => Divergence | undefined

export interface RowComparison {
  /** Both are closed at the end. */
  readonly stored: RowCursor
  readonly made: RowCursor
  readonly judge: Judge
  readonly findings: Findings
  /** Called before each page. */
  readonly onPage: () => void
}

export async function compareRows({ stored, made, judge, findings, onPage }: RowComparison): Promise<void> {
  const rows = { stored: new RowsInOrder(stored), made: new RowsInOrder(made) }
  try {
    while (await moreOf(rows)) {
      onPage()
      comparePages(rows, judge, findings)
    }
  } finally {
    await rows.stored.close()
    await rows.made.close()
  }
}

type BothRows = Readonly<Record<'stored' | 'made', RowsInOrder>>

/** False when both have ended. */
async function moreOf({ stored, made }: BothRows): Promise<boolean> {
  await Promise.all([stored.more(), made.more()])
  return stored.next !== undefined || made.next !== undefined
}

/** Compares rows until another page must be read. */
function comparePages({ stored, made }: BothRows, judge: Judge, findings: Findings): void {
  while (!stored.waiting && !made.waiting) {
    const [a, b] = [stored.next, made.next]
    if (a === undefined && b === undefined) return
    const order = a === undefined ? 1 : b === undefined ? -1 : compareBytes(a[0], b[0])
    if (order <= 0) stored.take()
    if (order >= 0) made.take()
    findings.rows++
    const found = judge(order <= 0 ? a : undefined, order >= 0 ? b : undefined)
    if (found !== undefined) findings.note(found)
  }
}
