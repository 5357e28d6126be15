/**
 * Reads what can be read of a damaged database, in order. Where a read fails it continues after the damage, as near as
 * it finds a readable place: the rows or events between are given up.
 */
import type { Row, Seq, StoredEvent } from '@varve/core'
import { greatest, successor } from '../journal-kit/key-order.ts'
import type { EventPage, RowState } from './row-state.ts'

/** No table of rows has this byte. */
const endOfTables = 0xff
const rowsAtOnce = 256
/** So many positions after the last readable one are tried one by one; from there on the steps double. */
const singleSteps = 1024

export function* readableEvents(page: EventPage): Generator<readonly StoredEvent[]> {
  let misses = 0
  let step = 1
  for (let at: Seq = 1; Number.isSafeInteger(at); ) {
    const found = unlessDamaged(() => page(at, misses === 0 ? Number.MAX_SAFE_INTEGER : at))
    if (found !== undefined && found.length > 0) {
      yield found
      // Damage can break the order, so this makes sure that the position advances.
      at = Math.max(at, (found.at(-1) as StoredEvent).seq) + 1
      misses = 0
      step = 1
      continue
    }
    if (found !== undefined && misses === 0) return
    if (misses > singleSteps) step *= 2
    // A page that cannot be read may still hold readable events: after the first miss they are read one by one.
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
      // A page that cannot be read may still begin with readable rows.
      count = Math.ceil(count / 4)
    } else at = placesBehind(at).find((place) => from(place, 1) !== undefined)
  }
}

/** Keys after `key`, nearest first: its last byte plus one, the byte before plus one, and so on; then all tables. */
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
