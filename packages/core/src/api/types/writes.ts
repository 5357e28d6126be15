/** What writes take and answer. Sizes are bytes, ETags come without quotes. */
import type { WriteConditions } from '../../commands/command.ts'
import type { Checksum, ContentHeaders } from '../../events/index.ts'
import type { ChecksumAlgorithm, Seq } from '../../ports/index.ts'
import type { Expiration } from '../../lifecycle/expiration.ts'
import type { Cancelable } from './cancelable.ts'
import type { CreationOptions, EncryptionInfo, ReadsEncrypted } from './encryption.ts'
import type { ReadConditions } from './reads.ts'

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
  /** Hex SHA-256 the bytes must have. Compared only: what is kept as a checksum, `checksum` says. */
  readonly sha256?: string
}

export interface PutOptions extends MetadataOptions, CreationOptions, ByteChecks, WriteConditions, Cancelable {}

interface Written {
  /** Position of the event: the version's place in history. */
  readonly seq: Seq
  readonly lastModified: Date
  /** `null` (the word) unless versioning is enabled. */
  readonly versionId: string
}

export interface PutResult extends Written {
  /** When it goes by the lifecycle rules of the bucket, if it does. */
  readonly expiration?: Expiration
  readonly etag: string
  readonly size: number
  readonly checksum?: Checksum
  /** Absent: the bytes are as they came. */
  readonly encryption?: EncryptionInfo
}

export interface CopySource extends ReadsEncrypted {
  readonly bucket: string
  readonly key: string
  readonly versionId?: string
  readonly conditions?: ReadConditions
}

/** Tags and the like are those of the copy; nothing of them is taken over from the source. */
export interface CopyOptions extends MetadataOptions, CreationOptions, WriteConditions, Cancelable {
  /** `COPY` (default) keeps the source's metadata and headers but for `websiteRedirectLocation`, `REPLACE` takes those given here. */
  readonly metadataDirective?: 'COPY' | 'REPLACE'
  /** `COPY` (default) keeps the source's tags, `REPLACE` takes those given here. Nothing else is kept of what was said of it. */
  readonly taggingDirective?: 'COPY' | 'REPLACE'
  /** Gives the copy a checksum of this algorithm; default: that of the source. */
  readonly checksumAlgorithm?: ChecksumAlgorithm
}

export interface CopyResult extends PutResult {
  readonly sourceVersionId: string
}

export interface DeleteOptions extends Cancelable {
  readonly versionId?: string
  /** Only if the object (or the version named) has this ETag; `*`: only if there is one. */
  readonly ifMatch?: string
  /** Removes a version that GOVERNANCE retention keeps. Nothing else lets go of it: not COMPLIANCE, not a legal hold. */
  readonly bypassGovernance?: boolean
}

export interface DeleteResult {
  /** The version removed, or the delete marker added; absent when nothing was there and nothing was added. */
  readonly versionId?: string
  /** The version removed was a delete marker, or one was added. */
  readonly deleteMarker: boolean
}

export interface DeleteTarget extends Omit<DeleteOptions, keyof Cancelable> {
  readonly key: string
}

export type DeleteOutcome = DeleteTarget & ({ readonly result: DeleteResult } | { readonly error: unknown })
