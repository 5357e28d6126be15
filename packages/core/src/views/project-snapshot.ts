import type { RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { wholeStore } from '../settings/whole-store.ts'
import { erasedKey, pinnedByTable, unpinnedTable } from './content-tables.ts'
import { incarnationAt } from './incarnation.ts'
import { loadPins } from './pins.ts'
import type { RowTransaction } from './row-transaction.ts'
import type { Pin } from './rows.ts'
import { pinsKey, snapshotTable } from './tables.ts'
import { setNewestPin } from './usage.ts'

/** Writes few rows, however many bytes the snapshot keeps: the sweep does the rest. */
export function projectSnapshot(
  rows: RowTransaction,
  event: RecordedEvent<'SnapshotCreated' | 'SnapshotDeleted'>,
): Promise<void> {
  return event.type === 'SnapshotCreated' ? create(rows, event) : remove(rows, event.data.name)
}

async function create(
  rows: RowTransaction,
  { seq, at, by, data: { name, position = seq, bucket } }: RecordedEvent<'SnapshotCreated'>,
): Promise<void> {
  const of = await keptBuckets(rows, bucket, position)
  const { upTo = 0 } = (await rows.get(erasedKey)) ?? {}
  rows.put(snapshotTable.key(name), {
    position,
    since: seq,
    at,
    by,
    of,
    ...(bucket !== undefined && { bucket }),
    ...(upTo <= position && { complete: true }),
  })
  const pins = await loadPins(rows)
  await putPins(rows, [...pins, { position, of }].sort(byPosition))
}

/** A salvaged log may lack the bucket: then the snapshot keeps the bytes of all. */
const keptBuckets = async (rows: RowTransaction, bucket: string | undefined, at: Seq): Promise<Seq> =>
  (bucket === undefined ? undefined : await incarnationAt(rows, bucket, at)) ?? wholeStore

async function remove(rows: RowTransaction, name: string): Promise<void> {
  const snapshot = await rows.get(snapshotTable.key(name))
  if (snapshot === undefined) return
  rows.delete(snapshotTable.key(name))
  const pins = [...(await loadPins(rows))]
  const { position, of } = snapshot
  pins.splice(
    pins.findIndex((pin) => isSame(pin, snapshot)),
    1,
  )
  await putPins(rows, pins)
  if (pins.some((pin) => isSame(pin, snapshot))) return
  const pinned = await rows.first(pinnedByTable.range)
  if (pinned !== undefined) rows.put(unpinnedTable.key({ position, of }), {})
}

async function putPins(rows: RowTransaction, pins: readonly Pin[]): Promise<void> {
  if (pins.length === 0) rows.delete(pinsKey)
  else rows.put(pinsKey, { pins })
  await setNewestPin(rows, pins.at(-1)?.position)
}

const byPosition = (a: Pin, b: Pin): number => a.position - b.position || a.of - b.of

const isSame = (a: Pin, b: Pin): boolean => a.position === b.position && a.of === b.of
