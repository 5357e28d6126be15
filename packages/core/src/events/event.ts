/**
 * All events. Their names and shapes are disk format: they are never changed, only added to. `event-forms.ts` has the
 * binary form of each.
 */
import type { Checksum, ChecksumType, Content, CreationFacts, ObjectFacts, ObjectMetadata } from './content.ts'
import type { DefaultChecksumAlgorithm } from '../base/checksums.ts'
import type { Epoch } from '../base/epoch.ts'
import type { ChecksumAlgorithm, Seq } from '../ports/index.ts'
import type { ByteRetention } from '../settings/byte-retention.ts'
import type { AnnotationEventType, AnnotationKind, AnnotationValues } from '../settings/annotation.ts'
import type { SettingEventType, SettingKind, SettingValues } from '../settings/setting.ts'
import type { VersioningStatus } from '../settings/versioning.ts'
import type { BytesHealed } from './bytes-healed.ts'
import type { Cause } from './cause.ts'
import type { EpochBegun } from './epoch-begun.ts'
import type { IdentityEvents } from './identity-events.ts'
import type { EventLost } from './rewritten-logs.ts'
import type { TaskContinued, TaskEnded, TaskStarted } from './task-events.ts'

export type { Cause } from './cause.ts'
export type { EventLost }

/** The user, or the job, that acts. Ownership compares `id`; `name` is for people. */
export interface Actor {
  readonly id: string
  readonly name: string
}

interface InBucket {
  readonly bucket: string
}

interface InKey extends InBucket {
  readonly key: string
}

/** The version replaces `replaces`, which was the null version of the key. */
interface AddsVersion extends InKey {
  /** The version id is `null`, because versioning was not enabled when it was added. */
  readonly nullVersion: boolean
  readonly replaces?: Seq
}

interface Caused {
  /** Absent: the request itself. */
  readonly cause?: Cause
}

