/**
 * The commands. They have S3's operation names and contain everything that is not deterministic: the actor, the request
 * id, and the bytes that were already written.
 */
import type { Epoch, EventPlace } from '../base/epoch.ts'
import type {
  Actor,
  Cause,
  Checksum,
  ChecksumType,
  Content,
  CreationFacts,
  KeyGenerationAdded,
  KeyGenerationRewrapped,
  ObjectFacts,
  ObjectMetadata,
  RetentionSet,
  SnapshotCreated,
  TaskContinued,
  TaskEnded,
  TaskStarted,
} from '../events/index.ts'
import type { VersioningStatus } from '../settings/versioning.ts'
import type { DefaultChecksumAlgorithm } from '../base/checksums.ts'
import type { ChecksumAlgorithm, Seq } from '../ports/index.ts'
import type { Annotation } from '../settings/annotation.ts'
import type { Setting, SettingKind } from '../settings/setting.ts'
import type { IdentityCommands } from './identity-commands.ts'
import type { ErasureCommands } from './erasure-commands.ts'
import type { LogCommands } from './log-commands.ts'
import type { ReadSet } from './read-set.ts'

/** Conditions of a write, as S3 defines them. ETags without quotes; `*` means any. */
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

/** An upload by the event that started it: by its position, and by its epoch if it has one. */
export interface OnUpload extends OnKey {
  readonly upload: Seq
  readonly epoch?: Epoch | undefined
}

/** A version as clients name it: the place of its event, or `null` for the null version. */
export type VersionRef = EventPlace | null

/** The data of each command, by type. */
export interface CommandShapes extends IdentityCommands, LogCommands, ErasureCommands {
  readonly CreateBucket: {
    readonly bucket: string
    readonly region: string
    /** The initial versioning state and settings. */
    readonly versioning?: VersioningStatus
    readonly settings?: readonly Setting[]
    /** Absent: the actor. */
    readonly owner?: Actor
  }
  /** Creates a bucket that begins as another one was. */
  readonly ForkBucket: {
    readonly bucket: string
    readonly from: string
    /** Absent: as it is when the command is decided. */
    readonly position?: Seq
    /** The bytes that no version needs any more and that the fork shows, if its owner may have only so many. @default 0 */
    readonly shown?: number
    /** Those of them that nothing else would charge it for. @default 0 */
    readonly inherited?: number
  }
  /** Deletes a fork with everything in it. */
  readonly DropFork: {
    readonly bucket: string
    /** The locks of versions that its base does not have. Absent: there are none. */
    readonly held?: { readonly legalHold: boolean; readonly until: number }
  }
  /** Sent by the store itself after a fork was dropped: removes versions that it left. */
  readonly ClearDroppedFork: {
    readonly bucket: string
    /** The position of the event that dropped it. */
    readonly dropped: Seq
    readonly versions: readonly { readonly key: string; readonly version: Seq }[]
    /** True if no other versions are left. */
    readonly last: boolean
  }
  /** Sent by the sweep: the fork is gone, and no read that began before its end is left. No effect while something shows it. */
  readonly ReleaseFork: { readonly fork: Seq }
  readonly DeleteBucket: { readonly bucket: string }
  /** Deletes a bucket that a chosen event created. */
  readonly RevertCreation: RevertingPart & { readonly bucket: string; readonly incarnation: Seq }
  readonly PutBucketVersioning: { readonly bucket: string; readonly status: VersioningStatus }
  /** `PutBucketPolicy`, `PutBucketTagging` and so on: one command for all kinds of settings. */
  readonly PutBucketSetting: { readonly bucket: string; readonly setting: Setting }
  readonly DeleteBucketSetting: { readonly bucket: string; readonly kind: SettingKind }
  readonly PutObject: OnKey & { readonly facts: ObjectFacts; readonly conditions: WriteConditions }
  /** Shares the bytes of a version without writing them again. */
  readonly CopyObject: OnKey & {
    /** `at`: the version as of this position, which may have been removed since. */
    readonly source: OnKey & { readonly version: Seq; readonly at?: Seq }
    readonly metadata: ObjectMetadata
    readonly checksum?: Checksum
    readonly conditions: WriteConditions
    /** The facts of the copy; none of them come from the source. */
    readonly creation: CreationFacts
  }
  /** Gives keys of a bucket the objects they had, or none. */
  readonly RestoreObjects: RevertingPart & {
    readonly bucket: string
    /**
     * The event that last changed the bucket when the restore was planned: other settings need another plan. `undefined`:
     * commands before this one in the same write have settled what the bucket is.
     */
    readonly bucketSince: Seq | undefined
    /** The fork that the versions are of. Absent: they are of the bucket itself. */
    readonly source?: string | undefined
    readonly keys: readonly RestoredKey[]
  }
  /** Undoes what chosen events did to one key: removes versions, takes removed ones back, and sets annotations. */
  readonly UndoKey: OnKey &
    RevertingPart & {
      /** The bucket that the events were in. */
      readonly incarnation: Seq
      readonly remove: readonly Seq[]
      readonly restore: readonly { readonly version: Seq; readonly removed: Seq }[]
      readonly annotate: readonly { readonly version: Seq; readonly annotation: Annotation }[]
    }
  /** Sets a setting of a bucket to the value that it had, or removes it. */
  readonly RevertSetting: RevertingPart & {
    readonly bucket: string
    readonly incarnation: Seq
    readonly kind: SettingKind
    /** The event that set the present value when it was planned. `null`: there was none. */
    readonly setBy: Seq | null
    readonly before?: Setting
  }
  /** Sets the versioning of a bucket to what it was. */
  readonly RevertVersioning: RevertingPart & {
    readonly bucket: string
    readonly incarnation: Seq
    /** Absent: versioning was never set. */
    readonly from: VersioningStatus | undefined
    readonly status: VersioningStatus
  }
  /** Takes a deleted bucket back, with its settings. */
  readonly RestoreBucket: RevertingPart & {
    readonly bucket: string
    /** The event that deleted it. */
    readonly deleted: Seq
  }
  /** `PutObjectTagging`, `PutObjectRetention` and so on. Without a version, it annotates the newest. */
  readonly AnnotateObject: OnKey & {
    readonly version?: VersionRef
    readonly annotation: Annotation
    /** Allows shortening or removing GOVERNANCE retention. */
    readonly bypassGovernance?: boolean
  }
  readonly DeleteObject: OnKey & {
    readonly ifMatch?: string
    /** No effect if another version is the newest when the command is decided. */
    readonly onlyIfNewest?: Seq
  }
  readonly DeleteObjectVersion: OnKey & {
    readonly version: VersionRef
    readonly ifMatch?: string
    /** Allows removing a version under GOVERNANCE retention. */
    readonly bypassGovernance?: boolean
    /** No effect unless this is still true: the version is noncurrent, or a delete marker without other versions. */
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
    /** The size of the whole object that the client states. It is checked. */
    readonly size?: number
    readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly value: string }
    readonly checksumType?: ChecksumType
    /** Answers a second completion with the same parts like the first, instead of with `NoSuchUpload`. */
    readonly repeatable: boolean
    /** Requires the checksum of each listed part if the upload has a composite checksum. */
    readonly everyPartChecksum?: boolean
    /** The minimum size in bytes of every part except the last. Absent: S3's 5 MiB. */
    readonly partSizeMin?: number
  }
  readonly AbortMultipartUpload: OnUpload
  /** Sent by the store itself after a bucket was deleted: aborts uploads that the bucket left. */
  readonly ClearDeletedBucket: {
    /** The position of the event that deleted the bucket. */
    readonly deleted: Seq
    readonly uploads: readonly { readonly key: string; readonly upload: Seq }[]
    /** True if no other uploads are left. */
    readonly last: boolean
  }
  /** How long removed bytes stay, in a bucket or in the whole store. Without a retention, the bucket follows the store. */
  readonly SetRetention: RetentionSet & {
    /** No effect if the store has a retention: sent when a store is created. */
    readonly ifUnset?: boolean
  }
  /** Names the state after a position, and keeps its bytes. */
  readonly CreateSnapshot: SnapshotCreated
  readonly DeleteSnapshot: { readonly name: string }
  /** Records a task in its first commit. */
  readonly StartTask: TaskStarted
  /** Records the next part of a task. `from`: how many changes were behind it before. */
  readonly ContinueTask: TaskContinued & { readonly from: number }
  readonly EndTask: TaskEnded & { /** Absent: however far it is. */ readonly from?: number }
  /** Sent by a command that needs the first key, or by a rotation. */
  readonly AddKeyGeneration: KeyGenerationAdded
  /** No effect if the generation was rewrapped since it was read. */
  readonly RewrapKeyGeneration: KeyGenerationRewrapped & { readonly replaces: string }
}

