/** How many bytes, versions and uploads a store has, from counters that each event keeps. */
import type { Engine } from '../engine/engine.ts'
import { bucketNamed } from '../reads/bucket-named.ts'
import { usageTable } from '../views/content-tables.ts'
import { committedRows } from '../views/row-reader.ts'
import type { UsageRow } from '../views/usage-rows.ts'
import { allBuckets, noUsage } from '../views/usage.ts'
import { optionsOf } from './arguments/common.ts'
import { type OfBucket, ofBucket } from './retention.ts'

/** Bytes are counted as they are stored: encrypted objects are a little larger than their plain bytes. */
export interface StoreUsage {
  /**
   * What versions need, and parts of uploads in progress. What copies share counts once, in one of the buckets that have it. When that
   * bucket has no such version any more, it counts in the next one.
   */
  readonly live: number
  /** What was removed and waits for its erasure: its retention is not over, and the budget has room for it. */
  readonly kept: number
  /**
   * What was removed and stays for a snapshot, however long. Bytes count here as soon as they are removed. If they were
   * removed before the snapshot of a past moment was created, they count as `kept` until retention or budget end.
   */
  readonly pinned: number
  /**
   * What versions of the bucket share with another bucket, which has it as `live`, and what a fork shows that its base has removed.
   * Absent: nothing, and for the whole store.
   */
  readonly shared?: number
  /** How many versions there are, also older ones, without delete markers. A fork does not count those of its base. */
  readonly versions: number
  /** How many multipart uploads are in progress. */
  readonly uploads: number
  /** The free room of the medium. Absent if it is not known, and for one bucket. */
  readonly free?: number
}

/** @throws StorageError `NoSuchBucket` */
export async function storeUsage(engine: Engine, options: OfBucket | undefined): Promise<StoreUsage> {
  const { bucket } = optionsOf(ofBucket, options)
  engine.assertOpen()
  const {
    live,
    kept,
    pinned,
    versions,
    uploads,
    shared = 0,
    shown = 0,
  } = await engine.withSnapshot(async (reader): Promise<UsageRow> => {
    const rows = committedRows(reader, engine.ports.hashing)
    if (bucket === undefined)
      return sum((await rows.all<UsageRow>(usageTable.range)).filter(isOfOne).map(({ row }) => row))
    const { incarnation } = await bucketNamed(rows, bucket)
    return (await rows.get(usageTable.key(incarnation))) ?? noUsage
  })
  const room = bucket === undefined ? await engine.ports.reserve?.room?.() : undefined
  const others = shared + shown
  return {
    live,
    kept,
    pinned,
    versions,
    uploads,
    ...(others > 0 && { shared: others }),
    ...(room && { free: room.free }),
  }
}

const isOfOne = ({ key }: { readonly key: Uint8Array }): boolean => usageTable.home(key) !== allBuckets

const sum = (rows: readonly UsageRow[]): UsageRow =>
  rows.reduce(
    (total, { live, kept, pinned, versions, uploads }) => ({
      live: total.live + live,
      kept: total.kept + kept,
      pinned: total.pinned + pinned,
      versions: total.versions + versions,
      uploads: total.uploads + uploads,
    }),
    noUsage,
  )