export interface BucketCreated extends InBucket {
  readonly owner: Actor
  readonly region: string
}
export interface BucketDeleted extends InBucket {
  /** True if uploads were in progress. They are unusable from now on, and `UploadAborted` follows for each of them. */
  readonly leavesUploads?: boolean
}
/** A bucket that was deleted is there again, with its settings. Its uploads were aborted. */
export interface BucketRestored extends InBucket, Caused {
  /** The event that deleted it. */
  readonly deleted: Seq
}
/** A bucket that begins as another one was. What it shows of that one never changes by later events there. */
export interface BucketForked extends InBucket {
  readonly owner: Actor
  /** The bucket that it begins as: the one that had this name after the position. */
  readonly from: string
  /** Absent: the position of this event. */
  readonly position?: Seq
  /** Bytes that no version needs any more, that are kept already, and that the fork shows too. Counted if its owner has a quota. @default 0 */
  readonly shown?: number
}
/** A fork is gone with everything in it. `VersionRemoved` follows for each of its own versions, then `ForkCleared`. */
export interface ForkDropped extends InBucket {
  /** As in `BucketDeleted`. */
  readonly leavesUploads?: boolean
}
/** A dropped fork has no versions of its own left: its name is free. */
export interface ForkCleared extends InBucket {
  /** The event that dropped it. */
  readonly dropped: Seq
}
/** Nothing reads a fork that is gone any more, and no snapshot or other fork shows it: it keeps no bytes of its base. */
export interface ForkReleased {
  /** The event that created the fork. */
  readonly fork: Seq
}
export interface VersioningSet extends InBucket, Caused {
  readonly status: VersioningStatus
}
/** The owner, if it is not the actor. */
interface Owned {
  readonly owner?: Actor
}
export interface VersionAdded extends AddsVersion, ObjectFacts, Owned, Caused {
  /** The version whose bytes this one shares. */
  readonly copiedFrom?: InKey & { readonly version: Seq }
}
export type DeleteMarkerAdded = AddsVersion & Caused
export interface VersionRemoved extends InKey, Caused {
  readonly version: Seq
  readonly deleteMarker: boolean
  /** The version that becomes the newest of the key. */
  readonly promotes?: Seq
}
/** A version or delete marker that was removed is there again: the same version, at its old place. */
export interface VersionRestored extends InKey, Caused {
  readonly version: Seq
  readonly deleteMarker: boolean
  /** The event that removed it. */
  readonly removed: Seq
}
export interface UploadStarted extends InKey, CreationFacts, Owned {
  readonly metadata: ObjectMetadata
  readonly checksumAlgorithm?: ChecksumAlgorithm
  readonly checksumType?: ChecksumType
  /** For an upload without an algorithm: the object gets this checksum, which is joined from a digest of each part. */
  readonly defaultChecksumAlgorithm?: DefaultChecksumAlgorithm
}
export interface PartAdded extends InKey {
  readonly upload: Seq
  readonly partNumber: number
  readonly size: number
  readonly etag: string
  readonly content: Content
  readonly checksum?: Checksum
  /** Base64, in the upload's `defaultChecksumAlgorithm`. Used for the whole object, and never shown for a part. */
  readonly defaultChecksum?: string
  /** The position of the event that added the replaced part. */
  readonly replaces?: Seq
}
export interface UploadCompleted extends AddsVersion, ObjectFacts, Owned {
  readonly upload: Seq
  /** The part numbers that became the object, as inclusive runs. */
  readonly parts: readonly (readonly [first: number, last: number])[]
  /** Parts that were uploaded and not used. */
  readonly unused: readonly number[]
}
export interface UploadAborted extends InKey {
  readonly upload: Seq
  /** Present for the last upload that this `BucketDeleted` left. */
  readonly lastOf?: Seq
}
/** How long removed bytes stay, in one bucket or in the whole store. */
export interface RetentionSet {
  /** Absent: the whole store. */
  readonly bucket?: string
  /** `null`: the bucket has no retention of its own any more. */
  readonly retention: ByteRetention | null
  /** How long what counted before still protects bytes that it keeps longer, in milliseconds. Absent: not at all. */
  readonly graceMs?: number
}
/**
 * The erasure of contents that nothing needs has started: from now on nothing may use their bytes again. `ContentsErased`
 * follows when they are gone.
 */
export interface ErasureStarted {
  /** Each by the event that freed it, and its index among the contents which that event freed. */
  readonly contents: readonly Pick<Erasure, 'freedBy' | 'index'>[]
}
/** Bytes of removed versions and unused parts were erased permanently; their facts remain. */
export interface ContentsErased {
  readonly erased: readonly Erasure[]
}
export interface Erasure {
  /** Identifies the garbage: the event that freed it, and its index among the contents which that event freed. */
  readonly freedBy: Seq
  readonly index: number
  readonly content: Content
  /** For an upload erased page by page: the parts this event covers. */
  readonly partNumbers?: readonly number[]
  /** True if more parts of the same upload are still to be erased. */
  readonly continues?: boolean
}

/** A version, by the event that added it. */
export interface ErasedVersion {
  readonly key: string
  readonly version: Seq
}
/**
 * Somebody had the bytes of removed versions erased, whatever the retention says. `ErasureStarted` of their contents
 * follows in the same commit. If a sweep had erased them before, so does another `ContentsErased`, for copies of the log that still have them. Without versions, the bytes are parts of uploads that no version ever had: the events that freed them name the
 * uploads.
 */
export interface ErasureRequested extends InBucket {
  readonly versions: readonly ErasedVersion[]
}
/** A name for the state after a position. While the snapshot exists, bytes that this state shows are not erased. */
export interface SnapshotCreated {
  readonly name: string
  /** Absent: the position of this event. */
  readonly position?: Seq
  /** The snapshot keeps the bytes of this bucket alone, as it was at the position. Absent: of all buckets. */
  readonly bucket?: string
}
export interface SnapshotDeleted {
  readonly name: string
}
/** Garbage, by the event that freed it and its index among the contents which that event freed. */
type GarbageNames = ErasureStarted['contents']
/**
 * The sweep set garbage aside that a snapshot keeps, or returned garbage that no snapshot keeps any more. The first waits
 * for its erasure no longer, the second does again.
 */
