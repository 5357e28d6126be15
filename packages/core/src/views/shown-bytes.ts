/**
 * Charges forks for bytes that their base has removed and that they still show: the snapshot of a fork keeps these bytes, and only the
 * owner of the fork can end that.
 */
import type { Seq } from '../ports/index.ts'
import { bucketRowAt } from './bucket-row-at.ts'
import { usageTable } from './content-tables.ts'
import { borrowedTable } from './fork-tables.ts'
import { bucketWithRows } from './incarnation.ts'
import { existing } from './past-versions.ts'
import { loadPins, type VisibleBytes } from './pins.ts'
import type { RowTransaction } from './row-transaction.ts'
import type { GarbageRow, Pin } from './rows.ts'
import { countShared, countUsage } from './usage.ts'

/** A version that ends, its bucket, and the incarnation of that. */
export interface EndedPlace {
  readonly bucket: string
  readonly key: string
  readonly version: Seq
  readonly home: Seq
}

/** Whether the fork exists: it was neither deleted nor dropped. */
export const isThere = (pins: readonly Pin[], fork: Seq): boolean =>
  pins.some((pin) => pin.fork === fork && pin.until === undefined)

/**
 * The forks that show bytes which no version needs any more, also forks of forks. `undefined`: none. A fork that has borrowed the ended
 * version has removed it itself, and one that began while its base did not have the version never showed it. Without `ended`, every fork
 * counts that began while the bytes were visible.
 */
export async function forksThatShow(
  rows: RowTransaction,
  bytes: VisibleBytes,
  ended?: EndedPlace,
): Promise<readonly Seq[] | undefined> {
  const pins = await loadPins(rows)
  const origin = ended === undefined ? bytes.home : originOf(pins, ended)
  const lineage = ended && (await lineageOf(rows, ended.bucket))
  const shown = await forksOf({ rows, pins, bytes, ended, lineage }, origin)
  return shown.length === 0 ? undefined : shown
}

interface Search {
  readonly rows: RowTransaction
  readonly pins: readonly Pin[]
  readonly bytes: VisibleBytes
  readonly ended: EndedPlace | undefined
  readonly lineage: ReadonlyMap<Seq, string> | undefined
}

async function forksOf(search: Search, bucket: Seq): Promise<readonly Seq[]> {
  const { rows, pins, bytes, ended } = search
  const { since = Number.POSITIVE_INFINITY, freedBy } = bytes
  const found: Seq[] = []
  for (const { fork, of, position } of pins) {
    if (fork === undefined || of !== bucket || position < since || position >= freedBy) continue
    if (!(await showedAt(search, bucket, position))) continue
    const own = ended && (await rows.get(borrowedTable.key(fork, ended.key, ended.version)))
    if (own === undefined && isThere(pins, fork)) found.push(fork)
    found.push(...(await forksOf(search, fork)))
  }
  return found
}

/** Whether a bucket that may have the ended version had it after an event. */
async function showedAt({ rows, ended, lineage }: Search, bucket: Seq, at: Seq): Promise<boolean> {
  const name = lineage?.get(bucket)
  if (ended === undefined || name === undefined) return true
  const { key, version } = ended
  const isInherited = version < bucket && (await rows.get(borrowedTable.key(bucket, key, version))) === undefined
  return isInherited || (await existing(rows, { bucket: name, key }, { version, at })) !== undefined
}

/** The names of a bucket and of what it is a fork of, by incarnation. */
async function lineageOf(rows: RowTransaction, bucket: string): Promise<ReadonlyMap<Seq, string>> {
  const names = new Map<Seq, string>()
  let row = await bucketWithRows(rows, bucket)
  for (let name = bucket; row !== undefined; ) {
    names.set(row.incarnation, name)
    if (row.base === undefined) break
    name = row.base.bucket
    row = await bucketRowAt(rows, name, row.base.position)
  }
  return names
}

/** The bucket that a version was added to: a base, if a fork has borrowed it. */
function originOf(pins: readonly Pin[], { version, home }: Pick<EndedPlace, 'version' | 'home'>): Seq {
  const pin = pins.find(({ fork }) => fork === home)
  return pin === undefined || version > pin.position ? home : originOf(pins, { version, home: pin.of })
}

/** A fork that is gone counts for its owner no more. */
export async function countShown(rows: RowTransaction, forks: readonly Seq[], bytes: number): Promise<void> {
  const pins = await loadPins(rows)
  for (const fork of forks) {
    await countUsage(rows, fork, { shown: bytes })
    const owner = isThere(pins, fork) ? (await rows.get(usageTable.key(fork)))?.owner : undefined
    if (owner !== undefined) await countShared(rows, owner, bytes)
  }
}

/** What a fork shows counts for its owner, from its creation until it is gone. */
export async function countForOwner(rows: RowTransaction, fork: Seq, sign: 1 | -1): Promise<void> {
  const { owner, shown = 0 } = (await rows.get(usageTable.key(fork))) ?? {}
  if (owner !== undefined && shown > 0) await countShared(rows, owner, sign * shown)
}

/** Bytes that count for a fork from its beginning count as its own once it uses them again: then it can remove them. */
export async function endInherited(
  rows: RowTransaction,
  fork: Seq,
  { freedBy, home, pin, shownBy = [], bytes: size }: GarbageRow & { readonly freedBy: Seq },
): Promise<void> {
  const { inherited = 0, owner } = (await rows.get(usageTable.key(fork))) ?? {}
  if (inherited === 0 || freedBy > fork || shownBy.includes(fork)) return
  // What waits in its base is counted when a sweep sets it aside.
  const pins = await loadPins(rows)
  if (pin === undefined && pins.some((one) => one.fork === fork && one.of === home)) return
  const bytes = Math.min(inherited, size)
  await countUsage(rows, fork, { shown: -bytes, inherited: -bytes })
  if (owner !== undefined && isThere(pins, fork)) await countShared(rows, owner, -bytes)
}
