/**
 * Which garbage snapshots keep. A content was visible from the event that added its first version until the event that
 * freed it. A snapshot keeps it if its position is in between. A content that nothing had for a while, and that a copy
 * from the past then used again, counts as visible meanwhile.
 */
import { type Soon, whenThere } from '../base/soon.ts'
import type { Seq } from '../ports/index.ts'
import { wholeStore } from '../settings/whole-store.ts'
import type { RowTransaction } from './row-transaction.ts'
import type { Rows } from './row-reader.ts'
import type { GarbageRow, Pin } from './rows.ts'
import { pinsKey } from './tables.ts'
import { newestPinOf } from './usage.ts'

/** Where and when bytes were visible. */
export type VisibleBytes = Pick<GarbageRow, 'since' | 'home' | 'crossed'> & { readonly freedBy: Seq }

/** The highest of these pins that keeps the bytes. `pins` is ascending. */
export function pinOf(pins: readonly Pin[], bytes: VisibleBytes): Seq | undefined {
  if (bytes.since === undefined) return undefined
  return pins.findLast((pin) => isKeptBy(pin, bytes))?.position
}

/** Whether a snapshot at the pin shows the bytes. */
export const isKeptBy = (pin: Pin, bytes: VisibleBytes): boolean =>
  bytes.since !== undefined && bytes.since <= pin.position && pin.position < bytes.freedBy && isFor(pin, bytes)

/** Whether one of these pins keeps garbage that waits for its erasure. */
export const isPinned = (
  { freedBy }: Pick<VisibleBytes, 'freedBy'>,
  garbage: GarbageRow,
  pins: readonly Pin[],
): boolean => pinOf(pins, { ...garbage, freedBy }) !== undefined

/** Bytes that several buckets had count as bytes of every bucket. */
export const isFor = ({ of }: Pin, { home, crossed }: Pick<GarbageRow, 'home' | 'crossed'>): boolean =>
  of === wholeStore || of === home || crossed === true

export const loadPins = (rows: Rows): Soon<readonly Pin[]> => whenThere(rows.get(pinsKey), (row) => row?.pins ?? [])

/** As `pinOf`, for bytes that an event frees. Mostly without reading the pins. */
export function pinOfFreed(rows: RowTransaction, bytes: VisibleBytes): Soon<Seq | undefined> {
  const { since } = bytes
  if (since === undefined) return undefined
  return whenThere(newestPinOf(rows), (newest) =>
    newest === undefined || newest < since ? undefined : whenThere(loadPins(rows), (pins) => pinOf(pins, bytes)),
  )
}