export interface PinsSettled {
  readonly pinned: GarbageNames
  readonly released: GarbageNames
  /** A position whose snapshot was deleted, and for which no more garbage is to be returned. */
  readonly settled?: { readonly position: Seq; readonly of: Seq }
}

/** `BucketTagsSet`, `BucketPolicySet` and so on: each contains the whole setting. */
type SettingEvents = {
  readonly [K in SettingKind as SettingEventType<K>]: InBucket & Caused & { readonly value: SettingValues[K] }
}
export interface BucketSettingRemoved extends InBucket, Caused {
  readonly kind: SettingKind
}

/** `ObjectTagsSet` and so on: annotates a version, which stays the same. Without a value, removes the annotation. */
type AnnotationEvents = {
  readonly [K in AnnotationKind as AnnotationEventType<K>]: InKey &
    Caused & {
      readonly version: Seq
      readonly value?: AnnotationValues[K]
    }
}

/** A key that wraps data keys. It is itself wrapped in a master key that is not stored here. */
export interface KeyGenerationAdded {
  /** Counted from 1 without a gap. */
  readonly generation: number
  /** The id of the master key, which reveals nothing about it. */
  readonly master: string
  /** Base64. */
  readonly wrapped: string
}
/** The same key, wrapped in another master key. */
export type KeyGenerationRewrapped = KeyGenerationAdded

/** The data of each event, by type. */
export interface EventShapes extends SettingEvents, AnnotationEvents, IdentityEvents {
  readonly BucketCreated: BucketCreated
  readonly BucketDeleted: BucketDeleted
  readonly BucketRestored: BucketRestored
  readonly BucketForked: BucketForked
  readonly ForkDropped: ForkDropped
  readonly ForkCleared: ForkCleared
  readonly ForkReleased: ForkReleased
  readonly VersioningSet: VersioningSet
  readonly BucketSettingRemoved: BucketSettingRemoved
  readonly VersionAdded: VersionAdded
  readonly DeleteMarkerAdded: DeleteMarkerAdded
  readonly VersionRemoved: VersionRemoved
  readonly VersionRestored: VersionRestored
  readonly UploadStarted: UploadStarted
  readonly PartAdded: PartAdded
  readonly UploadCompleted: UploadCompleted
  readonly UploadAborted: UploadAborted
  readonly RetentionSet: RetentionSet
  readonly ErasureStarted: ErasureStarted
  readonly ContentsErased: ContentsErased
  readonly ErasureRequested: ErasureRequested
  readonly SnapshotCreated: SnapshotCreated
  readonly SnapshotDeleted: SnapshotDeleted
  readonly PinsSettled: PinsSettled
  readonly TaskStarted: TaskStarted
  readonly TaskContinued: TaskContinued
  readonly TaskEnded: TaskEnded
  readonly KeyGenerationAdded: KeyGenerationAdded
  readonly KeyGenerationRewrapped: KeyGenerationRewrapped
  readonly EpochBegun: EpochBegun
  readonly BytesHealed: BytesHealed
  readonly EventLost: EventLost
}

/** The type of an event. */
export type EventType = keyof EventShapes

/** An event as `decide` returns it, without a time and a position in the log. */
export type Event<T extends EventType = EventType> = {
  readonly [K in T]: { readonly type: K; readonly data: EventShapes[K] }
}[T]

/** An event in the log. */
export type RecordedEvent<T extends EventType = EventType> = Event<T> & {
  readonly seq: Seq
  /** Milliseconds since the epoch; never less than that of the previous event. */
  readonly at: number
  readonly by: Actor
  /** The id of the request that caused it; unique per command. */
  readonly requestId: string
  /** The epoch that began before the event. Absent before the first one, and in the event that begins the first one. */
  readonly epoch?: Epoch
  /** SHA-256 of the stored payload of the previous event, base64url; empty for the first event. */
  readonly prev: string
}
