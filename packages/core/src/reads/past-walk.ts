/**
 * Walks over the versions of a bucket as they were after an event. The rows of present and removed versions are merged.
 * Where a key has versions from later, the walk seeks the place of the event among them.
 */
import { later } from '../bytes/bytes.ts'
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import type { VersionRow } from '../views/version-row.ts'
import { currentTable, pastVersionTable, versionTable } from '../views/tables.ts'
import { MergedWalk } from './merged-walk.ts'
import { versionPlace } from './present.ts'
import type { KeyedObject, KeyedVersion, KeyWalk, StartPlace } from './read-snapshot.ts'
import { walkRows } from './row-walk.ts'

export interface PastWalkOptions {
  readonly bucket: string
  readonly prefix: string
  readonly at: Seq
  readonly start: StartPlace | undefined
  /** True if the bucket has no versions now: its current objects are then all that exists of it. */
  readonly onlyCurrent: boolean
}

type VersionsTable = Pick<typeof versionTable, 'range' | 'at' | 'after' | 'from' | 'afterPrefix' | 'everything'>

/** Rows of current objects have no position in their keys. */
const currentAsVersions: VersionsTable = {
  ...currentTable,
  from: (bucket, key) => currentTable.after(bucket, key),
}

/** The versions that were added by event `at` or before, in order, whether they still existed then or not. */
class AddedVersions {
  readonly #options: PastWalkOptions
  readonly #tables: readonly [VersionsTable, VersionsTable]
  readonly #walk: MergedWalk<VersionRow>

  constructor(reader: RowReader, hashing: Hashing, options: PastWalkOptions) {
    const { bucket, prefix, start, onlyCurrent } = options
    const walkOf = (table: VersionsTable) => {
      const range = table.range(bucket, prefix)
      const walk = walkRows<VersionRow>(reader, hashing, range)
      if (start !== undefined) walk.skipTo(later(range.gte, versionPlace(table, bucket, start)))
      return walk
    }
    this.#options = options
    this.#tables = [onlyCurrent ? currentAsVersions : versionTable, pastVersionTable]
    this.#walk = new MergedWalk([walkOf(this.#tables[0]), walkOf(this.#tables[1])])
  }

  async next(): Promise<KeyedVersion | undefined> {
    const { bucket, at } = this.#options
    for (;;) {
      const found = await this.#walk.next()
      if (found === undefined) return undefined
      const { row } = found
      const key = versionTable.objectKey(found.key)
      if (row.seq <= at) return { key, row }
      this.#skip((table) => table.from(bucket, key, at))
    }
  }

  skipKey(key: string): void {
    this.#skip((table) => table.after(this.#options.bucket, key))
  }

  skipPrefix(prefix: string): void {
    this.#skip((table) => table.afterPrefix(this.#options.bucket, prefix))
  }

  skipTo(place: Uint8Array): void {
    this.#skip((table) => Uint8Array.of(table.everything.gte[0] as number, ...place.subarray(1)))
  }

  close(): Promise<void> {
    return this.#walk.close()
  }

  #skip(place: (table: VersionsTable) => Uint8Array): void {
    const [live, past] = this.#tables
    this.#walk.skipTo([place(live), place(past)])
  }
}

/** What the walks ask about the state that they show. */
export interface PastKeys {
  /** Whether versioning had not been set: a key then has one version at most. */
  readonly isUnversioned: () => Promise<boolean>
  /** The newest version of a key whose last added version did not exist any more. */
  readonly promoted: (key: string, added: Seq) => Promise<VersionRow | undefined>
}

/** All versions that existed after event `at`. */
export function walkVersions(
  reader: RowReader,
  hashing: Hashing,
  options: PastWalkOptions,
  { isUnversioned }: Pick<PastKeys, 'isUnversioned'>,
): KeyWalk<KeyedVersion> {
  const added = new AddedVersions(reader, hashing, options)
  let seen: string | undefined
  let single: boolean | undefined
  return {
    async next() {
      single ??= await isUnversioned()
      for (;;) {
        const found = await added.next()
        if (found === undefined) return undefined
        const isOlder = found.key === seen
        seen = found.key
        if (single && isOlder) added.skipKey(found.key)
        else if (found.row.existedAt(options.at)) return found
      }
    },
    skipTo: (place) => added.skipTo(place),
    skipPrefix: (prefix) => added.skipPrefix(prefix),
    close: () => added.close(),
  }
}

/** The newest version of each key after event `at`, unless it is a delete marker. */
export function walkObjects(
  reader: RowReader,
  hashing: Hashing,
  options: PastWalkOptions,
  { isUnversioned, promoted }: PastKeys,
): KeyWalk<KeyedObject> {
  const added = new AddedVersions(reader, hashing, options)
  const newest = async ({ key, row }: KeyedVersion): Promise<VersionRow | undefined> => {
    if (row.existedAt(options.at)) return row
    return (await isUnversioned()) ? undefined : promoted(key, row.seq)
  }
  let seen: string | undefined
  return {
    async next() {
      for (;;) {
        const found = await added.next()
        if (found === undefined) return undefined
        const { key } = found
        if (key === seen) {
          added.skipKey(key)
          continue
        }
        seen = key
        const row = await newest(found)
        if (row?.deleteMarker === false) return { key, row }
      }
    },
    skipTo: (place) => added.skipTo(place),
    skipPrefix: (prefix) => added.skipPrefix(prefix),
    close: () => added.close(),
  }
}
