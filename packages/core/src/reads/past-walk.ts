/**
 * Walks over the versions of a bucket as they were after an event. The rows of present and removed versions are merged.
 * Where a key has versions from later, the walk seeks the place of the event among them.
 */
import { compareBytes, later, sameBytes, upperBound } from '../bytes/bytes.ts'
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import type { KeyedRow } from '../views/row-reader.ts'
import type { VersionRow } from '../views/version-row.ts'
import { currentTable, pastVersionTable, versionTable } from '../views/tables.ts'
import { MergedWalk } from './merged-walk.ts'
import { versionPlace } from './version-place.ts'
import {
  type KeyedObject,
  type KeyedVersion,
  type KeyWalk,
  type Milestone,
  type StartPlace,
  stepsMax,
} from './read-snapshot.ts'
import { walkRows } from './row-walk.ts'
import { again, repeat, type Soon, whenThere } from '../base/soon.ts'

export interface PastWalkOptions {
  readonly bucket: string
  readonly prefix: string
  readonly at: Seq
  readonly start: StartPlace | undefined
  /** How many objects or versions will be read, if that is known. */
  readonly wanted?: number | undefined
  /** True if the bucket has no versions now: its current objects are then all that exists of it. */
  readonly onlyCurrent: boolean
}

interface AddedOptions extends PastWalkOptions {
  /** Whether there are milestones. */
  readonly inSteps: boolean
}

type VersionsTable = Pick<typeof versionTable, 'range' | 'at' | 'after' | 'from' | 'afterPrefix'>

/** Rows of current objects have no position in their keys. */
const currentAsVersions: VersionsTable = {
  ...currentTable,
  from: (bucket, key) => currentTable.after(bucket, key),
}

/** What a row shows; `again`: nothing, and the walk goes on. */
type Shown<T> = T | undefined | typeof again

/** How many bytes at the end of a key of `version` or `pastVersion` are the position. */
const positionBytes = 8
const ofCurrent = currentTable.everything.gte[0]

/** The part of a row's key that names the object. */
const nameIn = (key: Uint8Array): Uint8Array =>
  key[0] === ofCurrent ? key.subarray(1) : key.subarray(1, key.length - positionBytes)

/** The versions that were added by event `at` or before, in order, whether they still existed then or not. */
class AddedVersions {
  readonly #options: AddedOptions
  readonly #tables: readonly [VersionsTable, VersionsTable]
  readonly #walk: MergedWalk<VersionRow>
  /** The position of event `at`, as keys have it. */
  readonly #at: Uint8Array
  #last: Uint8Array | undefined
  /** Rows that showed nothing since the last one that did. */
  #steps = 0
  /** Names the object whose other versions are not wanted. */
  #done: Uint8Array | undefined

  constructor(reader: RowReader, hashing: Hashing, options: AddedOptions) {
    const { bucket, prefix, at, start, wanted, onlyCurrent } = options
    const walkOf = (table: VersionsTable) => {
      const range = table.range(bucket, prefix)
      const passing = table === currentAsVersions ? undefined : (key: Uint8Array) => this.#placeAfter(key)
      const walk = walkRows<VersionRow>(reader, hashing, range, passing === undefined ? { wanted } : { passing })
      if (start !== undefined) walk.skipTo(later(range.gte, versionPlace(table, bucket, start)))
      return walk
    }
    this.#options = options
    this.#at = versionTable.from(bucket, '', at).slice(-positionBytes)
    this.#tables = [onlyCurrent ? currentAsVersions : versionTable, pastVersionTable]
    this.#walk = new MergedWalk([walkOf(this.#tables[0]), walkOf(this.#tables[1])])
  }

