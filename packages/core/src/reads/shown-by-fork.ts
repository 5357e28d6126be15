/** What a new fork of the past would be charged for: bytes that its base showed then and that no version needs any more. */
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { wholeStore } from '../settings/whole-store.ts'
import { garbageTable, waitingTable } from '../views/content-tables.ts'
import type { Rows } from '../views/row-reader.ts'
import type { WaitingRow } from '../views/rows.ts'
import { walkRows } from './row-walk.ts'

interface Reading {
  readonly reader: RowReader
  readonly rows: Rows
  readonly hashing: Hashing
}

/** Stops when it is certain that they are more than `room` bytes. */
export async function bytesShownByFork(
  { reader, rows, hashing }: Reading,
  base: { readonly incarnation: Seq; readonly position: Seq },
  room: number,
): Promise<number> {
  const { incarnation, position } = base
  let bytes = 0
  for (const queue of [incarnation, wholeStore]) {
    const walk = walkRows<WaitingRow>(reader, hashing, waitingTable.ofQueue(queue))
    try {
      walk.skipTo(waitingTable.key(queue, { freedBy: position + 1, index: 0 }).bytes)
      for (let next = await walk.next(); next !== undefined && bytes <= room; next = await walk.next()) {
        const garbage = await rows.get(garbageTable.key(waitingTable.place(next.key)))
        if (garbage?.home !== incarnation || garbage.since === undefined || garbage.since > position) continue
        bytes += garbage.bytes
      }
    } finally {
      await walk.close()
    }
  }
  return bytes
}
