/** Buckets as the API shows them. */
import type { Actor } from '../../events/index.ts'
import type { VersioningStatus } from '../../settings/versioning.ts'
import type { Seq } from '../../ports/index.ts'
import type { SettingKind, SettingValues } from '../../settings/setting.ts'
import type { Cancelable } from './cancelable.ts'

export interface BucketInfo {
  readonly name: string
  readonly owner: Actor
  readonly region: string
  readonly createdAt: Date
  /** Absent until it is first set. */
  readonly versioning?: VersioningStatus
  /** The kinds of settings it has, each with the event that set it. */
  readonly settings?: Readonly<Partial<Record<SettingKind, Seq>>>
}

export interface CreateBucketOptions extends Cancelable {
  /** Default: the store's region. */
  readonly region?: string
  /** What the bucket begins with, in the same commit. Default: versioning was never set. */
  readonly versioning?: VersioningStatus
  readonly settings?: Readonly<Partial<SettingValues>>
}
