import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { erasingTable } from '../views/content-tables.ts'
import { committedRows } from '../views/row-reader.ts'
import { ErasureBatch } from './erasure-batch.ts'
import { garbageInOrder } from './garbage-in-order.ts'

interface Started {
  readonly batch: ErasureBatch
  /** A read in progress needs bytes whose erasure has started. */
  readonly isBlocked: boolean
}

/** The contents whose erasure has started, as many as a batch has. `horizon`: no read in progress began before it. */
export async function startedErasures(reader: RowReader, hashing: Hashing, horizon: Seq): Promise<Started> {
  const batch = new ErasureBatch(committedRows(reader, hashing))
  for await (const { place, row } of garbageInOrder(reader, hashing, erasingTable.range)) {
    if (place.freedBy > horizon) return { batch, isBlocked: true }
    if (batch.isFull) break
    await batch.add(place, row.content)
  }
  return { batch, isBlocked: false }
}
