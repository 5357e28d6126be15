/**
 * The store as it was after event `at`: merges live rows and past rows, and keeps those that existed then. Its cost
 * depends on what it returns, without a replay, and not on how often a key was written before or later.
 */
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { committedRows, type Rows } from '../views/row-reader.ts'
import type { BucketRow, Past } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'
import { annotationsAt } from './annotations.ts'
import { findSetting } from './find-setting.ts'
import { MergedWalk } from './merged-walk.ts'
import { existing, newestAt, nullAt, promotedAt } from './past-versions.ts'
import { walkObjects, walkVersions } from './past-walk.ts'
import type { BucketPage, NamedBucket, ReadSnapshot, StartPlace } from './read-snapshot.ts'
import { walkRows } from './row-walk.ts'

export function asOf(reader: RowReader, hashing: Hashing, at: Seq): ReadSnapshot {
  const rows = committedRows(reader, hashing)
  /** Buckets that were looked up and have only versions that were added last: fewer rows show their objects. */
  const withoutVersions = new Set<string>()
  const bucket = async (name: string) => {
    const live = await rows.get(bucketTable.key(name))
    if (live?.versioning === undefined && live?.restored !== true) withoutVersions.add(name)
    return bucketAt(rows, { name, live }, at)
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
  return {
    setting: (named, kind) => findSetting(rows, named, kind),
    annotations: (row, version) => annotationsAt(rows, row, { ...version, at }),
    bucket,
    buckets: (prefix, page) => bucketsAt(reader, hashing, { prefix, page, at }),
    newest: (name, key) => newestAt(rows, { bucket: name, key }, at),
    async version(name, key, version) {
      if (version === null) {
        const row = await bucket(name)
        return row && nullAt(rows, { bucket: name, key }, { bucket: row, at })
      }
      const row = await existing(rows, { bucket: name, key }, { version, at })
      return row?.nullVersion === false ? row : undefined
    },
    versions: (name, prefix, start) => walkVersions(reader, hashing, walkOf(name, prefix, start), keysIn(name)),
    objects: (name, prefix, start) => walkObjects(reader, hashing, walkOf(name, prefix, start), keysIn(name)),
  }
}

async function bucketAt(
  rows: Rows,
  { name, live }: { readonly name: string; readonly live: BucketRow | undefined },
  at: Seq,
): Promise<BucketRow | undefined> {
  if (live !== undefined && live.since <= at) return live
  const past = await rows.first<Past<BucketRow>>(bucketTable.pastFrom(name, at))
  return past !== undefined && at < past.row.until ? past.row : undefined
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
      const row = await bucketAt(rows, { name, live }, at)
      if (row !== undefined) found.push({ name, row })
    }
    return found
  } finally {
    await walk.close()
  }
}
