/** What two states of a bucket differ in. */
import type { Seq } from '../../ports/index.ts'
import type { SettingKind, SettingValues } from '../../settings/setting.ts'
import type { VersioningStatus } from '../../settings/versioning.ts'
import type { Cancelable } from './cancelable.ts'
import type { ListedObject, Page } from './listings.ts'

/** The objects that are compared. */
export interface DiffScope {
  readonly bucket: string
  /** Only keys that begin with it. @default all keys */
  readonly prefix?: string
}

export interface DiffOptions extends Cancelable {
  /** The maximum number of keys in a page, 1 to 1000. @default 1000 */
  readonly limit?: number
  /** The page starts after this key, and has no settings. */
  readonly after?: string
}

/** A setting or the versioning of a bucket. Absent values were not set. */
export type SettingDifference =
  | { readonly [K in SettingKind]: Difference<K, SettingValues[K]> }[SettingKind]
  | Difference<'Versioning', VersioningStatus>

interface Difference<K, T> {
  readonly setting: K
  readonly before?: T
  readonly after?: T
}

/** `recreated`: deleted, and created again under its name. */
export type BucketChange = 'created' | 'deleted' | 'recreated'

/** `metadata` is all that a write gives an object besides its bytes: headers, user metadata, storage class, encryption. */
export type ObjectAspect = 'bytes' | 'metadata' | 'owner' | 'tags' | 'acl' | 'retention' | 'legalHold'

/** The version that a key had in one of the states. */
export interface DiffedVersion extends Omit<ListedObject, 'kind' | 'key'> {
  readonly seq: Seq
}

/** A key whose object is not the same in both states. */
export type ObjectDiff =
  | { readonly kind: 'added'; readonly key: string; readonly after: DiffedVersion }
  | { readonly kind: 'removed'; readonly key: string; readonly before: DiffedVersion }
  | {
      readonly kind: 'changed'
      readonly key: string
      readonly before: DiffedVersion
      readonly after: DiffedVersion
      /** What the two differ in. At least one. */
      readonly aspects: readonly ObjectAspect[]
    }

/** A difference between two states of a bucket. */
export type DiffEntry =
  | { readonly kind: 'bucket'; readonly change: BucketChange }
  | ({ readonly kind: 'setting' } & SettingDifference)
  | ObjectDiff

/** A page of differences. The first one begins with those of the bucket and its settings, in addition to `limit`. */
export interface DiffPage extends Page<DiffEntry> {
  /** The positions that the moments stand for. */
  readonly from: Seq
  readonly to: Seq
  /** Pass it as `after` to get the next page. Present if the page is truncated. */
  readonly nextAfter?: string
}
