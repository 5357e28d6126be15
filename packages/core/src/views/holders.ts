/**
 * Counts, for bytes that several buckets share, the versions of each bucket that have them. So the bytes can count for every
 * bucket that needs them, and for no other.
 */
import type { Seq } from '../ports/index.ts'
import { holderTable } from './content-tables.ts'
import type { RowTransaction } from './row-transaction.ts'

/** So far, one bucket had all versions with the content. */
export function startHolding(
  rows: RowTransaction,
  id: string,
  { home, versions }: { readonly home: Seq; readonly versions: number },
): void {
  rows.put(holderTable.key(id, home), { versions })
}

/** Resolves with whether it is the first version of the bucket with the content. */
export async function addHolder(rows: RowTransaction, id: string, bucket: Seq): Promise<boolean> {
  const key = holderTable.key(id, bucket)
  const before = await rows.get(key)
  rows.put(key, { versions: (before?.versions ?? 0) + 1 })
  return before === undefined
}

/** Resolves with whether it was the last version of the bucket with the content. */
export async function endHolder(rows: RowTransaction, id: string, bucket: Seq): Promise<boolean> {
  const key = holderTable.key(id, bucket)
  const before = await rows.get(key)
  if (before === undefined) return false
  if (before.versions > 1) rows.put(key, { versions: before.versions - 1 })
  else rows.delete(key)
  return before.versions <= 1
}

/** The oldest bucket that has a version with the content. */
export async function firstHolder(rows: RowTransaction, id: string): Promise<Seq | undefined> {
  const first = await rows.first(holderTable.ofContent(id))
  return first && holderTable.home(first.key)
}
