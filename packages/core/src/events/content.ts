/** Where an object's bytes are stored, and their facts. Part of the disk format: see docs/format.md. */
import type { ChecksumAlgorithm, ChecksumType } from '../base/checksums.ts'
import type { BlobId, Seq } from '../ports/index.ts'
import type { Annotations } from '../settings/annotation.ts'
import type { EncryptionMode, ObjectEncryption } from '../settings/encryption.ts'

/** A blob by its id, with its size and the checksums of its runs. */
export interface BlobRef {
  readonly id: BlobId
  readonly size: number
  /** True if the bytes are a row of the journal; otherwise they are in the blob store. */
  readonly inline: boolean
  /** CRC-32 of each 1 MiB run, four bytes each, base64. */
  readonly crcs: string
}

/** How the bytes of a blob are encrypted. Their data key is not part of the log, so that it can be dropped. */
export interface Seal {
  /** The format version of sealed bytes. */
  readonly v: 1
  readonly mode: EncryptionMode
  /** The key that wraps the data key: the number of a generation, or the name of a key. A client's own key has no name. */
  readonly key?: string
  /** In the `aws:kms` modes without a key of the keyring: the number of the generation that wraps the data key. */
  readonly generation?: number
  /** CRC-32 of the wrapped data key: it shows whether the key beside the log is the one of this blob. */
  readonly keyCrc?: number
}

/** The bytes of an object in one blob. */
export interface BlobContent {
  readonly kind: 'blob'
  readonly blob: BlobRef
  /** Absent if the bytes are not encrypted. Otherwise size and CRCs of the blob are those of the sealed bytes. */
  readonly sealed?: Seal
}

/** The bytes of an object: none, one blob, or the parts of an upload. */
export type Content =
  | { readonly kind: 'empty' }
  | BlobContent
  /** The parts that upload `upload` was completed with, in the order of their numbers. */
  | { readonly kind: 'parts'; readonly upload: Seq }

export type { ChecksumType }

/** A checksum of S3 and how it was computed. */
export interface Checksum {
  readonly algorithm: ChecksumAlgorithm
  readonly type: ChecksumType
  /** Base64; composite values end in their part count, such as `…-3`, as in S3. */
  readonly value: string
}

/**
 * Headers that are stored with an object and returned with it. A value that was sent in bytes that are not UTF-8 is an
 * encoded word, such as `=?ISO-8859-1?Q?caf=E9?=`.
 */
export interface ContentHeaders {
  readonly contentType?: string
  readonly contentEncoding?: string
  readonly contentLanguage?: string
  readonly contentDisposition?: string
  readonly cacheControl?: string
  readonly expires?: string
  readonly websiteRedirectLocation?: string
}

/** The metadata that a client gives an object. */
export interface ObjectMetadata extends ContentHeaders {
  /** User metadata, `x-amz-meta-*`: lower-case names, in the order given. Pairs, so that no name is special. */
  readonly user: readonly (readonly [name: string, value: string])[]
}

/** The facts of a new object besides its bytes and metadata. */
export interface CreationFacts extends Annotations {
  /** A word that is stored and returned. Absent: `STANDARD`. */
  readonly storageClass?: string
  /** Absent if the bytes are not encrypted. */
  readonly encryption?: ObjectEncryption
}

/** Copies exactly these fields, in a fixed order, and drops all others. */
export function creationFacts(
  from: { readonly [K in keyof CreationFacts]: CreationFacts[K] | undefined },
): CreationFacts {
  const { tags, acl, retention, legalHold, storageClass, encryption } = from
  const facts: { -readonly [K in keyof CreationFacts]: CreationFacts[K] } = {}
  if (tags) facts.tags = tags
  if (acl) facts.acl = acl
  if (retention) facts.retention = retention
  if (legalHold) facts.legalHold = legalHold
  if (storageClass) facts.storageClass = storageClass
  if (encryption) facts.encryption = encryption
  return facts
}

/** All facts of an object that its version row and its event have. */
export interface ObjectFacts extends CreationFacts {
  readonly size: number
  /** Without quotes. */
  readonly etag: string
  readonly content: Content
  readonly metadata: ObjectMetadata
  readonly checksum?: Checksum
  /** The number of parts. Present for completed uploads. */
  readonly partsCount?: number
}
