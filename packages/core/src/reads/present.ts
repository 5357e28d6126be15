/** Reads the newest state of the store from the live rows. */
import { later } from '../bytes/bytes.ts'
import type { VersionRef } from '../commands/command.ts'
import type { Hashing, RowReader } from '../ports/index.ts'
import type { Annotations } from '../settings/annotation.ts'
import type { SettingKind, SettingValues } from '../settings/setting.ts'
import type { Rows } from '../views/row-reader.ts'
import type { BucketRow } from '../views/rows.ts'
import type { ObjectVersionRow, VersionRow } from '../views/version-row.ts'
import { bucketTable, currentTable, versionTable } from '../views/tables.ts'
import { annotationsIn, type PlacedVersion } from './annotations.ts'
import { findSetting } from './find-setting.ts'
import { findNewest, findVersion } from './find-version.ts'
import type {
  BucketPage,
  KeyedObject,
  KeyedVersion,
  KeyWalk,
  ReadSnapshot,
  NamedBucket,
  StartPlace,
} from './read-snapshot.ts'
import { firstRows, mapped, walkRows } from './row-walk.ts'

type KeyedTable = typeof currentTable | typeof versionTable

/** `rows` must be the rows of `reader`. */
export const present = (reader: RowReader, rows: Rows, hashing: Hashing): ReadSnapshot =>
  new Present(reader, rows, hashing)

/** A class for speed: every read creates one for only a query or two. */
class Present implements ReadSnapshot {
  readonly #reader: RowReader
  readonly #hashing: Hashing
  readonly #rows: Rows

  constructor(reader: RowReader, rows: Rows, hashing: Hashing) {
    this.#reader = reader
    this.#hashing = hashing
    this.#rows = rows
  }

  setting<K extends SettingKind>(named: NamedBucket, kind: K): Promise<SettingValues[K] | undefined> {
    return findSetting(this.#rows, named, kind)
  }

  annotations(row: BucketRow, version: PlacedVersion): Promise<Annotations> {
    return annotationsIn(this.#rows, row, version)
  }

  bucket(name: string): Promise<BucketRow | undefined> {
    return this.#rows.get(bucketTable.key(name))
  }

  async buckets(prefix: string, page?: BucketPage): Promise<readonly NamedBucket[]> {
    const found =
      page === undefined
        ? await this.#rows.all<BucketRow>(bucketTable.range(prefix))
        : await firstRows<BucketRow>(
            this.#reader,
            this.#hashing,
            bucketTable.rangeAfter(prefix, page.after),
            page.limit,
          )
    return found.map(({ key, row }) => ({ name: bucketTable.name(key), row }))
  }

  newest(bucket: string, key: string): Promise<VersionRow | undefined> {
    return findNewest(this.#rows, bucket, key)
  }

  version(bucket: string, key: string, version: VersionRef): Promise<VersionRow | undefined> {
    return findVersion(this.#rows, bucket, key, version)
  }

  versions(bucket: string, prefix: string, start?: StartPlace, wanted?: number): KeyWalk<KeyedVersion> {
    const walk = this.#walkKeys<VersionRow>(versionTable, { bucket, prefix, wanted })
    if (start !== undefined) walk.skipTo(versionPlace(versionTable, bucket, start))
    return walk
  }

  objects(bucket: string, prefix: string, start?: StartPlace, wanted?: number): KeyWalk<KeyedObject> {
    const walk = this.#walkKeys<ObjectVersionRow>(currentTable, { bucket, prefix, wanted })
    if (start !== undefined) {
      walk.skipTo(start.place === 'after' ? currentTable.after(bucket, start.key) : currentTable.at(bucket, start.key))
    }
    return walk
  }

  #walkKeys<R>(
    table: KeyedTable,
    { bucket, prefix, wanted }: KeyRange,
  ): KeyWalk<{ readonly key: string; readonly row: R }> {
    const range = table.range(bucket, prefix)
    const walk = walkRows<R>(this.#reader, this.#hashing, range, { wanted })
    return {
      next: mapped(walk, ({ key, row }) => ({ key: table.objectKey(key), row })),
      skipTo: (place) => walk.skipTo(later(range.gte, place)),
      skipPrefix: (rolledUp) => walk.skipTo(table.afterPrefix(bucket, rolledUp)),
      close: () => walk.close(),
    }
  }
}

/** The key of the first row that a listing from this start can return. */
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
