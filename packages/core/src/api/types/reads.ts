/** Options and results of reads. */
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

/** The bytes from `first` to `last`, both inclusive, or the last `suffix` bytes: all, if there are fewer. */
export type RangeRequest = { readonly first: number; readonly last?: number } | { readonly suffix: number }

export interface HeadOptions extends ReadConditions, ReadsFacts, Cancelable {
  readonly versionId?: string
  readonly range?: RangeRequest
  /** Reads one part of an object that was uploaded in parts. */
  readonly partNumber?: number
}

export interface GetOptions extends HeadOptions {
  /**
   * Set it if the reader of `body` may be slow: the store then holds one chunk of at most 128 KiB between two reads,
   * instead of 1 MiB. It reads the bytes from the disk twice. @default false
   */
  readonly thrifty?: boolean
  /**
   * Set it if you finish with each chunk of `body` before you request the next one: the store may fill the buffer of a
   * chunk of more than 128 KiB again. It halves the cost of reading large objects. The results of `bytes()` and
   * `text()` are never reused. @default false
   */
  readonly reuseBuffers?: boolean
}

export interface ObjectInfo extends ContentHeaders {
  readonly bucket: string
  readonly key: string
  readonly versionId: string
  readonly seq: Seq
  readonly etag: string
  /** Bytes of the whole object, even if only a range was requested. */
  readonly size: number
  readonly lastModified: Date
  readonly owner: Actor
  /** User metadata; has no prototype, so every name is safe. */
  readonly metadata: Readonly<Record<string, string>>
  readonly checksum?: Checksum
  /** Absent if the object is not encrypted. */
  readonly encryption?: EncryptionInfo
  /** Present for objects that were uploaded in parts. */
  readonly partsCount?: number
  /** The requested range with `end` exclusive. Absent if the whole object was requested. */
  readonly range?: ByteRange
  /** The bucket's versioning state when it was read. */
  readonly bucketVersioning?: VersioningStatus
  /** Absent without tags; `annotations` has them. */
  readonly tagCount?: number
  readonly retention?: Retention
  readonly legalHold?: 'ON' | 'OFF'
  /** When a lifecycle rule removes the object. Only for current objects that were requested without a version id. */
  readonly expiration?: Expiration
  /** Absent: `STANDARD`. */
  readonly storageClass?: string
}

export interface AttributeOptions extends ReadsFacts, Cancelable {
  readonly versionId?: string
  /** The page of parts to return for an object that was uploaded in parts. Absent: no parts. */
  readonly parts?: ObjectPartPageOptions
}

/** Which page of the parts of an object to return. */
export interface ObjectPartPageOptions {
  /** The page starts after this part number. @default 0 */
  readonly after?: number
  /** The maximum number of parts in a page, 0 to 1000. @default 1000 */
  readonly limit?: number
}

/** A part of an object. `partNumber` is its place in the object, as `get` and `head` take it. */
export interface ObjectPart {
  readonly partNumber: number
  readonly size: number
  readonly checksum?: Checksum
}

/** A page of the parts of an object. */
export interface ObjectPartPage extends Page<ObjectPart> {
  /** The last part number returned; 0 for none. */
  readonly last: number
}

export interface ObjectAttributes extends ObjectInfo {
  /** Present if `parts` was set and the object was uploaded in parts. `partsCount` is the number of all parts. */
  readonly parts?: ObjectPartPage
}

/**
 * An object and its bytes. Use one of `body`, `bytes()` and `text()` once, or call `close()`. Until then an object of more than
 * 1 MiB holds a file open, and its bytes cannot be erased. A smaller object holds only memory.
 */
export interface ObjectContent extends ObjectInfo {
  readonly body: ByteSource
  /** All bytes, if they are in memory already (small objects). The store then holds nothing for this read. */
  readonly buffered: Uint8Array | undefined
  /** @throws TypeError if the bytes were read before. */
  bytes(): Promise<Uint8Array>
  /** @throws TypeError if the bytes are not UTF-8 or were read before. */
  text(): Promise<string>
  /** Releases bytes that will not be read. Idempotent. */
  close(): Promise<void>
}
