/** How many bytes a store has, from counters that each event keeps. */
import type { Engine } from '../engine/engine.ts'
import { bucketNamed } from '../reads/bucket-named.ts'
import { usageTable } from '../views/content-tables.ts'
import { committedRows } from '../views/row-reader.ts'
import type { UsageRow } from '../views/rows.ts'
import { allBuckets } from '../views/usage.ts'
import { optionsOf } from './arguments/common.ts'
import { type OfBucket, ofBucket } from './retention.ts'

/** In bytes, as they are stored: encrypted objects are a little larger than their plain bytes. */
export interface StoreUsage {
  /** What versions need, and parts of uploads in progress. What copies share counts once, in the bucket that has it. */
  readonly live: number
  /** What was removed and is not erased yet. */
  readonly kept: number
  /** The free room of the medium. Absent if it is not known, and for one bucket. */
  readonly free?: number
}

/** @throws StorageError `NoSuchBucket` */
export async function storeUsage(engine: Engine, options: OfBucket | undefined): Promise<StoreUsage> {
  const { bucket } = optionsOf(ofBucket, options)
  engine.assertOpen()
  const used = await engine.withSnapshot(async (reader): Promise<UsageRow> => {
    const rows = committedRows(reader, engine.ports.hashing)
    if (bucket === undefined)
      return sum((await rows.all<UsageRow>(usageTable.range)).filter(isOfOne).map(({ row }) => row))
    const { incarnation } = await bucketNamed(rows, bucket)
    return (await rows.get(usageTable.key(incarnation))) ?? { live: 0, kept: 0 }
  })
  const room = bucket === undefined ? await engine.ports.reserve?.room?.() : undefined
  return { ...used, ...(room && { free: room.free }) }
}

const isOfOne = ({ key }: { readonly key: Uint8Array }): boolean => usageTable.home(key) !== allBuckets

const sum = (rows: readonly UsageRow[]): UsageRow =>
  rows.reduce((total, { live, kept }) => ({ live: total.live + live, kept: total.kept + kept }), { live: 0, kept: 0 })
