/**
 * The rows of all views, besides those of versions (`version-row.ts`). They can be rebuilt from the log, byte for byte, so their shape may
 * change freely.
 */
import type {
  Actor,
  Checksum,
  ChecksumType,
  Content,
  CreationFacts,
  ObjectMetadata,
  TaskStarted,
} from '../events/index.ts'
import type { Epoch } from '../base/epoch.ts'
import type { VersioningStatus } from '../settings/versioning.ts'
import type { DefaultChecksumAlgorithm } from '../base/checksums.ts'
import type { ChecksumAlgorithm, Seq } from '../ports/index.ts'
import type { ByteRetention } from '../settings/byte-retention.ts'
import type { AnnotationKind, AnnotationValues } from '../settings/annotation.ts'
import type { Setting, SettingKind } from '../settings/setting.ts'

export interface BucketRow {
  readonly owner: Actor
  readonly region: string
  readonly createdAt: number
  /** The position of the bucket's creation: distinguishes it from earlier and later buckets of the same name. */
  readonly incarnation: Seq
  /** Absent if it was never set. */
  readonly versioning?: VersioningStatus
  /** The event that set it first. */
  readonly versionedSince?: Seq
  /** By kind, the position of the event that set it, which is part of the key in the table of settings. */
  readonly settings?: Readonly<Partial<Record<SettingKind, Seq>>>
  /** True if a version in this bucket has annotations. Without it, they are not looked up. */
  readonly annotated?: true
  /** True if a removed version has come back. Without it, a key without versioning has one version at a time, the last. */
  readonly restored?: true
  /** Present in a fork. */
  readonly base?: ForkBase
  /** True in the last row of a fork that was dropped. */
  readonly dropped?: true
  /** The position of the last event that changed this row. */
  readonly since: Seq
}

/** What a fork shows where it has no rows of its own: a bucket after an event. */
export interface ForkBase {
  readonly bucket: string
  readonly position: Seq
  /** The incarnation of that bucket. */
  readonly incarnation: Seq
  /** 1 for a fork of a bucket that is none. */
  readonly depth: number
}

/** A key that a fork has changed: from then on, the newest version of the key in the fork is among the fork's own rows. */
export interface OwnKeyRow {
  /** The event that changed the key first. */
  readonly since: Seq
}

/** A version of the base that is described by a row of the fork, for the whole life of the fork. Its key says all. */
export type BorrowedRow = Readonly<Record<string, never>>

/** A deleted bucket whose uploads are still to be aborted. */
export interface DeletedBucketRow {
  readonly bucket: string
  readonly incarnation: Seq
}

/** Written once by the event in its key, and never changed. The row of the bucket names the current one. */
export type SettingRow = Setting

/** All annotations of a version. For an absent field, the value in the version's own row applies. `null`: removed. */
export type AnnotationRow = { readonly since: Seq } & {
  readonly [K in AnnotationKind]?: AnnotationValues[K] | null
}

export interface UploadRow extends CreationFacts {
  readonly seq: Seq
  /** The epoch in which the upload began. */
  readonly epoch?: Epoch
  /** The object that the key had when the upload began: conditions depend on whether it was deleted since. */
  readonly over?: Seq
  readonly at: number
  readonly owner: Actor
  /** Absent: the owner. */
  readonly initiator?: Actor
  readonly metadata: ObjectMetadata
  readonly checksumAlgorithm?: ChecksumAlgorithm
  readonly checksumType?: ChecksumType
  readonly defaultChecksumAlgorithm?: DefaultChecksumAlgorithm
}

export interface PartRow {
  readonly seq: Seq
  readonly at: number
  readonly size: number
  readonly etag: string
  readonly content: Content
  readonly checksum?: Checksum
  /** Base64. For the whole object, if the upload has no algorithm of its own. */
  readonly defaultChecksum?: string
}

/** A part that was replaced, not chosen or erased. Its bytes are not needed; the event that added it has its facts. */
export interface PastPartRow {
  readonly partNumber: number
  readonly until: Seq
}

/** Points at the null version of a key if that is not the oldest version. */
export interface NullRow {
  readonly seq: Seq
}

/** The version that an event made the newest of its key, or the null version. */
export interface ChangeRow {
  readonly version: Seq
}

/** The object of a completed upload, for clients that repeat the completion. */
export interface CompletionRow {
  readonly bucket: string
  readonly key: string
  readonly version: Seq
  /** The epoch in which the upload began. */
  readonly epoch?: Epoch
}

/**
 * How many versions have a content that ever was copied. A content without a row belongs to the one version that was
 * added with it; if that was removed, the event that removed it freed the content.
 */
