/** Compares the stored rows with the rows that the log produces. */
import { sameBytes } from '../bytes/bytes.ts'
import { toHex } from '../bytes/hex.ts'
import { isStorageError } from '../base/errors.ts'
import type { Hashing, Row } from '../ports/index.ts'
import { describeKey } from '../views/describe-key.ts'
import { checkRow, decodeRow } from '../views/row-codec.ts'
import { viewRange } from '../views/tables.ts'
import { compareRows } from './compare-rows.ts'
import type { Findings } from './findings.ts'
import type { Divergence, DivergenceKind, VerifyOptions } from './report.ts'
import { pageRows } from './rows-in-order.ts'
import type { MadeRows } from './made-views.ts'
import type { Subject } from './subject.ts'

/** Compares each stored row with the computed row. */
export async function verifyViews(
  subject: Subject,
  { rows: made, rowsMax: total }: MadeRows,
  options: VerifyOptions,
  findings: Findings,
): Promise<void> {
  const { hashing } = subject.ports
  await readable(findings, () =>
    compareRows({
      stored: subject.rows.cursor(viewRange),
      made: made.cursor(viewRange),
      judge: (stored, expected) => judge(hashing, stored, expected),
      findings,
      onPage() {
        options.signal?.throwIfAborted()
        options.onProgress?.({ stage: 'views', done: Math.min(findings.rows, total), total })
      },
    }),
  )
}

/** For a damaged log: the right rows are unknown, but a damaged row fails its checksum. */
export async function verifyRows(subject: Subject, options: VerifyOptions, findings: Findings): Promise<void> {
  const cursor = subject.rows.cursor(viewRange)
  try {
    await readable(findings, async () => {
      for (let page = await cursor.next(pageRows); page.length > 0; page = await cursor.next(pageRows)) {
        options.signal?.throwIfAborted()
        for (const row of page) {
          findings.rows++
          if (!intact(subject.ports.hashing, row)) findings.note(corruptRow(row[0]))
        }
      }
    })
  } finally {
    await cursor.close()
  }
}

/** Rows that LevelDB cannot read are a finding and do not end the verification. */
export async function readable(findings: Findings, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isStorageError(error, 'JournalFailed')) throw error
    findings.note({ kind: 'JournalUnreadable', message: error.message, key: 'rows' })
  }
}

/** The divergence of a stored row from the computed row; one of them may be missing. */
function judge(hashing: Hashing, stored: Row | undefined, made: Row | undefined): Divergence | undefined {
  if (stored === undefined) return divergence('RowMissing', 'A row is missing.', made as Row, hashing)
  if (made !== undefined && sameBytes(stored[1], made[1])) return undefined
  if (!intact(hashing, stored)) return corruptRow(stored[0])
  if (made === undefined) return divergence('RowUnexpected', 'A row no event made.', stored, hashing)
  return divergence('RowDiffers', 'A row is not what the log makes of it.', made, hashing)
}

function intact(hashing: Hashing, [key, frame]: Row): boolean {
  try {
    checkRow(hashing, key, frame)
    return true
  } catch (error) {
    if (isStorageError(error, 'RowCorrupt')) return false
    throw error
  }
}

export const corruptRow = (key: Uint8Array): Divergence => ({
  kind: 'RowCorrupt',
  message: 'A row fails its checksum.',
  key: toHex(key),
  ...describeKey(key),
})

/** Adds the event that last changed the row, if the row has its position. */
function divergence(kind: DivergenceKind, message: string, [key, frame]: Row, hashing: Hashing): Divergence {
  const described = describeKey(key)
  const { seq, since, by } = decodeRow<{ seq?: unknown; since?: unknown; by?: unknown }>(hashing, key, frame)
  const place = [described.seq, seq, since, by].find((candidate) => typeof candidate === 'number') as number | undefined
  return { kind, message, key: toHex(key), ...described, ...(place !== undefined && { seq: place }) }
}