/** Commands of one restore, merge or undo, without what all of them share. */
export type RevertingCommand<T extends CommandType> = {
  readonly [K in T]: { readonly type: K; readonly data: Omit<CommandShapes[K], keyof RevertingPart> }
}[T]

/** A part of a restore, a merge or an undo. */
export interface RevertingPart {
  /** All events of one restore or undo share it. */
  readonly cause: Cause
  /** The position of the state that it was planned in. */
  readonly planned: Seq
  /** Leaves out what was changed since, or whose bytes are gone. Otherwise it refuses. */
  readonly skips: boolean
}

/** One key of a restore. */
export interface RestoredKey {
  readonly key: string
  /** The newest version when the restore was planned, which may be a delete marker. `null`: none. */
  readonly newest: Seq | null
  /** The object that the key had. Absent: it had none. */
  readonly object?: RestoredObject
}

/** An object that is restored: a version, with the annotations that it had. */
export interface RestoredObject {
  readonly version: Seq
  readonly owner: Actor
  readonly facts: ObjectFacts
}

/** A part in the list that completes an upload. */
export interface CompletedPart {
  readonly partNumber: number
  /** Without quotes. */
  readonly etag: string
  /** Base64, to be compared with the stored checksum of the part. */
  readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly value: string }
}

/** The type of a command. */
export type CommandType = keyof CommandShapes

/** Facts of a command besides its data: the actor, the request id and the read set. */
export interface CommandMeta {
  readonly by: Actor
  readonly requestId: string
  /** The rows that authorised the command. If one of them changed, it is refused with `ReadSetChanged`. */
  readonly readSet?: ReadSet
  /** The job that sends the command. It is refused with `LeaseLost` unless this engine holds the lease of the job. */
  readonly job?: string
}

/** A request to change the store, which a rule accepts or refuses. */
export type Command<T extends CommandType = CommandType> = {
  readonly [K in T]: { readonly type: K; readonly data: CommandShapes[K]; readonly meta: CommandMeta }
}[T]
