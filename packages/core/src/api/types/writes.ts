/** Options and results of writes. Sizes are in bytes; ETags have no quotes. */
import type { WriteConditions } from '../../commands/command.ts'
import type { Checksum, ContentHeaders } from '../../events/index.ts'
import type { Moment } from '../../moments/moment.ts'
import type { ChecksumAlgorithm, Seq } from '../../ports/index.ts'
import type { Expiration } from '../../lifecycle/expiration.ts'
import type { Cancelable } from './cancelable.ts'
import type { CreationOptions, EncryptionInfo, ReadsEncrypted } from './encryption.ts'
import type { ReadConditions } from './reads.ts'
import type { ReceiptOption, WithReceipt } from './receipts.ts'

export interface MetadataOptions extends ContentHeaders {
  /** User metadata, at most 2 KB. Names become lower case. */
  readonly metadata?: Readonly<Record<string, string>>
}

/** The checksum to compute, or the value that the bytes must have. */
export interface ChecksumRequest {
  readonly algorithm: ChecksumAlgorithm
  /**
   * Base64. A function is called after the last byte. If absent, the checksum is computed and stored, but not compared.
   */
  readonly expected?: string | (() => string | undefined)
}

/** Digests that the bytes of a write must have. A difference is refused with `BadDigest`. */
export interface ByteChecks {
  /** The number of bytes that the body must have. A write that has no room for them is refused before it reads any. */
  readonly size?: number
  readonly checksum?: ChecksumRequest
  /** The MD5 that the bytes must have, base64. */
  readonly contentMD5?: string
  /** The SHA-256 that the bytes must have, hex. It is compared and not stored; `checksum` sets the stored checksum. */
  readonly sha256?: string
}

/** Tells how far the bytes of a write are. */
export interface ReceivingOptions {
  /** Called after each chunk of the body, with the number of bytes so far. What it throws ends the write. */
  readonly onProgress?: (progress: { readonly bytes: number }) => void
}

export interface PutOptions
  extends MetadataOptions,
    CreationOptions,
    ByteChecks,
    WriteConditions,
    ReceivingOptions,
    ReceiptOption,
    Cancelable {}

interface Written {
  /** The position of the event that added the version. */
  readonly seq: Seq
  readonly lastModified: Date
  /** The text `null`, unless versioning is enabled. */
  readonly versionId: string
}

/** The version that a put made. */
export interface PutResult extends Written, WithReceipt {
  /** When a lifecycle rule of the bucket will remove the object. Absent if no rule does. */
  readonly expiration?: Expiration
  readonly etag: string
  readonly size: number
  readonly checksum?: Checksum
  /** Absent if the object is not encrypted. */
  readonly encryption?: EncryptionInfo
}

/** The object or the version to copy. */
export interface CopySource extends ReadsEncrypted {
  readonly bucket: string
  readonly key: string
  readonly versionId?: string
  /** The source is the object as it was at this moment. @default now */
  readonly at?: Moment
  readonly conditions?: ReadConditions
}

/** ACL, retention, legal hold and storage class are those given here; a copy never inherits them from its source. */
export interface CopyOptions extends MetadataOptions, CreationOptions, WriteConditions, ReceiptOption, Cancelable {
  /**
   * `COPY` keeps the metadata and headers of the source except `websiteRedirectLocation`; `REPLACE` uses those given
   * here.
   * @default COPY
   */
  readonly metadataDirective?: 'COPY' | 'REPLACE'
  /** `COPY` keeps the tags of the source; `REPLACE` uses those given here. @default COPY */
  readonly taggingDirective?: 'COPY' | 'REPLACE'
  /** The checksum algorithm of the copy. @default that of the source */
  readonly checksumAlgorithm?: ChecksumAlgorithm
}

/** The version that a copy made. */
export interface CopyResult extends PutResult {
  readonly sourceVersionId: string
}

export interface DeleteOptions extends ReceiptOption, Cancelable {
  readonly versionId?: string
  /** Deletes only if the object, or the named version, has this ETag. `*`: only if it exists. */
  readonly ifMatch?: string
  /** Allows removing a version under GOVERNANCE retention. COMPLIANCE retention and a legal hold still refuse. */
  readonly bypassGovernance?: boolean
}

/** What a delete removed or added. */
export interface DeleteResult extends WithReceipt {
  /** The version that was removed, or the delete marker that was added. Absent if nothing was removed or added. */
  readonly versionId?: string
  /** True if a delete marker was removed or added. */
  readonly deleteMarker: boolean
}

/** One of many objects or versions to delete. */
export interface DeleteTarget extends Omit<DeleteOptions, keyof Cancelable | keyof ReceiptOption> {
  readonly key: string
}

/** The result of deleting one of many objects, or its error. */
export type DeleteOutcome = DeleteTarget & ({ readonly result: DeleteResult } | { readonly error: unknown })
