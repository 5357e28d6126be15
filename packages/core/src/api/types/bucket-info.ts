/** Buckets in options and results of the API. */
import type { Actor } from '../../events/index.ts'
import type { VersioningStatus } from '../../settings/versioning.ts'
import type { Seq } from '../../ports/index.ts'
import type { SettingKind, SettingValues } from '../../settings/setting.ts'
import type { Moment } from '../../moments/moment.ts'
import type { Cancelable } from './cancelable.ts'

/** The facts of a bucket. */
export interface BucketInfo {
  readonly name: string
  /** The position of its creation, which tells it from every other bucket that has or had the name. */
  readonly seq: Seq
  readonly owner: Actor
  readonly region: string
  readonly createdAt: Date
  /** Absent if versioning was never set. */
  readonly versioning?: VersioningStatus
  /** The kinds of settings of the bucket, each with the position of the event that set it. */
  readonly settings?: Readonly<Partial<Record<SettingKind, Seq>>>
  /** Present in a fork: the bucket that it began as, and the position of that state. */
  readonly base?: { readonly bucket: string; readonly seq: Seq }
}

/** Which state of a bucket a fork begins as. */
export interface ForkOptions extends Cancelable {
  /** @default as it is now */
  readonly at?: Moment
}

export interface CreateBucketOptions extends Cancelable {
  /** @default the region of the store */
  readonly region?: string
  /** Versioning, set in the same commit. @default never set */
  readonly versioning?: VersioningStatus
  readonly settings?: Readonly<Partial<SettingValues>>
  /** Who owns the bucket, and whose quota counts. The log still says who created it. @default the caller */
  readonly owner?: Actor
}
