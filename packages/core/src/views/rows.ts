/** The rows of every view. They can be dropped and rebuilt from the log, byte for byte, so their shape may change freely. */
import type {
  Actor,
  Checksum,
  ChecksumType,
  Content,
  CreationFacts,
  ObjectFacts,
  ObjectMetadata,
} from '../events/index.ts'
import type { VersioningStatus } from '../settings/versioning.ts'
import type { DefaultChecksumAlgorithm } from '../base/checksums.ts'
import type { ChecksumAlgorithm, Seq } from '../ports/index.ts'
import type { AnnotationKind, AnnotationValues } from '../settings/annotation.ts'
import type { Setting, SettingKind } from '../settings/setting.ts'

export interface BucketRow {
  readonly owner: Actor
  readonly region: string
  readonly createdAt: number
  /** The position of the event that created it: distinguishes this bucket from earlier and later ones of the same name. */
  readonly incarnation: Seq
  /** Absent until it is first set. */
  readonly versioning?: VersioningStatus
  /** By kind, the event that set it: where it lies in the table of settings. */
  readonly settings?: Readonly<Partial<Record<SettingKind, Seq>>>
  /** A version in this bucket has annotations: only then are they looked up. */
  readonly annotated?: true
  /** The event that made the row what it is. */
  readonly since: Seq
}

/** A deleted bucket whose uploads are still to be aborted. */
export interface DeletedBucketRow {
  readonly bucket: string
  readonly incarnation: Seq
}

/** Written once by the event it is named after, and never changed: the row of the bucket names the one in force. */
export type SettingRow = Setting

/** All annotations of a version. Where a field is absent, that of the version's own row holds. `null`: removed. */
export type AnnotationRow = { readonly since: Seq } & {
  readonly [K in AnnotationKind]?: AnnotationValues[K] | null
}

interface VersionFacts {
  readonly seq: Seq
  readonly at: number
  readonly owner: Actor
  readonly nullVersion: boolean
}
export interface ObjectVersionRow extends VersionFacts, ObjectFacts {
  readonly deleteMarker: false
}
export interface DeleteMarkerRow extends VersionFacts {
  readonly deleteMarker: true
}
export type VersionRow = ObjectVersionRow | DeleteMarkerRow

export interface UploadRow extends CreationFacts {
  readonly seq: Seq
  /** The object that the key had when the upload began: a condition depends on whether it was deleted since. */
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
  /** Base64: for the whole, where its upload has no algorithm of its own. */
  readonly defaultChecksum?: string
}

/** A part that was replaced, not chosen or erased: its bytes are not needed, and the event that added it describes it. */
export interface PastPartRow {
  readonly partNumber: number
  readonly until: Seq
}

/** Points at the null version of a key where it is not simply the oldest one. */
export interface NullRow {
  readonly seq: Seq
}

/** The object that a completed upload became, for clients that repeat the completion. */
export interface CompletionRow {
  readonly bucket: string
  readonly key: string
  readonly version: Seq
}

/** How many versions share one content; absent means one. */
export interface ShareRow {
  readonly versions: number
}

/** Bytes that are no longer needed and wait to be erased. */
export interface GarbageRow {
  readonly at: number
  readonly content: Content
}

/** A blob in the blob store that some content names; `by` is the event that brought it. */
export interface BlobRow {
  readonly by: Seq
  readonly size: number
}

/** A key that wraps the keys of contents, as it is wrapped now. */
export interface KeyGenerationRow {
  readonly generation: number
  readonly master: string
  /** Base64. */
  readonly wrapped: string
}

/** In order of their numbers; the last is the one for new contents. */
export interface KeysRow {
  readonly generations: readonly KeyGenerationRow[]
}

/** A past row: its content until event `until` ended it. */
export type Past<R> = R & { readonly until: Seq }

/** How far the views have followed the log. */
export interface HeadRow {
  readonly seq: Seq
  readonly at: number
  readonly hash: string
  /** Shape of the rows; another number means: rebuild. */
  readonly views: number
}
