/** Options and results of multipart uploads. */
import type { Expiration } from '../../lifecycle/expiration.ts'
import type { DefaultChecksumAlgorithm } from '../../base/checksums.ts'
import type { WriteConditions } from '../../commands/command.ts'
import type { Actor, Checksum, ChecksumType } from '../../events/index.ts'
import type { ByteRange, ChecksumAlgorithm } from '../../ports/index.ts'
import type { Cancelable } from './cancelable.ts'
import type { CreationOptions, EncryptionInfo, ReadsEncrypted } from './encryption.ts'
import type { CommonPrefix, Page, PageOptions } from './listings.ts'
import type { ReceiptOption } from './receipts.ts'
import type { ByteChecks, CopySource, MetadataOptions, ReceivingOptions } from './writes.ts'

export interface CreateUploadOptions extends MetadataOptions, CreationOptions, Cancelable {
  readonly checksumAlgorithm?: ChecksumAlgorithm
  readonly checksumType?: ChecksumType
  /** The checksum of the whole object if `checksumAlgorithm` is absent, as in S3; parts then have none. @default none */
  readonly defaultChecksumAlgorithm?: DefaultChecksumAlgorithm
}

/** The facts of an upload. */
export interface UploadInfo {
  readonly bucket: string
  readonly key: string
  readonly uploadId: string
  readonly initiated: Date
  /** The owner of the object once the upload is complete. */
  readonly owner: Actor
  /** The user that created the upload. */
  readonly initiator: Actor
  readonly checksumAlgorithm?: ChecksumAlgorithm
  readonly checksumType?: ChecksumType
  /** Absent: `STANDARD`. */
  readonly storageClass?: string
  readonly encryption?: EncryptionInfo
  /** When a lifecycle rule aborts the upload. Listings of uploads do not have it. */
  readonly expiration?: Expiration
}

/** An upload by its bucket, key and id. */
export interface UploadRef {
  readonly bucket: string
  readonly key: string
  readonly uploadId: string
}

/** If the upload was created with a client's key, each part needs the same key. */
export interface UploadPartOptions extends ByteChecks, ReadsEncrypted, ReceivingOptions, Cancelable {
  /**
   * Requires a checksum for each part, as S3 does, if the object's checksum is made from the checksums of its parts.
   * Default `false`: the store computes a missing checksum.
   */
  readonly everyPartChecksum?: boolean
}

/** A part of an upload. */
export interface PartInfo {
  readonly partNumber: number
  readonly etag: string
  readonly size: number
  readonly lastModified: Date
  readonly checksum?: Checksum
}

/** The result of uploading or copying a part. */
export interface PartResult extends PartInfo {
  readonly encryption?: EncryptionInfo
}

/** The object, and the range of it, to copy into a part. */
export interface PartCopySource extends CopySource {
  /** A range with `end` exclusive. @default the whole source */
  readonly range?: ByteRange
}

/** A client's key is optional here; if it is given, it must be the key of the parts. */
export interface CompleteOptions extends WriteConditions, ReadsEncrypted, ReceiptOption, Cancelable {
  /** The number of bytes that the object must have. */
  readonly size?: number
  /** The checksum that the object must have, base64; composite values with or without `-N`. */
  readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly value: string }
  readonly checksumType?: ChecksumType
  /**
   * Answers a second completion with the same parts like the first, while the version it made exists. Default `false`:
   * `NoSuchUpload`.
   */
  readonly repeatable?: boolean
  /**
   * Requires the checksum of each listed part, as S3 does, if the object's checksum is made from them. Default `false`:
   * an omitted checksum is not compared.
   */
  readonly everyPartChecksum?: boolean
  /** The minimum size in bytes of every part except the last. @default 5 MiB, as in S3 */
  readonly partSizeMin?: number
}

/** An upload in a listing. */
export interface ListedUpload extends UploadInfo {
  readonly kind: 'upload'
}

export interface UploadPageOptions extends PageOptions {
  /** The page starts after this key. */
  readonly keyMarker?: string
  /** With `keyMarker`: the page starts after this upload of that key. */
  readonly uploadIdMarker?: string
}

/** A page of uploads and common prefixes. */
export interface UploadPage extends Page<ListedUpload | CommonPrefix> {
  /** The last entry of the page, truncated or not. It has an upload id unless the entry is a common prefix. */
  readonly last?: { readonly key: string; readonly uploadId?: string }
}

export interface PartPageOptions extends Cancelable {
  readonly after?: number
  readonly limit?: number
}

/** A page of the parts of an upload. */
export interface PartPage extends Page<PartInfo> {
  readonly upload: UploadInfo
  /** The last part number returned; 0 for none. */
  readonly last: number
}
