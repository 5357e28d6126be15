import { compareBytes } from '../bytes/bytes.ts'
import { toHex } from '../bytes/hex.ts'
import { isStorageError } from '../errors.ts'
import type { Hashing, Journal, Row, RowCursor, RowReader, Seq } from '../ports/index.ts'
import { catchUp } from '../store/catch-up.ts'
import type { Engine } from '../store/engine.ts'
import { committedRows } from '../views/row-reader.ts'
import { headKey, viewRange } from '../views/tables.ts'
import type { Divergence, Findings, VerifyOptions } from './report.ts'

/** Makes the views again in `scratch` and compares them with the stored ones, row by row. */
export async function verifyViews(
  engine: Engine,
  scratch: Journal,
  options: VerifyOptions,
  findings: Findings,
): Promise<void> {
  const { journal, hashing } = engine.ports
  const snapshot = journal.snapshot()
  const { committed } = engine.writer
  const { signal, onProgress } = options
  try {
    // A commit that has yet to answer may be in the snapshot already.
    const to = Math.max(committed, await headOf(snapshot, hashing))
    await catchUp({
      log: journal,
      views: scratch,
      hashing,
      from: 1,
      to,
      ...(signal && { signal }),
      onProgress: (progress) => onProgress?.({ stage: 'views', ...progress }),
    })
    const [stored, made] = [peekable(snapshot.cursor(viewRange)), peekable(scratch.cursor(viewRange))]
    try {
      for (;;) {
        const [a, b] = [await stored.peek(), await made.peek()]
        if (a === undefined && b === undefined) return
        findings.rows++
        compareRows(stored, made, [a, b], findings.divergences)
      }
    } finally {
      await stored.close()
      await made.close()
    }
  } finally {
    await snapshot.close()
  }
}

async function headOf(rows: RowReader, hashing: Hashing): Promise<Seq> {
  try {
    return (await committedRows(rows, hashing).get(headKey))?.seq ?? 0
  } catch (error) {
    // It will be found to differ.
    if (isStorageError(error, 'RowCorrupt')) return 0
    throw error
  }
}

function compareRows(
  stored: Peekable,
  made: Peekable,
  [a, b]: readonly [Row | undefined, Row | undefined],
  divergences: Divergence[],
): void {
  const order = a === undefined ? 1 : b === undefined ? -1 : compareBytes(a[0], b[0])
  if (order <= 0) stored.take()
  if (order >= 0) made.take()
  const key = toHex(((order > 0 ? b : a) as Row)[0])
  if (order < 0) divergences.push({ kind: 'RowUnexpected', message: 'A row no event made.', key })
  else if (order > 0) divergences.push({ kind: 'RowMissing', message: 'A row is missing.', key })
  else if (compareBytes((a as Row)[1], (b as Row)[1]) !== 0) {
    divergences.push({ kind: 'RowDiffers', message: 'A row is not what the log makes of it.', key })
  }
}

interface Peekable {
  peek(): Promise<Row | undefined>
  take(): void
  close(): Promise<void>
}

function peekable(cursor: RowCursor): Peekable {
  let page: readonly Row[] = []
  let at = 0
  return {
    async peek() {
      if (at === page.length) {
        page = await cursor.next(1000)
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
