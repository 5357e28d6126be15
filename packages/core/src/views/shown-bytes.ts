/**
 * Charges forks for bytes that their base has removed and that they still show: the snapshot of a fork keeps these bytes, and only the
 * owner of the fork can end that.
 */
import type { Seq } from '../ports/index.ts'
import { usageTable } from './content-tables.ts'
import { borrowedTable } from './fork-tables.ts'
import { loadPins, type VisibleBytes } from './pins.ts'
import type { RowTransaction } from './row-transaction.ts'
import type { Pin } from './rows.ts'
import { countShared, countUsage } from './usage.ts'

/** A version that ends, and the incarnation of its bucket. */
export interface EndedPlace {
  readonly key: string
  readonly version: Seq
  readonly home: Seq
}

/** Whether the fork exists: it was neither deleted nor dropped. */
export const isThere = (pins: readonly Pin[], fork: Seq): boolean =>
  pins.some((pin) => pin.fork === fork && pin.until === undefined)

/**
 * The forks that show bytes which no version needs any more, also forks of forks. `undefined`: none. A fork that has borrowed the ended
 * version has removed it itself. Without `ended`, no fork has.
 */
export async function forksThatShow(
  rows: RowTransaction,
  bytes: VisibleBytes,
  ended?: EndedPlace,
): Promise<readonly Seq[] | undefined> {
  const pins = await loadPins(rows)
  const shown: Seq[] = []
  for (const fork of forksOf(pins, ended === undefined ? bytes.home : originOf(pins, ended), bytes)) {
    const own = ended && (await rows.get(borrowedTable.key(fork, ended.key, ended.version)))
    if (own === undefined && isThere(pins, fork)) shown.push(fork)
  }
  return shown.length === 0 ? undefined : shown
}

/** The forks of a bucket, and their forks, that began while the bytes were visible. */
function forksOf(
  pins: readonly Pin[],
  bucket: Seq,
  { since = Number.POSITIVE_INFINITY, freedBy }: VisibleBytes,
): readonly Seq[] {
  return pins.flatMap(({ fork, of, position }) =>
    fork !== undefined && of === bucket && since <= position && position < freedBy
      ? [fork, ...forksOf(pins, fork, { since, freedBy, home: fork })]
      : [],
  )
}

/** The bucket that a version was added to: a base, if a fork has borrowed it. */
function originOf(pins: readonly Pin[], { version, home }: Omit<EndedPlace, 'key'>): Seq {
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
