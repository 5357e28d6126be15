/** The store as it stands now: every question is answered from the live rows. */
import { later } from '../bytes/bytes.ts'
import type { Hashing, RowReader } from '../ports/index.ts'
import { committedRows } from '../views/row-reader.ts'
import type { BucketRow, ObjectVersionRow, VersionRow } from '../views/rows.ts'
import { bucketTable, currentTable, versionTable } from '../views/tables.ts'
import { annotationsIn } from './annotations.ts'
import { findSetting } from './find-setting.ts'
import { findNewest, findVersion } from './find-version.ts'
import type { KeyWalk, Moment, StartPlace } from './moment.ts'
import { mapped, walkRows } from './row-walk.ts'

type KeyedTable = typeof currentTable | typeof versionTable

export function present(reader: RowReader, hashing: Hashing): Moment {
  const rows = committedRows(reader, hashing)
  return {
    setting: (named, kind) => findSetting(rows, named, kind),
    annotations: (row, version) => annotationsIn(rows, row, version),
    bucket: (name) => rows.get(bucketTable.key(name)),
    async buckets(prefix) {
      const found = await rows.all<BucketRow>(bucketTable.range(prefix))
      return found.map(({ key, row }) => ({ name: bucketTable.name(key), row }))
    },
    newest: (bucket, key) => findNewest(rows, bucket, key),
    version: (bucket, key, version) => findVersion(rows, bucket, key, version),
    versions(bucket, prefix, start, wanted) {
      const walk = walkKeys<VersionRow>(reader, hashing, versionTable, { bucket, prefix, wanted })
      if (start !== undefined) walk.skipTo(versionPlace(versionTable, bucket, start))
      return walk
    },
    objects(bucket, prefix, start, wanted) {
      const walk = walkKeys<ObjectVersionRow>(reader, hashing, currentTable, { bucket, prefix, wanted })
      if (start !== undefined) {
        walk.skipTo(
          start.place === 'after' ? currentTable.after(bucket, start.key) : currentTable.at(bucket, start.key),
        )
      }
      return walk
    },
  }
}

/** The first row a listing that starts there can meet. */
export function versionPlace(
  table: Pick<typeof versionTable, 'at' | 'after' | 'from'>,
  bucket: string,
  { key, place }: StartPlace,
): Uint8Array {
  if (place === 'at') return table.at(bucket, key)
  return place === 'after' ? table.after(bucket, key) : table.from(bucket, key, place)
}

interface KeyRange {
  readonly bucket: string
  readonly prefix: string
  readonly wanted: number | undefined
}

function walkKeys<R>(
  reader: RowReader,
  hashing: Hashing,
  table: KeyedTable,
  { bucket, prefix, wanted }: KeyRange,
): KeyWalk<{ readonly key: string; readonly row: R }> {
  const range = table.range(bucket, prefix)
  const walk = walkRows<R>(reader, hashing, range, wanted)
  return {
    next: mapped(walk, ({ key, row }) => ({ key: table.objectKey(key), row })),
    skipTo: (place) => walk.skipTo(later(range.gte, place)),
    skipPrefix: (rolledUp) => walk.skipTo(table.afterPrefix(bucket, rolledUp)),
    close: () => walk.close(),
  }
}
