import type { Seq } from '../ports/index.ts'
import { pinnedByTable, unpinnedTable } from './content-tables.ts'
import type { RowTransaction } from './row-transaction.ts'
import type { Pin } from './rows.ts'
import { pinsKey } from './tables.ts'
import { setNewestPin } from './usage.ts'

export async function putPins(rows: RowTransaction, pins: readonly Pin[]): Promise<void> {
  const inOrder = pins.toSorted(byPosition)
  if (inOrder.length === 0) rows.delete(pinsKey)
  else rows.put(pinsKey, { pins: inOrder })
  await setNewestPin(rows, inOrder.at(-1)?.position)
}

/** Notes that a pin is gone, and that garbage which it alone kept is to be returned. */
export async function unpin(rows: RowTransaction, { position, of }: Pin): Promise<void> {
  const pinned = await rows.first(pinnedByTable.range)
  if (pinned !== undefined) rows.put(unpinnedTable.key({ position, of }), {})
}

const byPosition = (a: Pin, b: Pin): Seq => a.position - b.position || a.of - b.of

/** Whether two pins keep the same bytes. */
export const isSamePin = (a: Pin, b: Pin): boolean => a.position === b.position && a.of === b.of
