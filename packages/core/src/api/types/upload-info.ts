/** What multipart uploads take and answer. */
import type { DefaultChecksumAlgorithm } from '../../base/checksums.ts'
import type { WriteConditions } from '../../commands/command.ts'
import type { Actor, Checksum, ChecksumType } from '../../events/index.ts'
import type { ByteRange, ChecksumAlgorithm } from '../../ports/index.ts'
import type { Cancelable } from './cancelable.ts'
import type { CreationOptions, EncryptionInfo, ReadsEncrypted } from './encryption.ts'
import type { CommonPrefix, Page, PageOptions } from './listings.ts'
import type { ByteChecks, CopySource, MetadataOptions } from './writes.ts'

export interface CreateUploadOptions extends MetadataOptions, CreationOptions, Cancelable {
  readonly checksumAlgorithm?: ChecksumAlgorithm
  readonly checksumType?: ChecksumType
  /** What the whole gets when `checksumAlgorithm` is absent, as S3 gives it; parts are shown without. Default: nothing. */
  readonly defaultChecksumAlgorithm?: DefaultChecksumAlgorithm
}

export interface UploadInfo {
  readonly bucket: string
  readonly key: string
  readonly uploadId: string
  readonly initiated: Date
  /** Who will own the object. */
  readonly owner: Actor
  /** Who began it. */
  readonly initiator: Actor
  readonly checksumAlgorithm?: ChecksumAlgorithm
  readonly checksumType?: ChecksumType
  /** Absent: `STANDARD`. */
  readonly storageClass?: string
  readonly encryption?: EncryptionInfo
}

export interface UploadRef {
  readonly bucket: string
  readonly key: string
  readonly uploadId: string
}

/** A part of an upload that was begun with a key of the client's needs the same key. */
export interface UploadPartOptions extends ByteChecks, ReadsEncrypted, Cancelable {
  /**
   * Ask for a checksum of the part, as S3 does, where that of the whole is made of those of the parts. Default `false`: it is computed.
   */
  readonly everyPartChecksum?: boolean
}

export interface PartInfo {
  readonly partNumber: number
  readonly etag: string
  readonly size: number
  readonly lastModified: Date
  readonly checksum?: Checksum
}

/** What bringing in a part answers. */
export interface PartResult extends PartInfo {
  readonly encryption?: EncryptionInfo
}

export interface PartCopySource extends CopySource {
  /** Half-open. Default: the whole source. */
  readonly range?: ByteRange
}

/** A key of the client's is not needed; one that is given must be that of the parts. */
export interface CompleteOptions extends WriteConditions, ReadsEncrypted, Cancelable {
  /** What the whole must measure. */
  readonly size?: number
  /** What the whole must have, base64; composite values with or without `-N`. */
  readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly value: string }
  readonly checksumType?: ChecksumType
  /**
   * Answer a second completion with the same parts as the first, while the version it made is there. Default `false`:
   * `NoSuchUpload`.
   */
  readonly repeatable?: boolean
  /**
   * Ask for the checksum of each listed part, as S3 does, where that of the whole is made of them. Default `false`: a
   * checksum that is not listed is not compared.
   */
  readonly everyPartChecksum?: boolean
  /** Bytes every part but the last must have. Default: S3's 5 MiB. */
  readonly partSizeMin?: number
}

export interface ListedUpload extends UploadInfo {
  readonly kind: 'upload'
}

export interface UploadPageOptions extends PageOptions {
  /** Starts behind this key. */
  readonly keyMarker?: string
  /** With `keyMarker`: starts behind this upload of that key. */
  readonly uploadIdMarker?: string
}

export interface UploadPage extends Page<ListedUpload | CommonPrefix> {
  /** The last entry returned, whether truncated or not; an upload id only if that is no common prefix. */
  readonly last?: { readonly key: string; readonly uploadId?: string }
}

export interface PartPageOptions extends Cancelable {
  readonly after?: number
  readonly limit?: number
}

export interface PartPage extends Page<PartInfo> {
  readonly upload: UploadInfo
  /** The last part number returned; 0 for none. */
  readonly last: number
}
