import { isOfUsage } from '../views/content-tables.ts'
import type { CommitNumber, HotRows } from '../views/hot-rows.ts'
import type { RowTransaction } from '../views/row-transaction.ts'

/** The approximate size of a usage row, in bytes. */
const usageBytes = 96

/** Each commit changes and needs these rows. Reading them again would cost more than they save. */
export function keepUsage(rows: RowTransaction, hot: HotRows, commit: CommitNumber): void {
  rows.eachPut((key, row) => {
    if (isOfUsage(key)) hot.keep(key, row, usageBytes, commit)
  })
}
