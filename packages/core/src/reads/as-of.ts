/**
 * The store as it was after event `at`: merges live rows and past rows, and keeps those that existed then. Its cost
 * depends on what it returns, without a replay, and not on how often a key was written before or later.
 */
import type { Soon } from '../base/soon.ts'
import type { VersionRef } from '../commands/command.ts'
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import type { Annotations } from '../settings/annotation.ts'
import type { SettingKind, SettingValues } from '../settings/setting.ts'
import { bucketRowAt, pastBucket } from '../views/bucket-row-at.ts'
import { droppedTable } from '../views/fork-tables.ts'
import { newestAt, promotedAt } from '../views/past-versions.ts'
import { committedRows, type Rows } from '../views/row-reader.ts'
import type { BucketRow, ForkBase } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'
import type { VersionRow } from '../views/version-row.ts'
import { type Epochs, loadEpochs } from '../views/epochs.ts'
import { named } from '../views/find-version.ts'
import { type KeyThen, newestIn, nullIn, versionIn } from '../views/versions-in.ts'
import { annotationsAt, type PlacedVersion } from './annotations.ts'
import { findSetting } from './find-setting.ts'
import { ForkWalks } from './fork-walks.ts'
import { emptyWalk, lateWalk } from './late-walk.ts'
import { MergedWalk } from './merged-walk.ts'
import { type PastKeys, type PastWalkOptions, walkObjects, walkObjectsInSteps, walkVersions } from './past-walk.ts'
import type {
  BucketPage,
  KeyedObject,
  KeyedVersion,
  KeyWalk,
  Milestone,
  NamedBucket,
  PastSnapshot,
  ReadAhead,
  StartPlace,
} from './read-snapshot.ts'
import { walkRows } from './row-walk.ts'

export const asOf = (reader: RowReader, hashing: Hashing, at: Seq): PastSnapshot => new AsOf(reader, hashing, at)

/** A bucket that was looked up. */
interface KnownBucket {
  readonly name: string
  /** As it was. */
  readonly row: BucketRow | undefined
  /** Whether it has only versions that were added last, now: fewer rows show their objects. */
  readonly onlyCurrent: boolean
}

/** A class for speed, as that of the newest state. */
class AsOf implements PastSnapshot {
  readonly #reader: RowReader
  readonly #hashing: Hashing
  readonly #rows: Rows
  readonly #at: Seq
  /** The bucket that was looked up last. */
  #known: KnownBucket | undefined

  constructor(reader: RowReader, hashing: Hashing, at: Seq) {
    this.#reader = reader
    this.#hashing = hashing
    this.#rows = committedRows(reader, hashing)
    this.#at = at
  }

  setting<K extends SettingKind>(named: NamedBucket, kind: K): Soon<SettingValues[K] | undefined> {
    return findSetting(this.#rows, named, kind)
  }

  annotations(row: BucketRow, version: PlacedVersion): Promise<Annotations> {
    return annotationsAt(this.#rows, row, { ...version, at: this.#at })
  }

  async bucket(name: string): Promise<BucketRow | undefined> {
    return (await this.#look(name)).row
  }

  buckets(prefix: string, page?: BucketPage): Promise<readonly NamedBucket[]> {
    return bucketsAt(this.#reader, this.#hashing, { prefix, page, at: this.#at })
  }

  epochs(): Soon<Epochs> {
    return loadEpochs(this.#rows)
  }

  async newest(bucket: string, key: string): Promise<VersionRow | undefined> {
    const { row } = this.#lookedUp(bucket) ?? (await this.#look(bucket))
    if (row === undefined) return undefined
    if (row.base === undefined) return newestAt(this.#rows, { bucket, key }, this.#at)
    return newestIn(this.#rows, { bucket, row, key, at: this.#at })
  }

  async version(bucket: string, key: string, version: VersionRef): Promise<VersionRow | undefined> {
    const { row } = this.#lookedUp(bucket) ?? (await this.#look(bucket))
    if (row === undefined) return undefined
    const then: KeyThen = { bucket, row, key, at: this.#at }
    if (version === null) return nullIn(this.#rows, then)
    return named((await versionIn(this.#rows, then, version.seq))?.row, version)
  }

  versions(bucket: string, prefix: string, start?: StartPlace, wanted?: number): KeyWalk<KeyedVersion> {
    return this.#walk(bucket, (row, options) => {
      const own = walkVersions(
        this.#reader,
        this.#hashing,
        { ...options, prefix, start, wanted },
        this.#keysIn(bucket, row),
      )
      return row.base === undefined ? own : this.#fork(row, row.base).versions(own, prefix, start)
    })
  }

  objects(bucket: string, prefix: string, start?: StartPlace, ahead?: ReadAhead): KeyWalk<KeyedObject> {
    return this.#walk(bucket, (row, options) => {
      const own = walkObjects(
        this.#reader,
        this.#hashing,
        { ...options, prefix, start, wanted: ahead?.wanted },
        this.#keysIn(bucket, row),
      )
      return row.base === undefined ? own : this.#fork(row, row.base).objects(own, prefix, start)
    })
  }

  objectsInSteps(bucket: string, prefix: string, start?: StartPlace): KeyWalk<KeyedObject | Milestone> {
    return this.#walk(bucket, (row, options) => {
      const keys = this.#keysIn(bucket, row)
      const own = walkObjectsInSteps(this.#reader, this.#hashing, { ...options, prefix, start }, keys)
      return row.base === undefined ? own : this.#fork(row, row.base).objectsInSteps(own, prefix, start)
    })
  }

  #lookedUp(name: string): KnownBucket | undefined {
    return this.#known?.name === name ? this.#known : undefined
  }

  async #look(name: string): Promise<KnownBucket> {
    const live = await this.#rows.get(bucketTable.key(name))
    const present = live ?? (await this.#rows.get(droppedTable.key(name)))
    const row = live !== undefined && live.since <= this.#at ? live : await pastBucket(this.#rows, name, this.#at)
    return (this.#known = { name, row, onlyCurrent: hasOnlyCurrent(present) })
  }

  /** Without a promise if the bucket was looked up before. */
  #walk<T>(bucket: string, open: (row: BucketRow, options: WalkedBucket) => KeyWalk<T>): KeyWalk<T> {
    const opened = ({ row, onlyCurrent }: KnownBucket): KeyWalk<T> =>
      row === undefined ? emptyWalk() : open(row, { bucket, at: this.#at, onlyCurrent })
    const known = this.#lookedUp(bucket)
    return known === undefined ? lateWalk(this.#look(bucket).then(opened)) : opened(known)
  }

  #keysIn(bucket: string, row: BucketRow): PastKeys {
    return {
      isUnversioned: hasOnlyCurrent(row),
      promoted: (key, added) => promotedAt(this.#rows, { bucket, key }, { added, at: this.#at }),
    }
  }

  #fork({ incarnation }: BucketRow, base: ForkBase): ForkWalks {
    const snapshot = asOf(this.#reader, this.#hashing, base.position)
    const fork = { incarnation, base: { name: base.bucket, snapshot }, at: this.#at }
    return new ForkWalks(this.#reader, this.#hashing, fork)
  }
}

type WalkedBucket = Pick<PastWalkOptions, 'bucket' | 'at' | 'onlyCurrent'>

/** A version that came back can be older than one that is gone. */
const hasOnlyCurrent = (row: BucketRow | undefined): boolean => row?.versioning === undefined && row?.restored !== true

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
      const row = await bucketRowAt(rows, name, at)
      if (row !== undefined) found.push({ name, row })
    }
    return found
  } finally {
    await walk.close()
  }
}
