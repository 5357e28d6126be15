import type { RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { wholeStore } from '../settings/whole-store.ts'
import { erasedKey } from './content-tables.ts'
import { incarnationAt } from './incarnation.ts'
import { loadPins } from './pins.ts'
import { isSamePin, putPins, unpin } from './put-pins.ts'
import type { RowTransaction } from './row-transaction.ts'
import { snapshotTable } from './tables.ts'

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
  await putPins(rows, [...pins, { position, of }])
}

/** A salvaged log may lack the bucket: then the snapshot keeps the bytes of all. */
const keptBuckets = async (rows: RowTransaction, bucket: string | undefined, at: Seq): Promise<Seq> =>
  (bucket === undefined ? undefined : await incarnationAt(rows, bucket, at)) ?? wholeStore

async function remove(rows: RowTransaction, name: string): Promise<void> {
  const snapshot = await rows.get(snapshotTable.key(name))
  if (snapshot === undefined) return
  rows.delete(snapshotTable.key(name))
  const pins = [...(await loadPins(rows))]
  pins.splice(
    pins.findIndex((pin) => pin.fork === undefined && isSamePin(pin, snapshot)),
    1,
  )
  await putPins(rows, pins)
  if (!pins.some((pin) => isSamePin(pin, snapshot))) await unpin(rows, snapshot)
}
