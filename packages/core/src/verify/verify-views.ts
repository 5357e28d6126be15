/** Are the stored rows what the log makes of them? */
import { compareBytes } from '../bytes/bytes.ts'
import { toHex } from '../bytes/hex.ts'
import { isStorageError } from '../errors.ts'
import type { Hashing, Journal, Row } from '../ports/index.ts'
import { catchUp } from '../store/catch-up.ts'
import { describeKey } from '../views/describe-key.ts'
import { decodeRow } from '../views/row-codec.ts'
import { viewRange } from '../views/tables.ts'
import type { Findings } from './findings.ts'
import type { Divergence, DivergenceKind, VerifyOptions } from './report.ts'
import { rowsInOrder, type RowsInOrder } from './rows-in-order.ts'
import type { Subject } from './subject.ts'

/** Makes the views again in `scratch` and compares them with the stored ones, row by row. */
export async function verifyViews(
  subject: Subject,
  scratch: Journal,
  options: VerifyOptions,
  findings: Findings,
): Promise<void> {
  const { journal, hashing } = subject.ports
  const { signal, onProgress } = options
  await catchUp({
    log: journal,
    views: scratch,
    hashing,
    from: 1,
    to: subject.end,
    ...(signal && { signal }),
    onProgress: (progress) => onProgress?.({ stage: 'views', ...progress }),
  })
  const [stored, made] = [rowsInOrder(subject.rows.cursor(viewRange)), rowsInOrder(scratch.cursor(viewRange))]
  try {
    await readable(findings, () => compareAll(hashing, { stored, made }, findings, signal))
  } finally {
    await stored.close()
    await made.close()
  }
}

/** For a log that is not whole: what rows should be cannot be known, but damage to one shows in itself. */
export async function verifyRows(subject: Subject, options: VerifyOptions, findings: Findings): Promise<void> {
  const stored = rowsInOrder(subject.rows.cursor(viewRange))
  try {
    await readable(findings, async () => {
      for (let row = await stored.peek(); row !== undefined; row = await stored.peek()) {
        options.signal?.throwIfAborted()
        stored.take()
        findings.rows++
        if (!intact(subject.ports.hashing, row)) findings.note(corruptRow(row[0]))
      }
    })
  } finally {
    await stored.close()
  }
}

/** What LevelDB cannot give is a finding, not the end of the verification. */
async function readable(findings: Findings, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isStorageError(error, 'JournalFailed')) throw error
    findings.note({ kind: 'JournalUnreadable', message: error.message, key: 'rows' })
  }
}

async function compareAll(
  hashing: Hashing,
  rows: Readonly<Record<'stored' | 'made', RowsInOrder>>,
  findings: Findings,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let pair = await nextPair(rows); pair !== undefined; pair = await nextPair(rows)) {
    if (++findings.rows % 1000 === 0) signal?.throwIfAborted()
    const found = judge(hashing, ...pair)
    if (found !== undefined) findings.note(found)
  }
}

type Pair = readonly [stored: Row | undefined, made: Row | undefined]

/** The rows of the lowest key that either side has. */
async function nextPair({ stored, made }: Readonly<Record<'stored' | 'made', RowsInOrder>>): Promise<Pair | undefined> {
  const [a, b] = [await stored.peek(), await made.peek()]
  if (a === undefined && b === undefined) return undefined
  const order = a === undefined ? 1 : b === undefined ? -1 : compareBytes(a[0], b[0])
  if (order <= 0) stored.take()
  if (order >= 0) made.take()
  return [order <= 0 ? a : undefined, order >= 0 ? b : undefined]
}

/** The stored row and the one the log makes; one of them may be missing. */
function judge(hashing: Hashing, stored: Row | undefined, made: Row | undefined): Divergence | undefined {
  if (stored === undefined) return divergence('RowMissing', 'A row is missing.', made as Row, hashing)
  if (made !== undefined && compareBytes(stored[1], made[1]) === 0) return undefined
  if (!intact(hashing, stored)) return corruptRow(stored[0])
  if (made === undefined) return divergence('RowUnexpected', 'A row no event made.', stored, hashing)
  return divergence('RowDiffers', 'A row is not what the log makes of it.', made, hashing)
}

function intact(hashing: Hashing, [key, frame]: Row): boolean {
  try {
    decodeRow(hashing, key, frame)
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

/** With the event that brought the row, if the row says so. */
function divergence(kind: DivergenceKind, message: string, [key, frame]: Row, hashing: Hashing): Divergence {
  const described = describeKey(key)
  const { seq, since, by } = decodeRow<{ seq?: unknown; since?: unknown; by?: unknown }>(hashing, key, frame)
  const place = [described.seq, seq, since, by].find((candidate) => typeof candidate === 'number') as number | undefined
  return { kind, message, key: toHex(key), ...described, ...(place !== undefined && { seq: place }) }
}
