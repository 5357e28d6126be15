/** The shapes the store's API gives and takes. Times are `Date`s, sizes are bytes, ETags come without quotes. */
import type { WriteConditions } from '../commands/command.ts'
import type { Actor, Checksum, ChecksumType, VersioningStatus } from '../events/index.ts'
import type { ByteRange, ByteSource, ChecksumAlgorithm, Seq } from '../ports/index.ts'

export interface Cancelable {
  /** Gives up as soon as it can; what was already decided stays. */
  readonly signal?: AbortSignal
}

export interface BucketInfo {
  readonly name: string
  readonly owner: Actor
  readonly region: string
  readonly createdAt: Date
  /** Absent until it is first set. */
  readonly versioning?: VersioningStatus
}

/** Headers that are kept with an object and given back with it. */
export interface ContentHeaders {
  readonly contentType?: string
  readonly contentEncoding?: string
  readonly contentLanguage?: string
  readonly contentDisposition?: string
  readonly cacheControl?: string
  readonly expires?: string
  readonly websiteRedirectLocation?: string
}

export interface MetadataOptions extends ContentHeaders {
  /** User metadata; names are lower-cased, at most 2 KB together. */
  readonly metadata?: Readonly<Record<string, string>>
}

export interface ChecksumRequest {
  readonly algorithm: ChecksumAlgorithm
  /** Base64; asked for when the bytes are all there. Absent: computed and stored, compared with nothing. */
  readonly expected?: string | (() => string | undefined)
}

export interface ByteChecks {
  readonly checksum?: ChecksumRequest
  /** Base64 MD5 the bytes must have. */
  readonly contentMD5?: string
}

export interface PutOptions extends MetadataOptions, ByteChecks, WriteConditions, Cancelable {}

interface Written {
  /** Position of the event: the version's place in history. */
  readonly seq: Seq
  readonly lastModified: Date
  /** `null` (the word) unless versioning is enabled. */
  readonly versionId: string
}

export interface PutResult extends Written {
  readonly etag: string
  readonly size: number
  readonly checksum?: Checksum
}

export interface CopySource {
  readonly bucket: string
  readonly key: string
  readonly versionId?: string
  readonly conditions?: ReadConditions
}

export interface CopyOptions extends MetadataOptions, WriteConditions, Cancelable {
  /** `COPY` (default) keeps the source's metadata and headers, `REPLACE` takes those given here. */
  readonly metadataDirective?: 'COPY' | 'REPLACE'
  /** Gives the copy a checksum of this algorithm; default: that of the source. */
  readonly checksumAlgorithm?: ChecksumAlgorithm
}

export interface CopyResult extends PutResult {
  readonly sourceVersionId: string
}

/** Conditions on reads, as HTTP defines them. ETags without quotes; `*` means any. */
export interface ReadConditions {
  readonly ifMatch?: readonly string[]
  readonly ifNoneMatch?: readonly string[]
  readonly ifModifiedSince?: Date
  readonly ifUnmodifiedSince?: Date
}

/** `first` to `last`, both inclusive; or the last `suffix` bytes. */
export type RangeRequest = { readonly first: number; readonly last?: number } | { readonly suffix: number }

export interface HeadOptions extends ReadConditions, Cancelable {
  readonly versionId?: string
  readonly range?: RangeRequest
  /** One part of an assembled object, as it was uploaded. */
  readonly partNumber?: number
}

export type GetOptions = HeadOptions

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
  /** For assembled objects. */
  readonly partsCount?: number
  /** The range asked for, resolved: half-open. Absent when the whole was. */
  readonly range?: ByteRange
  /** The bucket's versioning state when it was read. */
  readonly bucketVersioning?: VersioningStatus
}

/** An object and its bytes. Consume one of `body`, `bytes()` and `text()`, or `close()` it. */
export interface ObjectContent extends ObjectInfo {
  readonly body: ByteSource
  bytes(): Promise<Uint8Array>
  /** @throws TypeError when the bytes are not UTF-8. */
  text(): Promise<string>
  /** Lets go of bytes that will not be read. Idempotent. */
  close(): Promise<void>
}

