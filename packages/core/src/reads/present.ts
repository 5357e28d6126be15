/** Reads the newest state of the store from the live rows. */
import { later } from '../bytes/bytes.ts'
import { type Soon, whenThere } from '../base/soon.ts'
import type { VersionRef } from '../commands/command.ts'
import { encodeUtf8 } from '../bytes/utf8.ts'
import type { Hashing, RowRange, RowReader } from '../ports/index.ts'
import type { Annotations } from '../settings/annotation.ts'
import type { SettingKind, SettingValues } from '../settings/setting.ts'
import type { Rows } from '../views/row-reader.ts'
import type { BucketRow, ForkBase } from '../views/rows.ts'
import type { ObjectVersionRow, VersionRow } from '../views/version-row.ts'
import { bucketTable, currentTable, versionTable } from '../views/tables.ts'
import { annotationsIn, type PlacedVersion } from './annotations.ts'
import { findSetting } from './find-setting.ts'
import { type Epochs, loadEpochs } from '../views/epochs.ts'
import { findVersion } from '../views/find-version.ts'
import { ownNewest } from '../views/own-versions.ts'
import { newestIn } from '../views/versions-in.ts'
import { asOf } from './as-of.ts'
import { ForkWalks } from './fork-walks.ts'
import { emptyWalk, lateWalk } from './late-walk.ts'
import { versionPlace } from './version-place.ts'
import type {
  BucketPage,
  KeyedObject,
  KeyedVersion,
  KeyWalk,
  ReadSnapshot,
  NamedBucket,
  ReadAhead,
  StartPlace,
} from './read-snapshot.ts'
import { firstRows, type Walk, walkRows } from './row-walk.ts'

/** Its own walk can also jump to a key of its table. */
type Keyed<R> = KeyWalk<{ readonly key: string; readonly row: R }> & Pick<Walk<R>, 'skipTo'>

type KeyedTable = typeof currentTable | typeof versionTable

/** `rows` must be the rows of `reader`. */
export const present = (reader: RowReader, rows: Rows, hashing: Hashing): ReadSnapshot =>
  new Present(reader, rows, hashing)

/** A class for speed: every read creates one for only a query or two. */
class Present implements ReadSnapshot {
  readonly #reader: RowReader
  readonly #hashing: Hashing
  readonly #rows: Rows
  /** The bucket that was looked up last. */
  #known: { readonly name: string; readonly row: BucketRow | undefined } | undefined

  constructor(reader: RowReader, rows: Rows, hashing: Hashing) {
    this.#reader = reader
    this.#hashing = hashing
    this.#rows = rows
  }

  setting<K extends SettingKind>(named: NamedBucket, kind: K): Soon<SettingValues[K] | undefined> {
    return findSetting(this.#rows, named, kind)
  }

  annotations(row: BucketRow, version: PlacedVersion): Soon<Annotations> {
    return annotationsIn(this.#rows, row, version)
  }

  bucket(name: string): Soon<BucketRow | undefined> {
    return whenThere(this.#rows.get(bucketTable.key(name)), (row) => {
      this.#known = { name, row }
      return row
    })
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

  epochs(): Soon<Epochs> {
    return loadEpochs(this.#rows)
  }

  newest(bucket: string, key: string): Soon<VersionRow | undefined> {
    return whenThere(this.#row(bucket), (row) => this.#newestIn(row, bucket, key))
  }

  version(bucket: string, key: string, version: VersionRef): Promise<VersionRow | undefined> {
    return findVersion(this.#rows, bucket, key, version)
  }

  versions(bucket: string, prefix: string, start?: StartPlace, wanted?: number): KeyWalk<KeyedVersion> {
    return this.#walk(bucket, (row) => {
      const own = this.#ownVersions(bucket, prefix, start, wanted)
      return row.base === undefined ? own : this.#fork(row, row.base).versions(own, prefix, start)
    })
  }

  objects(bucket: string, prefix: string, start?: StartPlace, ahead?: ReadAhead): KeyWalk<KeyedObject> {
    return this.#walk(bucket, (row) => {
      // Rows of a fork are merged with those of its base.
      const own = this.#ownObjects(bucket, prefix, start, row.base === undefined ? ahead : { wanted: ahead?.wanted })
      return row.base === undefined ? own : this.#fork(row, row.base).objects(own, prefix, start)
    })
  }

  #newestIn(row: BucketRow | undefined, bucket: string, key: string): Soon<VersionRow | undefined> {
    if (row === undefined) return undefined
    return row.base === undefined
      ? ownNewest(this.#rows, { bucket, row, key })
      : newestIn(this.#rows, { bucket, row, key })
  }

  #row(bucket: string): Soon<BucketRow | undefined> {
    return this.#known?.name === bucket ? this.#known.row : this.bucket(bucket)
  }

  /** Without a promise if the bucket was looked up before. */
  #walk<T>(bucket: string, open: (row: BucketRow) => KeyWalk<T>): KeyWalk<T> {
    const row = this.#row(bucket)
    const opened = (found: BucketRow | undefined): KeyWalk<T> => (found === undefined ? emptyWalk() : open(found))
    return row instanceof Promise ? lateWalk(row.then(opened)) : opened(row)
  }

  #fork({ incarnation }: BucketRow, { bucket, position }: ForkBase): ForkWalks {
    const base = { name: bucket, snapshot: asOf(this.#reader, this.#hashing, position) }
    return new ForkWalks(this.#reader, this.#hashing, { incarnation, base })
  }

  #ownVersions(bucket: string, prefix: string, start?: StartPlace, wanted?: number): KeyWalk<KeyedVersion> {
    const walk = this.#walkKeys<VersionRow>(versionTable, { bucket, prefix, wanted })
    if (start !== undefined) walk.skipTo(versionPlace(versionTable, bucket, start))
    return walk
  }

  #ownObjects(bucket: string, prefix: string, start?: StartPlace, ahead?: ReadAhead): KeyWalk<KeyedObject> {
    const walk = this.#walkKeys<ObjectVersionRow>(currentTable, { bucket, prefix, ...ahead })
    if (start !== undefined) {
      walk.skipTo(start.place === 'after' ? currentTable.after(bucket, start.key) : currentTable.at(bucket, start.key))
    }
    return walk
  }

  #walkKeys<R>(table: KeyedTable, { bucket, prefix, wanted, delimiter = '' }: KeyRange): Keyed<R> {
    const range = table.range(bucket, prefix)
    const walk = walkRows(this.#reader, this.#hashing, groupedBy(delimiter, range), {
      wanted,
      make: (key, row: R) => ({ key: table.objectKey(key), row }),
    })
    return {
      next: walk.next,
      skipTo: (place: Uint8Array) => walk.skipTo(later(range.gte, place)),
      skipPrefix: (rolledUp) => walk.skipTo(table.afterPrefix(bucket, rolledUp)),
      close: () => walk.close(),
    }
  }
}

interface KeyRange extends ReadAhead {
  readonly bucket: string
  readonly prefix: string
}

/** Delimiters that are in keys as they are written: text with a 0 is not, and neither is half of a pair. */
const plainText = /^[\x01-\x7f]+$/

/** The range of a prefix, in which keys with the same text up to a delimiter behind the prefix are one group. */
const groupedBy = (delimiter: string, range: RowRange): RowRange =>
  plainText.test(delimiter) ? { groups: { from: range.gte.length, by: encodeUtf8(delimiter) }, ...range } : range