export interface ShareRow {
  readonly versions: number
  /** The event that freed the content, while no version has it. */
  readonly freedBy?: Seq
  /**
   * The incarnation of a bucket that has such a version. The bytes count there once. When its last such version goes, another
   * bucket that has one becomes the home.
   */
  readonly home: Seq
  /** The version that was added with the content. */
  readonly since: Seq
  /** True if another bucket had a copy. */
  readonly crossed?: true
}

/** Bytes that are no longer needed and wait for erasure. */
export interface GarbageRow {
  readonly at: number
  readonly content: Content
  /** The incarnation of the bucket that had them last. */
  readonly home: Seq
  /** True if another bucket had a copy: then the longest retention of all buckets counts. */
  readonly crossed?: true
  /** The stored bytes. */
  readonly bytes: number
  /** The event that made the bytes visible. Absent: no version ever had them. */
  readonly since?: Seq
  /** The position of a snapshot that keeps the bytes. Present in the table of pinned garbage. */
  readonly pin?: Seq
  /** The incarnations of the forks that still show the bytes and are charged for them. */
  readonly shownBy?: readonly Seq[]
}

/** The garbage of a bucket that snapshots keep, by the snapshot that its row names. Its key says all. */
export type PinnedByRow = Readonly<Record<string, never>>

/** Orders the garbage of a bucket by the time it was freed. Its key says all. */
export type WaitingRow = Readonly<Record<string, never>>

/** The retention that the log states for a bucket, or for the whole store. */
export interface RetentionRow extends ByteRetention {
  /** The position of the event that states it. */
  readonly since: Seq
  /** The bucket follows the store again: nothing is stated, and only `before` counts. */
  readonly follows?: true
  /** What counted before, and protects bytes until the grace period is over. */
  readonly before?: GraceRow
}

/** A retention that counts for a while after a shorter one was stated. */
export interface GraceRow extends ByteRetention {
  /** The time of the event that states the shorter one. */
  readonly at: number
  readonly graceMs: number
}

/** A named position. */
export interface SnapshotRow {
  readonly position: Seq
  /** The event that created the snapshot. */
  readonly since: Seq
  readonly at: number
  readonly by: Actor
  /** The only bucket whose bytes it keeps. Absent: it keeps those of all. */
  readonly bucket?: string
  /** The incarnation of that bucket; 0 for all buckets. */
  readonly of: Seq
  /** True if none of the bytes of that state had been erased when the snapshot was created. */
  readonly complete?: true
}

/** A task that goes on. */
export interface TaskRow extends TaskStarted {
  /** The event that started it. */
  readonly since: Seq
  readonly at: number
  readonly by: Actor
}

/** The positions of all snapshots and of what forks show, ascending. */
export interface PinsRow {
  readonly pins: readonly Pin[]
}

/** A position whose bytes a snapshot or a fork keeps. */
export interface Pin {
  readonly position: Seq
  /** The incarnation of the bucket whose bytes it keeps; 0 for all buckets. */
  readonly of: Seq
  /** Present if a fork keeps the bytes: its incarnation. */
  readonly fork?: Seq
  /** The event that deleted or dropped the fork. */
  readonly until?: Seq
}

/** A pin of a deleted snapshot: garbage that it alone kept is still set aside. Its key says all. */
export type UnpinnedRow = Readonly<Record<string, never>>

/** How far the store has erased bytes that versions had. */
export interface ErasedRow {
  /** The highest event that freed such bytes. No state from this position on lacks any. */
  readonly upTo: Seq
}

/** A blob in the blob store that a content names; `by` is the position of the event that added it. */
export interface BlobRow {
  readonly by: Seq
  readonly size: number
}

/** A key that wraps data keys, as it is wrapped now. */
export interface KeyGenerationRow {
  readonly generation: number
  readonly master: string
  /** Base64. */
  readonly wrapped: string
}

/** In the order of their numbers; the last one encrypts new contents. */
export interface KeysRow {
  readonly generations: readonly KeyGenerationRow[]
}

/** The epochs of the log, in their order. */
export interface EpochsRow {
  /** `since`: the event that began it. */
  readonly epochs: readonly { readonly since: Seq; readonly epoch: Epoch }[]
}

/** A past row: it was valid until the event at `until` ended it. */
export type Past<R> = R & { readonly until: Seq }

/** The position of the log that the views contain. */
export interface HeadRow {
  readonly seq: Seq
  readonly at: number
  readonly hash: string
  /** The version of the rows' shapes; a different number requires a rebuild. */
  readonly views: number
  /** True while the views of a shared journal are computed again: no other engine may use them. */
  readonly partial?: true
}
