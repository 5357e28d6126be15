import type { RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { type ByteRetention, longestOf } from '../settings/byte-retention.ts'
import { wholeStore } from '../settings/whole-store.ts'
import { incarnationOf } from './incarnation.ts'
import type { RowTransaction } from './row-transaction.ts'
import type { RetentionRow } from './rows.ts'
import { retentionTable } from './tables.ts'

export async function projectRetention(
  rows: RowTransaction,
  { seq, at, data }: RecordedEvent<'RetentionSet'>,
): Promise<void> {
  const { bucket, retention, graceMs = 0 } = data
  const of = bucket === undefined ? wholeStore : await incarnationOf(rows, bucket)
  const counted = graceMs === 0 ? undefined : await countedBefore(rows, of)
  const before = counted && { ...counted, at, graceMs }
  if (retention === null && before === undefined) return rows.delete(retentionTable.key(of))
  const stated = retention ?? { keepMs: 0, follows: true as const }
  rows.put(retentionTable.key(of), { ...stated, since: seq, ...(before && { before }) })
}

/**
 * The longest that counted until now. What was before that counts too, whether its time is over or not: what it does not protect any more
 * is gone already. `undefined` if nothing was stated.
 */
async function countedBefore(rows: RowTransaction, of: Seq): Promise<ByteRetention | undefined> {
  const own = await rows.get<RetentionRow>(retentionTable.key(of))
  const ofStore = of === wholeStore ? undefined : await rows.get<RetentionRow>(retentionTable.key(wholeStore))
  const isStated = own !== undefined && own.follows !== true
  const counted = [
    ...(isStated ? [own] : ofStore ? [ofStore] : []),
    own?.before,
    isStated ? undefined : ofStore?.before,
  ]
  const all = counted.filter((each) => each !== undefined)
  if (all.length === 0) return undefined
  // Only the store has one.
  const { keepMs, budget } = longestOf(all)
  return { keepMs, ...(of === wholeStore && budget && { budget }) }
}
