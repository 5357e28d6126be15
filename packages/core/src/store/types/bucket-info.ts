/** Buckets as the API shows them. */
import type { Actor, VersioningStatus } from '../../events/index.ts'
import type { Seq } from '../../ports/index.ts'
import type { SettingKind } from '../../settings/setting.ts'

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
