/**
 * The store as it was after event `at`: merges live rows and past rows, and keeps those that existed then. Its cost
 * depends on what it returns, without a replay, and not on how often a key was written before or later.
 */
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { committedRows } from '../views/row-reader.ts'
import type { BucketRow, ForkBase } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'
import { annotationsAt } from './annotations.ts'
import { findSetting } from './find-setting.ts'
import { MergedWalk } from './merged-walk.ts'
import { pastOrLive } from '../views/bucket-row-at.ts'
import { droppedTable } from '../views/fork-tables.ts'
import { promotedAt } from '../views/past-versions.ts'
import { type KeyThen, newestIn, nullIn, versionIn } from '../views/versions-in.ts'
import { ForkWalks } from './fork-walks.ts'
import { emptyWalk, lateWalk } from './late-walk.ts'
import { walkObjects, walkVersions } from './past-walk.ts'
import type { BucketPage, KeyWalk, NamedBucket, ReadSnapshot, StartPlace } from './read-snapshot.ts'
import { walkRows } from './row-walk.ts'

export function asOf(reader: RowReader, hashing: Hashing, at: Seq): ReadSnapshot {
  const rows = committedRows(reader, hashing)
  /** Buckets that were looked up and have only versions that were added last: fewer rows show their objects. */
  const withoutVersions = new Set<string>()
  /** The rows of the buckets that were looked up. */
  const known = new Map<string, BucketRow | undefined>()
  const bucket = async (name: string) => {
    const live = await rows.get(bucketTable.key(name))
    const present = live ?? (await rows.get(droppedTable.key(name)))
    if (present?.versioning === undefined && present?.restored !== true) withoutVersions.add(name)
    const row = await pastOrLive(rows, { name, live }, at)
    known.set(name, row)
    return row
  }
  const place = async (name: string, key: string): Promise<KeyThen | undefined> => {
    const row = known.has(name) ? known.get(name) : await bucket(name)
    return row && { bucket: name, row, key, at }
  }
  const keysIn = (name: string) => {
    let unversioned: Promise<boolean> | undefined
    return {
      // A version that came back can be older than one that is gone.
      isUnversioned: () =>
        (unversioned ??= bucket(name).then((row) => row?.versioning === undefined && row?.restored !== true)),
      promoted: (key: string, added: Seq) => promotedAt(rows, { bucket: name, key }, { added, at }),
    }
  }
  const walkOf = (name: string, prefix: string, start: StartPlace | undefined) => ({
    bucket: name,
    prefix,
    at,
    start,
    onlyCurrent: withoutVersions.has(name),
  })
  const forkOf = ({ incarnation }: BucketRow, base: ForkBase): ForkWalks => {
    const snapshot = asOf(reader, hashing, base.position)
    return new ForkWalks(reader, hashing, { incarnation, base: { name: base.bucket, snapshot }, at })
  }
  const walk = <T>(name: string, open: (row: BucketRow) => KeyWalk<T>): KeyWalk<T> => {
    const opened = (row: BucketRow | undefined): KeyWalk<T> => (row === undefined ? emptyWalk() : open(row))
    return known.has(name) ? opened(known.get(name)) : lateWalk(bucket(name).then(opened))
  }
  return {
    setting: (named, kind) => findSetting(rows, named, kind),
    annotations: (row, version) => annotationsAt(rows, row, { ...version, at }),
    bucket,
    buckets: (prefix, page) => bucketsAt(reader, hashing, { prefix, page, at }),
    async newest(name, key) {
      const then = await place(name, key)
      return then && newestIn(rows, then)
    },
    async version(name, key, version) {
      const then = await place(name, key)
      if (then === undefined || version === null) return then && nullIn(rows, then)
      const found = await versionIn(rows, then, version)
      return found?.row.nullVersion === false ? found.row : undefined
    },
    versions: (name, prefix, start) =>
      walk(name, (row) => {
        const own = walkVersions(reader, hashing, walkOf(name, prefix, start), keysIn(name))
        return row.base === undefined ? own : forkOf(row, row.base).versions(own, prefix, start)
      }),
    objects: (name, prefix, start) =>
      walk(name, (row) => {
        const own = walkObjects(reader, hashing, walkOf(name, prefix, start), keysIn(name))
        return row.base === undefined ? own : forkOf(row, row.base).objects(own, prefix, start)
      }),
  }
}

interface PastBuckets {
  readonly prefix: string
  readonly page: BucketPage | undefined
  readonly at: Seq
}

/** Skips the older rows of each name. */
async function bucketsAt(
  reader: RowReader,
  hashing: Hashing,
  { prefix, page: { after, limit } = { after: '', limit: Number.POSITIVE_INFINITY }, at }: PastBuckets,
): Promise<readonly NamedBucket[]> {
  const rows = committedRows(reader, hashing)
  const walk = new MergedWalk<BucketRow>([
    walkRows(reader, hashing, bucketTable.rangeAfter(prefix, after)),
    walkRows(reader, hashing, bucketTable.pastRangeAfter(prefix, after)),
  ])
  const found: NamedBucket[] = []
  try {
    let seen: string | undefined
    while (found.length < limit) {
      const next = await walk.next()
      if (next === undefined) break
      const name = bucketTable.name(next.key)
      if (name === seen) {
        walk.skipTo(bucketTable.after(name))
        continue
      }
      seen = name
      const live = await rows.get(bucketTable.key(name))
      const row = await pastOrLive(rows, { name, live }, at)
      if (row !== undefined) found.push({ name, row })
    }
    return found
  } finally {
    await walk.close()
  }
}
