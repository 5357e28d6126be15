/** Counts the stored bytes, the versions and the uploads of each bucket and each owner, so that nothing has to read them all. */
import { type Soon, whenThere } from '../base/soon.ts'
import type { Content } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { ownerSharedTable, ownerUsageTable, uploadUsageTable, usageTable } from './content-tables.ts'
import type { RowTransaction } from './row-transaction.ts'
import type { OwnerUsageRow, UsageRow } from './usage-rows.ts'
import type { RowKey } from './row-key.ts'

/** What an event adds to the counters of a bucket. Negative: what it takes away. */
export type UsageChange = Partial<Omit<UsageRow, 'owner' | 'newestPin'>>

/** The row of all buckets together. */
export const allBuckets: Seq = 0

const totalKey = usageTable.key(allBuckets)

export const noUsage: UsageRow = { live: 0, kept: 0, pinned: 0, versions: 0, uploads: 0 }
export const noOwnerUsage: OwnerUsageRow = { live: 0, buckets: 0 }

/** A bucket is there, at its creation. From then on, its bytes count for its owner too. */
export async function startUsage(rows: RowTransaction, home: Seq, owner: string): Promise<void> {
  rows.put(usageTable.key(home), { ...noUsage, owner })
  await countOwned(rows, owner, { buckets: 1 })
}

/** A promise only if a row must be read first. */
export function countUsage(rows: RowTransaction, home: Seq, change: UsageChange): Soon<void> {
  const { kept = 0, pinned = 0 } = change
  return whenThere(countIn(rows, usageTable.key(home), change), () =>
    kept === 0 && pinned === 0 ? undefined : countIn(rows, totalKey, { kept, pinned }),
  )
}

function countIn(rows: RowTransaction, key: RowKey<UsageRow>, change: UsageChange): Soon<void> {
  return withRow(rows, key, (row) => {
    rows.put(key, added(row, change))
    const { live = 0, shared = 0 } = change
    if (row?.owner === undefined || (live === 0 && shared === 0)) return undefined
    const { owner } = row
    return whenThere(live === 0 ? undefined : countOwned(rows, owner, { live }), () =>
      shared === 0 ? undefined : countShared(rows, owner, shared),
    )
  })
}

/** Counts what an owner has besides the `live` of its buckets. */
export async function countShared(rows: RowTransaction, owner: string, change: number): Promise<void> {
  const key = ownerSharedTable.key(owner)
  const bytes = ((await rows.get(key))?.bytes ?? 0) + change
  if (bytes > 0) rows.put(key, { bytes })
  else rows.delete(key)
}

/** Counts buckets of an owner, or bytes in them. */
export function countOwned(
  rows: RowTransaction,
  owner: string,
  { live = 0, buckets = 0 }: Partial<OwnerUsageRow>,
): Soon<void> {
  const key = ownerUsageTable.key(owner)
  return withRow(rows, key, (row = noOwnerUsage) => {
    rows.put(key, { live: Math.max(0, row.live + live), buckets: Math.max(0, row.buckets + buckets) })
    return undefined
  })
}

function withRow<R>(rows: RowTransaction, key: RowKey<R>, change: (row: R | undefined) => Soon<void>): Soon<void> {
  return whenThere(rows.get(key), change)
}

/** Never below zero: a salvaged log may lack the event that added something. */
function added(
  row: UsageRow = noUsage,
  { live = 0, kept = 0, pinned = 0, versions = 0, uploads = 0, shared, shown, inherited }: UsageChange,
): UsageRow {
  // Assigned, because every put counts, and spreads of what is mostly absent would cost more than the rest.
  const sum: { -readonly [K in keyof UsageRow]: UsageRow[K] } = {
    live: Math.max(0, row.live + live),
    kept: Math.max(0, row.kept + kept),
    pinned: Math.max(0, row.pinned + pinned),
    versions: Math.max(0, row.versions + versions),
    uploads: Math.max(0, row.uploads + uploads),
  }
  if (row.owner !== undefined) sum.owner = row.owner
  if (row.newestPin !== undefined) sum.newestPin = row.newestPin
  const sharedThen = sumOf(row.shared, shared)
  if (sharedThen > 0) sum.shared = sharedThen
  const shownThen = sumOf(row.shown, shown)
  if (shownThen > 0) sum.shown = shownThen
  const inheritedThen = sumOf(row.inherited, inherited)
  if (inheritedThen > 0) sum.inherited = inheritedThen
  return sum
}

const sumOf = (before = 0, change = 0): number => before + change

/** The highest position of a snapshot. */
export const newestPinOf = (rows: RowTransaction): Soon<Seq | undefined> =>
  whenThere(rows.get(totalKey), (row) => row?.newestPin)

/** `undefined`: there are no snapshots. */
export async function setNewestPin(rows: RowTransaction, newest: Seq | undefined): Promise<void> {
  const { newestPin: _before, ...row } = (await rows.get(totalKey)) ?? noUsage
  rows.put(totalKey, { ...row, ...(newest !== undefined && { newestPin: newest }) })
}

/** Counts bytes of a part of an upload; negative for a part that is not needed any more. */
export async function countPart(rows: RowTransaction, upload: Seq, home: Seq, bytes: number): Promise<void> {
  const key = uploadUsageTable.key(upload)
  const before = await rows.get(key)
  rows.put(key, { home: before?.home ?? home, bytes: Math.max(0, (before?.bytes ?? 0) + bytes) })
}

/** The stored bytes of a content that is no upload. */
export const storedBytes = (content: Content): number => (content.kind === 'blob' ? content.blob.size : 0)
