/**
 * LevelDB's part of the machine at one moment, as LevelDB was measured to behave, not as it is documented. Batches are
 * atomic. What was not synced is lost as the end of the log. A sync that fails stops all later writes, and its batch
 * may be there after the next open. An append that fails stops nothing: later batches are acknowledged, and gone at the
 * next open, behind the torn record.
 */
import type { Keep } from './disk-image.ts'
import type { Random } from '../support/random.ts'

export interface Entry {
  /** The key with one character per byte: compares as the bytes do. */
  readonly name: string
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/** Sorted by name. */
export type Table = readonly Entry[]

export type RowChange = Pick<Entry, 'name' | 'key'> & { readonly value: Uint8Array | undefined }

/** What one write left in the log file. */
export type LogRecord = readonly RowChange[] | 'torn'

export interface RowImage {
  /** Whether there is a database, and whether its files are sure to have their names after a power cut. */
  readonly exists: 'no' | 'unsynced' | 'yes'
  readonly seen: Table
  readonly durable: Table
  /** In the log file and not synced, or behind a torn record. */
  readonly log: readonly LogRecord[]
  /** A sync failed: LevelDB refuses all later writes. */
  readonly latched: boolean
}

export const noRows: RowImage = { exists: 'no', seen: [], durable: [], log: [], latched: false }

export function applyChanges(table: Table, changes: readonly RowChange[]): Table {
  const next = [...table]
  for (const { name, key, value } of changes) {
    const at = placeOf(next, name)
    const there = next[at]?.name === name ? 1 : 0
    if (value === undefined) next.splice(at, there)
    else next.splice(at, there, { name, key, value })
  }
  return next
}

/** The index of the first entry at or after `name`. */
export function placeOf(table: Table, name: string): number {
  let [low, high] = [0, table.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((table[middle] as Entry).name < name) low = middle + 1
    else high = middle
  }
  return low
}

/** Recovery reads up to the first torn record, and ignores everything behind it. */
const readable = (log: readonly LogRecord[]): readonly (readonly RowChange[])[] => {
  const torn = log.indexOf('torn')
  return (torn < 0 ? log : log.slice(0, torn)) as readonly (readonly RowChange[])[]
}

/** A sync brings to the disk what recovery will be able to read. */
export function syncLog(image: RowImage): RowImage {
  const whole = readable(image.log)
  return { ...image, durable: whole.reduce(applyChanges, image.durable), log: image.log.slice(whole.length) }
}

/** What the next open finds; it writes what it recovered anew, and syncs that. */
export function reopenRows(image: RowImage, survivors = readable(image.log).length): RowImage {
  const rows = readable(image.log).slice(0, survivors).reduce(applyChanges, image.durable)
  return { exists: image.exists, seen: rows, durable: rows, log: [], latched: false }
}

/** A power cut: of the log file some beginning survives. */
export function crashRows(image: RowImage, keep: Keep, random: Random): RowImage {
  const named =
    image.exists !== 'unsynced' || keep === 'all' || keep === 'names' || (keep === 'subset' && random.chance(0.5))
  if (!named) return noRows
  const unsynced = readable(image.log).length
  const survivors = { none: 0, names: 0, all: unsynced, subset: random.below(unsynced + 1) }
  return { ...reopenRows(image, survivors[keep]), exists: image.exists === 'no' ? 'no' : 'yes' }
}
