/**
 * The commands. They carry S3's operation names and everything that is not deterministic: the actor, under
 * which request, and the bytes already written.
 */
import type {
  Actor,
  Checksum,
  ChecksumType,
  Content,
  CreationFacts,
  Erasure,
  KeyGenerationAdded,
  KeyGenerationRewrapped,
  ObjectFacts,
  ObjectMetadata,
} from '../events/index.ts'
import type { VersioningStatus } from '../settings/versioning.ts'
import type { DefaultChecksumAlgorithm } from '../base/checksums.ts'
import type { ChecksumAlgorithm, Seq } from '../ports/index.ts'
import type { Annotation } from '../settings/annotation.ts'
import type { Setting, SettingKind } from '../settings/setting.ts'
import type { ReadSet } from './read-set.ts'

/** Conditions a write depends on, as S3 reads them. ETags without quotes; `*` means any. */
export interface WriteConditions {
  readonly ifMatch?: string
  readonly ifNoneMatch?: '*'
}

/** The conditions among the options of a write. */
export const writeConditions = ({ ifMatch, ifNoneMatch }: WriteConditions) => ({
  ...(ifMatch !== undefined && { ifMatch }),
  ...(ifNoneMatch !== undefined && { ifNoneMatch }),
})

interface OnKey {
  readonly bucket: string
  readonly key: string
}

interface OnUpload extends OnKey {
  readonly upload: Seq
}

/** A version as clients name it: its position, or `null` for the null version. */
export type VersionRef = Seq | null

/** The data of each command, by type. */
export interface CommandShapes {
  readonly CreateBucket: {
    readonly bucket: string
    readonly region: string
    /** What the bucket begins with. */
    readonly versioning?: VersioningStatus
    readonly settings?: readonly Setting[]
  }
  readonly DeleteBucket: { readonly bucket: string }
  readonly PutBucketVersioning: { readonly bucket: string; readonly status: VersioningStatus }
  /** `PutBucketPolicy`, `PutBucketTagging` and so on: one command for every kind. */
  readonly PutBucketSetting: { readonly bucket: string; readonly setting: Setting }
  readonly DeleteBucketSetting: { readonly bucket: string; readonly kind: SettingKind }
  readonly PutObject: OnKey & { readonly facts: ObjectFacts; readonly conditions: WriteConditions }
  /** Takes over the bytes of a version without writing them again. */
  readonly CopyObject: OnKey & {
    readonly source: OnKey & { readonly version: Seq }
    readonly metadata: ObjectMetadata
    readonly checksum?: Checksum
    readonly conditions: WriteConditions
    /** Of the copy; nothing of it is taken over from the source. */
    readonly creation: CreationFacts
  }
  /** `PutObjectTagging`, `PutObjectRetention` and so on. Without a version: of the newest. */
  readonly AnnotateObject: OnKey & {
    readonly version?: VersionRef
    readonly annotation: Annotation
    /** Shortens or takes away GOVERNANCE retention. */
    readonly bypassGovernance?: boolean
  }
  readonly DeleteObject: OnKey & {
    readonly ifMatch?: string
    /** Nothing happens if another version is the newest by now. */
    readonly onlyIfNewest?: Seq
  }
  readonly DeleteObjectVersion: OnKey & {
    readonly version: VersionRef
    readonly ifMatch?: string
    /** GOVERNANCE retention does not keep it. */
    readonly bypassGovernance?: boolean
    /** Nothing happens unless this still holds: it is not the newest; it is a delete marker, and all that is left of the key. */
    readonly onlyIf?: 'noncurrent' | 'lone-marker'
  }
  readonly CreateMultipartUpload: OnKey &
    CreationFacts & {
      readonly metadata: ObjectMetadata
      readonly checksumAlgorithm?: ChecksumAlgorithm
      readonly checksumType?: ChecksumType
      readonly defaultChecksumAlgorithm?: DefaultChecksumAlgorithm
    }
  readonly UploadPart: OnUpload & {
    readonly partNumber: number
    readonly size: number
    readonly etag: string
    readonly content: Content
    readonly checksum?: Checksum
    readonly defaultChecksum?: string
  }
  readonly CompleteMultipartUpload: OnUpload & {
    readonly parts: readonly CompletedPart[]
    readonly conditions: WriteConditions
    /** The size of the whole according to the client: checked, not trusted. */
    readonly size?: number
    readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly value: string }
    readonly checksumType?: ChecksumType
    /** A second completion with the same parts answers as the first did, instead of `NoSuchUpload`. */
    readonly repeatable: boolean
    /** Parts of an upload with a composite checksum have to be listed with theirs. */
    readonly everyPartChecksum?: boolean
    /** Bytes every part but the last must have. Absent: S3's 5 MiB. */
    readonly partSizeMin?: number
  }
  readonly AbortMultipartUpload: OnUpload
  /** Sent by the store itself after a bucket was deleted: aborts uploads that it left. */
  readonly ClearDeletedBucket: {
    /** The event that deleted the bucket. */
    readonly deleted: Seq
    readonly uploads: readonly { readonly key: string; readonly upload: Seq }[]
    /** There are no others. */
    readonly last: boolean
  }
  /** The sweep's own: the bytes are gone, note it. */
  readonly EraseContents: { readonly erased: readonly Erasure[] }
  /** By a command that needs the first key, or by a rotation. */
  readonly AddKeyGeneration: KeyGenerationAdded
  /** Unless it was wrapped otherwise since it was read. */
  readonly RewrapKeyGeneration: KeyGenerationRewrapped & { readonly replaces: string }
}

/** A part in the list that completes an upload. */
export interface CompletedPart {
  readonly partNumber: number
  /** Without quotes. */
  readonly etag: string
  /** Base64, to be compared with what the part was stored with. */
  readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly value: string }
}

/** The type of a command. */
export type CommandType = keyof CommandShapes

/** Facts of a command beside its data: the actor, the request id and the read set. */
export interface CommandMeta {
  readonly by: Actor
  readonly requestId: string
  /** What the command was authorised on: it is refused with `ReadSetChanged` if any of it has changed. Absent: nothing. */
  readonly readSet?: ReadSet
}

/** A request to change the store, which a rule accepts or refuses. */
export type Command<T extends CommandType = CommandType> = {
  readonly [K in T]: { readonly type: K; readonly data: CommandShapes[K]; readonly meta: CommandMeta }
}[T]
