/** Puts garbage where it belongs: into the queue that it waits in, or aside for a snapshot. */
import { type Soon, whenThere } from '../base/soon.ts'
import type { Seq } from '../ports/index.ts'
import {
  type GarbagePlace,
  garbageTable,
  type PinnedPlace,
  pinnedByTable,
  pinnedTable,
  waitingTable,
} from './content-tables.ts'
import type { RowTransaction } from './row-transaction.ts'
import type { Rows } from './row-reader.ts'
import type { GarbageRow } from './rows.ts'
import { wholeStore } from '../settings/whole-store.ts'
import { countShown } from './shown-bytes.ts'
import { countUsage, type UsageChange } from './usage.ts'

/** Garbage that waits for its erasure, or that a snapshot keeps. `undefined` if its erasure has started. */
export const garbageAt = async (rows: Rows, place: GarbagePlace): Promise<GarbageRow | undefined> =>
  (await rows.get(garbageTable.key(place))) ?? rows.get(pinnedTable.key(place))

/** Counts the bytes as kept, or for the snapshots and forks that keep them. `freed`: what the bucket no longer has. */
export function putGarbage(
  rows: RowTransaction,
  place: GarbagePlace,
  garbage: GarbageRow,
  freed: UsageChange = {},
): Soon<void> {
  const pinned = pinnedPlace(place, garbage)
  if (pinned === undefined) {
    rows.put(garbageTable.key(place), garbage)
    rows.put(waitingTable.key(queueOf(garbage), place), {})
  } else {
    rows.put(pinnedTable.key(place), garbage)
    rows.put(pinnedByTable.key(pinned), {})
  }
  return countGarbage(rows, garbage, { ...freed, ...heldBytes(garbage, garbage.bytes) })
}

/** The bytes must be counted elsewhere. */
export function takeGarbage(rows: RowTransaction, place: GarbagePlace, garbage: GarbageRow): Soon<void> {
  const pinned = pinnedPlace(place, garbage)
  if (pinned === undefined) {
    rows.delete(garbageTable.key(place))
    rows.delete(waitingTable.key(queueOf(garbage), place))
  } else {
    rows.delete(pinnedTable.key(place))
    rows.delete(pinnedByTable.key(pinned))
  }
  return countGarbage(rows, garbage, heldBytes(garbage, -garbage.bytes))
}

function countGarbage(rows: RowTransaction, { home, shownBy }: GarbageRow, change: UsageChange): Soon<void> {
  const { pinned = 0 } = change
  return whenThere(countUsage(rows, home, change), () =>
    shownBy === undefined ? undefined : countShown(rows, shownBy, pinned),
  )
}

const heldBytes = ({ pin }: GarbageRow, bytes: number): UsageChange =>
  pin === undefined ? { kept: bytes } : { pinned: bytes }

function pinnedPlace(place: GarbagePlace, garbage: GarbageRow): PinnedPlace | undefined {
  const { pin, since } = garbage
  return pin === undefined || since === undefined ? undefined : { ...place, queue: queueOf(garbage), pin, since }
}

/** The queue of bytes that no version ever had. Nothing can read them or bring them back, so they are due at once. */
export const unseenQueue: Seq = Number.MAX_SAFE_INTEGER

/** The queue of garbage in the order in which it is due. */
export function queueOf({ home, crossed, since }: Pick<GarbageRow, 'home' | 'crossed' | 'since'>): Seq {
  if (since === undefined) return unseenQueue
  return crossed === true ? wholeStore : home
}