export interface DeleteOptions extends Cancelable {
  readonly versionId?: string
  /** Only if the object (or the version named) has this ETag; `*`: only if there is one. */
  readonly ifMatch?: string
}

export interface DeleteResult {
  /** The version removed, or the delete marker added; absent when nothing was there and nothing was added. */
  readonly versionId?: string
  /** The version removed was a delete marker, or one was added. */
  readonly deleteMarker: boolean
}

export interface DeleteTarget {
  readonly key: string
  readonly versionId?: string
  readonly ifMatch?: string
}

export type DeleteOutcome = DeleteTarget & ({ readonly result: DeleteResult } | { readonly error: unknown })

export interface ListOptions extends Cancelable {
  readonly prefix?: string
  /** Keys that share what lies between prefix and delimiter become one entry. */
  readonly delimiter?: string
}

export interface PageOptions extends ListOptions {
  /** The most entries in a page: 0 to 1000, default 1000. */
  readonly limit?: number
}

export interface CommonPrefix {
  readonly kind: 'prefix'
  readonly prefix: string
}

export interface ListedObject {
  readonly kind: 'object'
  readonly key: string
  readonly versionId: string
  readonly etag: string
  readonly size: number
  readonly lastModified: Date
  readonly owner: Actor
  readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly type: ChecksumType }
}

export interface ListedVersion extends Omit<ListedObject, 'kind'> {
  readonly kind: 'version'
  readonly seq: Seq
  readonly isLatest: boolean
}

export interface ListedMarker {
  readonly kind: 'marker'
  readonly key: string
  readonly versionId: string
  readonly seq: Seq
  readonly isLatest: boolean
  readonly lastModified: Date
  readonly owner: Actor
}

export interface ObjectPageOptions extends PageOptions {
  /** Starts behind this key; a common prefix that the key lies in is passed over. */
  readonly after?: string
}

export interface Page<T> {
  readonly entries: readonly T[]
  readonly isTruncated: boolean
}

export interface ObjectPage extends Page<ListedObject | CommonPrefix> {
  /** Give it as `after` to go on. Present when truncated. */
  readonly nextAfter?: string
}

export interface VersionPageOptions extends PageOptions {
  readonly keyMarker?: string
  /** Needs `keyMarker`. */
  readonly versionIdMarker?: string
  /** Whether the page starts behind the markers (default, as S3 does) or with what they name. */
  readonly markers?: 'exclusive' | 'inclusive'
}

export interface VersionPage extends Page<ListedVersion | ListedMarker | CommonPrefix> {
  /** Present when truncated: the last entry returned; a version id only if that is no common prefix. */
  readonly last?: { readonly key: string; readonly versionId?: string }
  /** Present when truncated: the first version not returned. */
  readonly next?: { readonly key: string; readonly versionId: string }
}

export interface CreateUploadOptions extends MetadataOptions, Cancelable {
  readonly checksumAlgorithm?: ChecksumAlgorithm
  readonly checksumType?: ChecksumType
}

export interface UploadInfo {
  readonly bucket: string
  readonly key: string
  readonly uploadId: string
  readonly initiated: Date
  readonly owner: Actor
  readonly checksumAlgorithm?: ChecksumAlgorithm
  readonly checksumType?: ChecksumType
}

export interface UploadRef {
  readonly bucket: string
  readonly key: string
  readonly uploadId: string
}

export interface UploadPartOptions extends ByteChecks, Cancelable {}

export interface PartInfo {
  readonly partNumber: number
  readonly etag: string
  readonly size: number
  readonly lastModified: Date
  readonly checksum?: Checksum
}

export interface PartCopySource extends CopySource {
  /** Half-open. Default: the whole source. */
  readonly range?: ByteRange
}

export interface CompleteOptions extends WriteConditions, Cancelable {
  /** What the whole must measure. */
  readonly size?: number
  /** What the whole must have, base64; composite values with or without `-N`. */
  readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly value: string }
  readonly checksumType?: ChecksumType
  /** Answer a second completion with the same parts as the first. Default `false`: `NoSuchUpload`. */
  readonly repeatable?: boolean
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
