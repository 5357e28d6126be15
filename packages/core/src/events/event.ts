/**
 * What can have happened. Names and shapes are disk format: they are never changed, only added to, and an older
 * shape is brought up to date by `events/upcast.ts` when it is read.
 */
import type { Checksum, ChecksumType, Content, CreationFacts, ObjectFacts, ObjectMetadata } from './content.ts'
import type { DefaultChecksumAlgorithm } from '../base/checksums.ts'
import type { ChecksumAlgorithm, Seq } from '../ports/index.ts'
import type { AnnotationEventType, AnnotationKind, AnnotationValues } from '../settings/annotation.ts'
import type { SettingEventType, SettingKind, SettingValues } from '../settings/setting.ts'
import type { VersioningStatus } from '../settings/versioning.ts'

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

/** A new version took the place of `replaces`, which was the null version of the key. */
interface AddsVersion extends InKey {
  /** The version is addressed as `null`: it was added while versioning was not enabled. */
  readonly nullVersion: boolean
  readonly replaces?: Seq
}

export interface BucketCreated extends InBucket {
  readonly owner: Actor
  readonly region: string
}
export interface BucketDeleted extends InBucket {
  /** Uploads were in progress. They are unusable from here on, and `UploadAborted` follows for each of them. */
  readonly leavesUploads?: boolean
}
export interface VersioningSet extends InBucket {
  readonly status: VersioningStatus
}
/** The owner, if it is not the actor. */
interface Owned {
  readonly owner?: Actor
}
export interface VersionAdded extends AddsVersion, ObjectFacts, Owned {
  /** The bytes were not written again: they are those of this version. */
  readonly copiedFrom?: InKey & { readonly version: Seq }
}
export type DeleteMarkerAdded = AddsVersion
export interface VersionRemoved extends InKey {
  readonly version: Seq
  readonly deleteMarker: boolean
  /** The version that is the newest of the key from now on. */
  readonly promotes?: Seq
}
export interface UploadStarted extends InKey, CreationFacts, Owned {
  readonly metadata: ObjectMetadata
  readonly checksumAlgorithm?: ChecksumAlgorithm
  readonly checksumType?: ChecksumType
  /** Of an upload without an algorithm of its own: what the whole gets, joined from a digest of each part. */
  readonly defaultChecksumAlgorithm?: DefaultChecksumAlgorithm
}
export interface PartAdded extends InKey {
  readonly upload: Seq
  readonly partNumber: number
  readonly size: number
  readonly etag: string
  readonly content: Content
  readonly checksum?: Checksum
  /** Base64, of the upload's `defaultChecksumAlgorithm`: for the whole, and shown of no part. */
  readonly defaultChecksum?: string
  /** The event that added the part this one takes the place of. */
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
  /** It was the last upload that this `BucketDeleted` left. */
  readonly lastOf?: Seq
}
/** Bytes of removed versions and unused parts are gone for good; the facts about them remain. */
export interface ContentsErased {
  readonly erased: readonly Erasure[]
}
export interface Erasure {
  /** Where the garbage was noted: the event that freed it, and its place among what that event freed. */
  readonly freedBy: Seq
  readonly index: number
  readonly content: Content
  /** For an upload erased page by page: the parts this event covers. */
  readonly partNumbers?: readonly number[]
  /** More parts of the same upload are still to be erased. */
  readonly continues?: boolean
}

/** `BucketTagsSet`, `BucketPolicySet` and so on: each contains the whole setting. */
type SettingEvents = {
  readonly [K in SettingKind as SettingEventType<K>]: InBucket & { readonly value: SettingValues[K] }
}
export interface BucketSettingRemoved extends InBucket {
  readonly kind: SettingKind
}

/** `ObjectTagsSet` and so on: annotates a version, which stays the same. Without a value: removed. */
type AnnotationEvents = {
  readonly [K in AnnotationKind as AnnotationEventType<K>]: InKey & {
    readonly version: Seq
    readonly value?: AnnotationValues[K]
  }
}

/** A key that wraps the keys of contents, itself wrapped in a master key that is not kept here. */
export interface KeyGenerationAdded {
  /** From 1, without a gap. */
  readonly generation: number
  /** The id of the master key, which reveals nothing about it. */
  readonly master: string
  /** Base64. */
  readonly wrapped: string
}
/** The same key in another master key. */
export type KeyGenerationRewrapped = KeyGenerationAdded

/**
 * Takes the place of an event that a salvage could not keep, so that every other one keeps its position. Nothing is known to
 * have happened here.
 */
export interface EventLost {
  /** `dependent`: it was whole, but depended on an event that is lost. */
  readonly reason: 'damaged' | 'missing' | 'dependent'
  /** The lost event that it needed. */
  readonly dependsOn?: Seq
  /** How long its stored bytes were, and their SHA-256, base64url: to know them again in the store that was salvaged. */
  readonly bytes?: number
  readonly sha256?: string
}

/** The data of each event, by type. */
export interface EventShapes extends SettingEvents, AnnotationEvents {
  readonly BucketCreated: BucketCreated
  readonly BucketDeleted: BucketDeleted
  readonly VersioningSet: VersioningSet
  readonly BucketSettingRemoved: BucketSettingRemoved
  readonly VersionAdded: VersionAdded
  readonly DeleteMarkerAdded: DeleteMarkerAdded
  readonly VersionRemoved: VersionRemoved
  readonly UploadStarted: UploadStarted
  readonly PartAdded: PartAdded
  readonly UploadCompleted: UploadCompleted
  readonly UploadAborted: UploadAborted
  readonly ContentsErased: ContentsErased
  readonly KeyGenerationAdded: KeyGenerationAdded
  readonly KeyGenerationRewrapped: KeyGenerationRewrapped
  readonly EventLost: EventLost
}

/** The type of an event. */
export type EventType = keyof EventShapes

/** An event as `decide` returns it: what happened, not yet when and where in the log. */
export type Event<T extends EventType = EventType> = {
  readonly [K in T]: { readonly type: K; readonly data: EventShapes[K] }
}[T]

/** An event in the log. */
export type RecordedEvent<T extends EventType = EventType> = Event<T> & {
  readonly seq: Seq
  /** Milliseconds since the epoch; never less than the event before. */
  readonly at: number
  readonly by: Actor
  /** The request that caused it; unique per command. */
  readonly requestId: string
  /** SHA-256 of the stored bytes of the event before, base64url; empty for the first. */
  readonly prev: string
}
