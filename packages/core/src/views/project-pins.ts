import type { RecordedEvent } from '../events/index.ts'
import { type GarbagePlace, garbageTable, pinnedTable, unpinnedTable } from './content-tables.ts'
import { putGarbage, takeGarbage } from './garbage.ts'
import { loadPins, pinOf } from './pins.ts'
import type { RowTransaction } from './row-transaction.ts'
import type { GarbageRow } from './rows.ts'
import { forksThatShow } from './shown-bytes.ts'

export async function projectPins(rows: RowTransaction, { data }: RecordedEvent<'PinsSettled'>): Promise<void> {
  for (const place of data.pinned) await pin(rows, place)
  for (const place of data.released) await release(rows, place)
  if (data.settled !== undefined) rows.delete(unpinnedTable.key(data.settled))
}

async function pin(rows: RowTransaction, place: GarbagePlace): Promise<void> {
  const waiting = await rows.get(garbageTable.key(place))
  if (waiting === undefined) return
  const bytes = { ...waiting, freedBy: place.freedBy }
  const position = pinOf(await loadPins(rows), bytes)
  if (position === undefined) return
  const shownBy = await forksThatShow(rows, bytes)
  await move(rows, place, { from: waiting, to: { ...waiting, pin: position, ...(shownBy && { shownBy }) } })
}

async function release(rows: RowTransaction, place: GarbagePlace): Promise<void> {
  const pinned = await rows.get(pinnedTable.key(place))
  if (pinned === undefined) return
  const { pin: _pin, shownBy: _forks, ...waiting } = pinned
  await move(rows, place, { from: pinned, to: waiting })
}

async function move(
  rows: RowTransaction,
  place: GarbagePlace,
  { from, to }: { readonly from: GarbageRow; readonly to: GarbageRow },
): Promise<void> {
  await takeGarbage(rows, place, from)
  await putGarbage(rows, place, to)
}
