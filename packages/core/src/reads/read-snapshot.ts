/** The store after some event, or as it is now: the queries that reads and listings use. */
import type { VersionRef } from '../commands/command.ts'
import type { Seq } from '../ports/index.ts'
import type { BucketRow, ObjectVersionRow, VersionRow } from '../views/rows.ts'
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

/** Where a listing begins within a prefix. */
export interface StartPlace {
  readonly key: string
  /** `at`: with the first row of the key. `after`: behind its last. A position: with what was added at or before it. */
  readonly place: 'at' | 'after' | Seq
}

/** A walk that also knows how to jump over keys. */
export interface KeyWalk<T> extends Walk<T> {
  skipPrefix(prefix: string): void
}

export interface BucketPage {
  /** Names behind this one. */
  readonly after: string
  readonly limit: number
}

export interface ReadSnapshot {
  /** What the bucket has of this kind; its row must be of the same moment. */
  setting<K extends SettingKind>(named: NamedBucket, kind: K): Promise<SettingValues[K] | undefined>
  /** What holds of a version; the bucket's row must be of the same moment. */
  annotations(row: BucketRow, version: PlacedVersion): Promise<Annotations>
  bucket(name: string): Promise<BucketRow | undefined>
  /** In order of their names: all, or a page of them. */
  buckets(prefix: string, page?: BucketPage): Promise<readonly NamedBucket[]>
  newest(bucket: string, key: string): Promise<VersionRow | undefined>
  version(bucket: string, key: string, version: VersionRef): Promise<VersionRow | undefined>
  /** `wanted`: how many will be taken if none is skipped, for reading ahead. */
  versions(bucket: string, prefix: string, start?: StartPlace, wanted?: number): KeyWalk<KeyedVersion>
  objects(bucket: string, prefix: string, start?: StartPlace, wanted?: number): KeyWalk<KeyedObject>
}
