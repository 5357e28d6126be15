/** The queries that reads and listings use, on the newest state or as of a position. */
import type { Soon } from '../base/soon.ts'
import type { VersionRef } from '../commands/command.ts'
import type { Seq } from '../ports/index.ts'
import type { Epochs } from '../views/epochs.ts'
import type { BucketRow } from '../views/rows.ts'
import type { ObjectVersionRow, VersionRow } from '../views/version-row.ts'
import type { Annotations } from '../settings/annotation.ts'
import type { SettingKind, SettingValues } from '../settings/setting.ts'
import type { PlacedVersion } from './annotations.ts'
import type { Walk } from './row-walk.ts'

export interface NamedBucket {
  readonly name: string
  readonly row: BucketRow
}

export interface KeyedVersion {
  readonly key: string
  readonly row: VersionRow
}

export interface KeyedObject {
  readonly key: string
  readonly row: ObjectVersionRow
}

/** Says how far a walk has come that shows nothing for long: it has no more before this key. */
export interface Milestone {
  readonly key: string
  readonly row?: undefined
}

/** Where a listing starts within a prefix. */
export interface StartPlace {
  readonly key: string
  /**
   * `at`: at the first row of the key. `after`: after its last row. A position: at the versions added at or before it.
   */
  readonly place: 'at' | 'after' | Seq
}

/** What a walk can know of the page that reads it. */
export interface ReadAhead {
  /** How many rows will be read if none is skipped. */
  readonly wanted?: number | undefined
  /** Of the keys with the same text up to this one, only the first is needed. */
  readonly delimiter?: string | undefined
}

/** A walk over keys, which can skip those that start with a prefix. */
export interface KeyWalk<T> extends Omit<Walk<T>, 'skipTo'> {
  skipPrefix(prefix: string): void
}

export interface BucketPage {
  /** Only names after this one. */
  readonly after: string
  readonly limit: number
}

export interface ReadSnapshot {
  /** The bucket's setting of this kind. The bucket's row must be from the same state. */
  setting<K extends SettingKind>(named: NamedBucket, kind: K): Soon<SettingValues[K] | undefined>
  /** The annotations of a version. The bucket's row must be from the same state. */
  annotations(row: BucketRow, version: PlacedVersion): Soon<Annotations>
  bucket(name: string): Soon<BucketRow | undefined>
  /** All buckets or a page of them, in the order of their names. */
  buckets(prefix: string, page?: BucketPage): Promise<readonly NamedBucket[]>
  /** The epochs of the whole log, also those that began after the state. */
  epochs(): Soon<Epochs>
  newest(bucket: string, key: string): Soon<VersionRow | undefined>
  version(bucket: string, key: string, version: VersionRef): Promise<VersionRow | undefined>
  /** `wanted`: how many rows will be read if none is skipped, for read-ahead. */
  versions(bucket: string, prefix: string, start?: StartPlace, wanted?: number): KeyWalk<KeyedVersion>
  objects(bucket: string, prefix: string, start?: StartPlace, ahead?: ReadAhead): KeyWalk<KeyedObject>
}

/** A state of the past. */
export interface PastSnapshot extends ReadSnapshot {
  /** As `objects`, with a milestone each time after `stepsMax` rows that show nothing, so that no read takes long. */
  objectsInSteps(bucket: string, prefix: string, start?: StartPlace): KeyWalk<KeyedObject | Milestone>
}

export const stepsMax = 256
