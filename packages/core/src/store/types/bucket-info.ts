/** Buckets as the API shows them. */
import type { Actor, VersioningStatus } from '../../events/index.ts'

export interface BucketInfo {
  readonly name: string
  readonly owner: Actor
  readonly region: string
  readonly createdAt: Date
  /** Absent until it is first set. */
  readonly versioning?: VersioningStatus
}
