/** The rows that count stored bytes, versions and uploads: of buckets, owners, uploads and contents. */
import type { Seq } from '../ports/index.ts'

/** How many versions of a bucket have a content that several buckets had. Absent: none has it. */
export interface HolderRow {
  readonly versions: number
}

/** What a bucket has. The row of incarnation 0 counts what is removed in all buckets together. */
export interface UsageRow {
  /** Of versions, and of parts of uploads in progress. Bytes that copies share count once. */
  readonly live: number
  /** Of what was removed and waits for its erasure. */
  readonly kept: number
  /** Of what was removed and is set aside for a snapshot. */
  readonly pinned: number
  /** Versions that were added to the bucket and exist, without delete markers. A fork does not count those of its base. */
  readonly versions: number
  /** Uploads in progress. */
  readonly uploads: number
  /** The id of the bucket's owner. */
  readonly owner?: string
  /** The highest position of a snapshot, in the row of incarnation 0: no look for pins is needed for younger bytes. */
  readonly newestPin?: Seq
  /** Bytes that versions of the bucket share with another bucket, which is their home. They count for quotas as `live` does. */
  readonly shared?: number
  /** Bytes that the base of the fork has removed and that the fork still shows. They count for quotas as `live` does. */
  readonly shown?: number
  /** The part of `shown` that others kept already when the fork began. */
  readonly inherited?: number
}

/** What all buckets of an owner have together. */
export interface OwnerUsageRow {
  /** The sum of `live` of these buckets, also of deleted ones. */
  readonly live: number
  readonly buckets: number
}

/** What the buckets of an owner have together besides `live`: the sum of `shared`, and of `shown` of the forks. Absent: nothing. */
export interface OwnerSharedRow {
  readonly bytes: number
}

/** The stored bytes of the parts of an upload. */
export interface UploadUsageRow {
  readonly home: Seq
  readonly bytes: number
}