  next(): Soon<KeyedVersion | Milestone | undefined> {
    return repeat(() => whenThere(this.#walk.next(), (found) => this.#shown(found)))
  }

  /** The other versions of the last object are passed over, without being decoded where that is possible. */
  finishKey(): void {
    this.#done = this.#last && nameIn(this.#last)
  }

  skipPrefix(prefix: string): void {
    const { bucket } = this.#options
    const [live, past] = this.#tables
    this.#walk.skipTo([live.afterPrefix(bucket, prefix), past.afterPrefix(bucket, prefix)])
  }

  close(): Promise<void> {
    return this.#walk.close()
  }

  /** A row that shows nothing: a milestone if it is time for one. */
  passed(bytes = this.#last): Milestone | typeof again {
    if (!this.#isFar || bytes === undefined) return again
    this.#steps = 0
    return { key: versionTable.objectKey(bytes) }
  }

  #shown(found: KeyedRow<VersionRow> | undefined): Shown<KeyedVersion | Milestone> {
    if (found === undefined) return undefined
    const { key: bytes, row } = found
    this.#steps++
    if (row.seq > this.#options.at || this.#isDone(bytes)) return this.passed(bytes)
    this.#last = bytes
    return { key: versionTable.objectKey(bytes), row }
  }

  /** Where to go on, if the row at this key was added later or its object is done. */
  #placeAfter(key: Uint8Array): Uint8Array | undefined {
    this.#steps++
    if (this.#isFar) return undefined
    if (this.#isDone(key)) return upperBound(key.subarray(0, key.length - positionBytes))
    if (compareBytes(key.subarray(key.length - positionBytes), this.#at) >= 0) return undefined
    // Not `slice`: that of a Buffer shares its bytes.
    const place = new Uint8Array(key)
    place.set(this.#at, key.length - positionBytes)
    return place
  }

  get #isFar(): boolean {
    return this.#options.inSteps && this.#steps > stepsMax
  }

  #isDone(key: Uint8Array): boolean {
    return this.#done !== undefined && sameBytes(nameIn(key), this.#done)
  }
}

/** What the walks ask about the state that they show. */
export interface PastKeys {
  /** Whether versioning had not been set: a key then has one version at most. */
  readonly isUnversioned: boolean
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
  const added = new AddedVersions(reader, hashing, { ...options, inSteps: false })
  return withoutSteps(added, (found) => {
    if (isUnversioned) added.finishKey()
    return found.row.existedAt(options.at) ? found : again
  })
}

/** The newest version of each key after event `at`, unless it is a delete marker. */
export function walkObjects(
  reader: RowReader,
  hashing: Hashing,
  options: PastWalkOptions,
  keys: PastKeys,
): KeyWalk<KeyedObject> {
  const added = new AddedVersions(reader, hashing, { ...options, inSteps: false })
  return withoutSteps(added, newestOf(added, options.at, keys))
}

/** The same, with milestones. */
export function walkObjectsInSteps(
  reader: RowReader,
  hashing: Hashing,
  options: PastWalkOptions,
  keys: PastKeys,
): KeyWalk<KeyedObject | Milestone> {
  const added = new AddedVersions(reader, hashing, { ...options, inSteps: true })
  return walkOver(added, newestOf(added, options.at, keys))
}

type Shows<T> = (found: KeyedVersion) => Soon<Shown<T | Milestone>>

function newestOf(added: AddedVersions, at: Seq, { isUnversioned, promoted }: PastKeys): Shows<KeyedObject> {
  const object = (key: string, row: VersionRow | undefined): Shown<KeyedObject | Milestone> =>
    row?.deleteMarker === false ? { key, row } : added.passed()
  return (found) => {
    const { key, row } = found
    added.finishKey()
    if (row.existedAt(at)) return object(key, row)
    return isUnversioned ? added.passed() : promoted(key, row.seq).then((older) => object(key, older))
  }
}

/** There are no milestones if they were not wanted. */
const withoutSteps = <T>(added: AddedVersions, shown: Shows<T>): KeyWalk<T> => walkOver(added, shown) as KeyWalk<T>

function walkOver<T>(added: AddedVersions, shown: Shows<T>): KeyWalk<T | Milestone> {
  const shownOf = (found: KeyedVersion | Milestone | undefined): Soon<Shown<T | Milestone>> =>
    found?.row === undefined ? found : shown(found)
  return {
    next: () => repeat(() => whenThere(added.next(), shownOf)),
    skipPrefix: (prefix) => added.skipPrefix(prefix),
    close: () => added.close(),
  }
}
