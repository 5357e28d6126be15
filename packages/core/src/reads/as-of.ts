/**
 * The store as it was after event `at`: merges live rows and past rows, and keeps those that existed then. Its cost
 * depends on the rows that it walks, without a replay.
 */
import { compareBytes, later } from '../bytes/bytes.ts'
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { committedRows, type KeyedRow } from '../views/row-reader.ts'
import type { BucketRow, Past } from '../views/rows.ts'
import type { ObjectVersionRow, VersionRow } from '../views/version-row.ts'
import { bucketTable, pastVersionTable, versionTable } from '../views/tables.ts'
import { annotationsAt } from './annotations.ts'
import { findSetting } from './find-setting.ts'
import type { KeyedObject, KeyedVersion, KeyWalk, ReadSnapshot, NamedBucket, StartPlace } from './read-snapshot.ts'
import { versionPlace } from './present.ts'
import { type Walk, walkRows } from './row-walk.ts'

type VersionsTable = typeof versionTable

export function asOf(reader: RowReader, hashing: Hashing, at: Seq): ReadSnapshot {
  const rows = committedRows(reader, hashing)

  const versions = (bucket: string, prefix: string, start?: StartPlace): KeyWalk<KeyedVersion> =>
    walkVersions(reader, hashing, { bucket, prefix, at, start })

  const bucket = async (name: string): Promise<BucketRow | undefined> => {
    const live = await rows.get(bucketTable.key(name))
    if (live !== undefined && live.since <= at) return live
    const past = await rows.all<Past<BucketRow>>(bucketTable.pastOf(name))
    return past.map(({ row }) => row).find(({ since, until }) => since <= at && at < until)
  }

  const newestOf = async (name: string, key: string, wanted: (row: VersionRow) => boolean) => {
    const walk = versions(name, key, { key, place: at })
    try {
      for (let found = await walk.next(); found?.key === key; found = await walk.next()) {
        if (wanted(found.row)) return found.row
      }
      return undefined
    } finally {
      await walk.close()
    }
  }

  return {
    setting: (named, kind) => findSetting(rows, named, kind),
    annotations: (_row, version) => annotationsAt(rows, version, at),
    bucket,
    async buckets(prefix, page) {
      const live = await rows.all<BucketRow>(bucketTable.range(prefix))
      const past = await rows.all<Past<BucketRow>>(bucketTable.pastRange(prefix))
      const names = new Set([...live, ...past].map(({ key }) => bucketTable.name(key)))
      const found: NamedBucket[] = []
      for (const name of [...names].sort()) {
        if (page !== undefined && (name <= page.after || found.length === page.limit)) continue
        const row = await bucket(name)
        if (row !== undefined) found.push({ name, row })
      }
      return found
    },
    newest: (name, key) => newestOf(name, key, () => true),
    async version(name, key, version) {
      if (version === null) return newestOf(name, key, (row) => row.nullVersion)
      const live = await rows.get(versionTable.key(name, key, version))
      const row = live ?? (await rows.get(pastVersionTable.key(name, key, version)))
      return row !== undefined && !row.nullVersion && row.existedAt(at) ? row : undefined
    },
    versions,
    objects: (name, prefix, start) => currentObjects(versions(name, prefix, start), name),
  }
}

interface VersionWalkOptions {
  readonly bucket: string
  readonly prefix: string
  readonly at: Seq
  readonly start: StartPlace | undefined
}

function walkVersions(reader: RowReader, hashing: Hashing, options: VersionWalkOptions): KeyWalk<KeyedVersion> {
  const sides = [versionTable, pastVersionTable].map((table) => side(reader, hashing, table, options)) as [Side, Side]
  return {
    async next() {
      for (;;) {
        const [live, past] = [await sides[0].peek(), await sides[1].peek()]
        const first = earlier(live, past) ? sides[0] : sides[1]
        const found = await first.peek()
        if (found === undefined) return undefined
        first.take()
        if (found.row.existedAt(options.at)) return { key: first.table.objectKey(found.key), row: found.row }
      }
    },
    skipTo(place) {
      for (const each of sides) each.skipTo(Uint8Array.of(each.table.everything.gte[0] as number, ...place.subarray(1)))
    },
    skipPrefix(prefix) {
      for (const each of sides) each.skipTo(each.table.afterPrefix(options.bucket, prefix))
    },
    async close() {
      for (const each of sides) await each.close()
    },
  }
}

/** A walk over one of the two tables, with its next row kept for the comparison. */
interface Side extends Pick<Walk<unknown>, 'skipTo' | 'close'> {
  readonly table: VersionsTable
  peek(): Promise<KeyedRow<VersionRow> | undefined>
  take(): void
}

function side(
  reader: RowReader,
  hashing: Hashing,
  table: VersionsTable,
  { bucket, prefix, start }: VersionWalkOptions,
): Side {
  const range = table.range(bucket, prefix)
  const walk = walkRows<VersionRow>(reader, hashing, range)
  if (start !== undefined) walk.skipTo(later(range.gte, versionPlace(table, bucket, start)))
  let peeked: Promise<KeyedRow<VersionRow> | undefined> | undefined
  let held: KeyedRow<VersionRow> | undefined
  const peek = async () => (held = await walk.next())
  const take = () => {
    peeked = held = undefined
  }
  return {
    table,
    peek: () => (peeked ??= peek()),
    take,
    skipTo(place) {
      // The kept row may already be after the place; the walk would not return it again.
      if (held !== undefined && compareBytes(held.key, place) >= 0) return
      walk.skipTo(place)
      take()
    },
    close: () => walk.close(),
  }
}

/** Compares keys without their first byte, which is the only difference between the two tables. */
function earlier(live: KeyedRow<VersionRow> | undefined, past: KeyedRow<VersionRow> | undefined): boolean {
  if (live === undefined) return false
  return past === undefined || compareBytes(live.key.subarray(1), past.key.subarray(1)) < 0
}

/** The newest version of each key, unless it is a delete marker. */
function currentObjects(walk: KeyWalk<KeyedVersion>, bucket: string): KeyWalk<KeyedObject> {
  let seen: string | undefined
  return {
    ...walk,
    async next() {
      for (;;) {
        const found = await walk.next()
        if (found === undefined) return undefined
        if (found.key === seen) {
          walk.skipTo(versionTable.after(bucket, found.key))
          continue
        }
        seen = found.key
        if (!found.row.deleteMarker) return { key: found.key, row: found.row satisfies ObjectVersionRow }
      }
    },
  }
}
