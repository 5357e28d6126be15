/** What another retention would let go, counted before it is stated. */
import type { Engine } from '../engine/engine.ts'
import type { RowReader } from '../ports/index.ts'
import type { Retentions } from '../retention/retentions.ts'
import { garbageTable } from '../views/content-tables.ts'
import { queueOf } from '../views/garbage.ts'
import { isPinned, loadPins } from '../views/pins.ts'
import { committedRows } from '../views/row-reader.ts'
import { keptBytes } from './excess.ts'
import { garbageInOrder } from './garbage-in-order.ts'
import type { Amount } from './pinned-bytes.ts'

/**
 * What sweeps erase until `afterMs` milliseconds have passed, if `next` counts then, and would not have erased now. What snapshots keep does
 * not count.
 */
export async function erasedUnder(
  engine: Engine,
  reader: RowReader,
  { now, next, afterMs }: { readonly now: Retentions; readonly next: Retentions; readonly afterMs: number },
): Promise<Amount> {
  const { clock, ports } = engine
  const pins = await loadPins(committedRows(reader, ports.hashing))
  const { kept, allowed } = await keptBytes(engine, reader, next.budget)
  let [contents, bytes, left] = [0, 0, kept]
  for await (const { place, row } of garbageInOrder(reader, ports.hashing, garbageTable.range)) {
    if (isPinned(place, row, pins)) continue
    const queue = queueOf(row)
    const isPast = (keepMs: number) => clock.isPastRetention(keepMs, place.freedBy, row.at)
    const isErased = isPast(Math.max(0, next.keepMs(queue) - afterMs)) || left > allowed
    if (isErased) left -= row.bytes
    if (!isErased || isPast(now.keepMs(queue))) continue
    contents++
    bytes += row.bytes
  }
  return { contents, bytes }
}
