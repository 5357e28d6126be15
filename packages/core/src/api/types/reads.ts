/** What reads take and answer. */
import type { Actor, Checksum, ContentHeaders } from '../../events/index.ts'
import type { VersioningStatus } from '../../settings/versioning.ts'
import type { ByteRange, ByteSource, Seq } from '../../ports/index.ts'
import type { Expiration } from '../../lifecycle/expiration.ts'
import type { Retention } from '../../settings/object-lock.ts'
import type { Cancelable } from './cancelable.ts'
import type { EncryptionInfo, ReadsFacts } from './encryption.ts'
import type { Page } from './listings.ts'

/** Conditions on reads, as HTTP defines them. ETags without quotes; `*` means any. */
export interface ReadConditions {
  readonly ifMatch?: readonly string[]
  readonly ifNoneMatch?: readonly string[]
  readonly ifModifiedSince?: Date
  readonly ifUnmodifiedSince?: Date
}

/** `first` to `last`, both inclusive; or the last `suffix` bytes. */
export type RangeRequest = { readonly first: number; readonly last?: number } | { readonly suffix: number }

export interface HeadOptions extends ReadConditions, ReadsFacts, Cancelable {
  readonly versionId?: string
  readonly range?: RangeRequest
  /** One part of an assembled object, as it was uploaded. */
  readonly partNumber?: number
}

export interface GetOptions extends HeadOptions {
  /**
   * For bytes that somebody slow will take: `body` comes in chunks of at most 128 KiB, and that is all that is held while the
   * next is not asked for, rather than 1 MiB. They are read from the disk twice. @default false
   */
  readonly thrifty?: boolean
  /**
   * For bytes that are used up at once, as by a write to a file that is waited for: a chunk of `body` of more than 128 KiB is good
   * only until the next is asked for, then its buffer may be filled again. To get a new one from the system takes longer
   * than to read a file that is in memory. What `bytes()` and `text()` give stays. @default false
   */
  readonly reuseBuffers?: boolean
}

export interface ObjectInfo extends ContentHeaders {
  readonly bucket: string
  readonly key: string
  readonly versionId: string
  readonly seq: Seq
  readonly etag: string
  /** Of the whole object, also when a range was asked for. */
  readonly size: number
  readonly lastModified: Date
  readonly owner: Actor
  /** User metadata; has no prototype, so every name is safe. */
  readonly metadata: Readonly<Record<string, string>>
  readonly checksum?: Checksum
  /** Absent: the bytes are as they came. */
  readonly encryption?: EncryptionInfo
  /** For assembled objects. */
  readonly partsCount?: number
  /** The range asked for, resolved: half-open. Absent when the whole was. */
  readonly range?: ByteRange
  /** The bucket's versioning state when it was read. */
  readonly bucketVersioning?: VersioningStatus
  /** Absent without tags; `annotations` has them. */
  readonly tagCount?: number
  readonly retention?: Retention
  readonly legalHold?: 'ON' | 'OFF'
  /** When it goes by the lifecycle rules of the bucket. For current objects that were not asked for by a version id. */
  readonly expiration?: Expiration
  /** Absent: `STANDARD`. */
  readonly storageClass?: string
}

export interface AttributeOptions extends ReadsFacts, Cancelable {
  readonly versionId?: string
  /** Which of its parts to tell of, for an assembled object. Absent: none. */
  readonly parts?: ObjectPartPageOptions
}

export interface ObjectPartPageOptions {
  /** Starts behind this part. @default 0 */
  readonly after?: number
  /** The most parts in a page: 0 to 1000, default 1000. */
  readonly limit?: number
}

/** A part as it stands in the object: by its place, which `partNumber` of `get` and `head` takes. */
export interface ObjectPart {
  readonly partNumber: number
  readonly size: number
  readonly checksum?: Checksum
}

export interface ObjectPartPage extends Page<ObjectPart> {
  /** The last part number returned; 0 for none. */
  readonly last: number
}

export interface ObjectAttributes extends ObjectInfo {
  /** Present when asked for, of an assembled object. How many there are in all, `partsCount` says. */
  readonly parts?: ObjectPartPage
}

/**
 * An object and its bytes. Consume one of `body`, `bytes()` and `text()`, once, or `close()` it: until then an object of
 * more than 1 MiB keeps its bytes from being erased, and a file open. Smaller ones hold nothing but memory.
 */
export interface ObjectContent extends ObjectInfo {
  readonly body: ByteSource
  /** All of the bytes where they are in memory already, as those of small objects are; then nothing is held in the store. */
  readonly buffered: Uint8Array | undefined
  /** @throws TypeError when the bytes were taken already. */
  bytes(): Promise<Uint8Array>
  /** @throws TypeError when the bytes are not UTF-8, or were taken already. */
  text(): Promise<string>
  /** Lets go of bytes that will not be read. Idempotent. */
  close(): Promise<void>
}
