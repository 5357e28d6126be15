/** Tips that were remembered: in the witness, in the head row, and by the caller. */
import { isStorageError } from '../base/errors.ts'
import type { Seq, Tip } from '../ports/index.ts'
import { committedRows } from '../views/row-reader.ts'
import { headKey } from '../views/tables.ts'
import type { Findings } from './findings.ts'
import type { VerifyOptions } from './report.ts'
import type { Subject } from './subject.ts'

export interface RememberedTip extends Tip {
  /** Where the tip was remembered, for messages. */
  readonly by: string
}

/** @throws TypeError for an invalid tip of the caller. */
export async function rememberedTips(
  { ports, rows }: Subject,
  { tip }: VerifyOptions,
  findings: Findings,
): Promise<readonly RememberedTip[]> {
  const tips: RememberedTip[] = []
  if (tip !== undefined) tips.push({ ...checkedTip(tip), by: 'the given tip' })
  try {
    const witness = await ports.witness?.read()
    if (witness !== undefined) tips.push({ ...witness, by: 'the witness' })
  } catch (error) {
    if (!isStorageError(error, 'LogCorrupt', 'JournalFailed', 'BlobFailed')) throw error
    findings.note({ kind: 'WitnessDamaged', message: error.message, key: 'witness' })
  }
  try {
    const head = await committedRows(rows, ports.hashing).get(headKey)
    if (head !== undefined) tips.push({ seq: head.seq, hash: head.hash, by: 'the head row' })
  } catch (error) {
    // The comparison of the views reports it.
    if (!isStorageError(error, 'RowCorrupt', 'JournalFailed')) throw error
  }
  return tips
}

/** Reports every tip that is after the end of the log. */
export function noteLostTips(tips: readonly RememberedTip[], end: Seq, findings: Findings): void {
  for (const { seq, by } of tips) {
    if (seq > end)
      findings.note({ kind: 'LogShort', message: `The log ends at ${end}; ${by} remembers event ${seq}.`, seq })
  }
}

function checkedTip(tip: Tip): Tip {
  if (Number.isSafeInteger(tip.seq) && tip.seq > 0 && /^[\w-]{43}$/.test(tip.hash)) return tip
  throw new TypeError('A tip is a position in the log and the SHA-256 of the event there, base64url.')
}
