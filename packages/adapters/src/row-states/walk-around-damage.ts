/**
 * Reads what can be read of a database with damage in it, in order. Where a read fails it goes on behind the damage, as
 * near as it finds a place: what lies between is given up.
 */
import type { Row, Seq, StoredEvent } from '@varve/core'
import { greatest, successor } from '../journal-kit/key-order.ts'
import type { EventPage, RowState } from './row-state.ts'

/** No table of rows has this byte. */
const endOfTables = 0xff
const rowsAtOnce = 256
/** Positions tried one by one behind the last that could be read; from there on in steps that double. */
const singleSteps = 1024

export function* readableEvents(page: EventPage): Generator<readonly StoredEvent[]> {
  let misses = 0
  let step = 1
  for (let at: Seq = 1; Number.isSafeInteger(at); ) {
    const found = unlessDamaged(() => page(at, misses === 0 ? Number.MAX_SAFE_INTEGER : at))
    if (found !== undefined && found.length > 0) {
      yield found
      // Damage can put anything in any order: what counts is to get on.
      at = Math.max(at, (found.at(-1) as StoredEvent).seq) + 1
      misses = 0
      step = 1
      continue
    }
    if (found !== undefined && misses === 0) return
    if (misses > singleSteps) step *= 2
    // A page that cannot be read may still hold events that can: the first miss is read again, one by one.
    if (misses++ > 0) at += step
  }
}

export function* readableRows(rows: RowState['rows']): Generator<readonly Row[]> {
  const lt = Uint8Array.of(endOfTables)
  const from = (gte: Uint8Array, count: number) => unlessDamaged(() => rows({ gte, lt }, count))
  let count = rowsAtOnce
  let at: Uint8Array | undefined = new Uint8Array(0)
  while (at !== undefined) {
    const found: readonly Row[] | undefined = from(at, count)
    if (found?.length === 0) return
    if (found !== undefined) {
      yield found
      at = successor(greatest(at, (found.at(-1) as Row)[0]))
      count = Math.min(count * 2, rowsAtOnce)
    } else if (count > 1) {
      // A page that cannot be read may still begin with rows that can.
      count = Math.ceil(count / 4)
    } else at = placesBehind(at).find((place) => from(place, 1) !== undefined)
  }
}

/** Keys behind `key`, the nearest first: its last byte one up, the one before that one up, and so on; then every table. */
function placesBehind(key: Uint8Array): Uint8Array[] {
  const places: Uint8Array[] = []
  for (let length = key.length; length > 0; length--) {
    const byte = key[length - 1] as number
    if (byte < 0xff) places.push(Uint8Array.of(...key.subarray(0, length - 1), byte + 1))
  }
  for (let table = (key[0] ?? -1) + 1; table < endOfTables; table++) places.push(Uint8Array.of(table))
  return places
}

function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
