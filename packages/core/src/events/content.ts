/** Where an object's bytes are, and what is known of them. Part of the disk format: see docs/format.md. */
import type { ChecksumAlgorithm, ChecksumType } from '../base/checksums.ts'
import type { BlobId, Seq } from '../ports/index.ts'
import type { Annotations } from '../settings/annotation.ts'
import type { EncryptionMode, ObjectEncryption } from '../settings/encryption.ts'

/** A blob by its id, with its size and the checksums of its runs. */
export interface BlobRef {
  readonly id: BlobId
  readonly size: number
  /** The bytes ride in the journal, as a row of their own; otherwise they are in the blob store. */
  readonly inline: boolean
  /** CRC-32 of each 1 MiB run, four bytes each, base64. */
  readonly crcs: string
}

/** The key that the bytes of a blob are sealed with, wrapped in another. */
export interface Seal {
  /** How bytes are sealed, and keys wrapped. */
  readonly v: 1
  readonly mode: EncryptionMode
  /** What it is wrapped in: the number of a generation, or the name of a key. A client's own key has no name here. */
  readonly key?: string
  /** Of the `aws:kms` modes without a key of the keyring: the number of the generation it is wrapped in. */
  readonly generation?: number
  /** Base64. */
  readonly wrapped: string
}

/** The bytes of an object in one blob. */
export interface BlobContent {
  readonly kind: 'blob'
  readonly blob: BlobRef
  /** Absent: the bytes lie there as they came. Else size and CRCs of the blob are those of the sealed bytes. */
  readonly sealed?: Seal
}

/** The bytes of an object: none, one blob, or the parts of an upload. */
export type Content =
  | { readonly kind: 'empty' }
  | BlobContent
  /** The parts that were left when upload `upload` was completed, in order of their numbers. */
  | { readonly kind: 'parts'; readonly upload: Seq }

export type { ChecksumType }

/** A checksum of S3 and how it was computed. */
export interface Checksum {
  readonly algorithm: ChecksumAlgorithm
  readonly type: ChecksumType
  /** Base64; composite values carry their part count, `…-3`, as S3 writes them. */
  readonly value: string
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

/** The metadata that a client gives an object. */
export interface ObjectMetadata extends ContentHeaders {
  /** User metadata, `x-amz-meta-*`: lower-case names, in the order given. Pairs, so that no name is special. */
  readonly user: readonly (readonly [name: string, value: string])[]
}

/** The facts of a new object besides its bytes and metadata. */
export interface CreationFacts extends Annotations {
  /** A word that is kept and given back. Absent: `STANDARD`. */
  readonly storageClass?: string
  /** Absent: the bytes are as they came. */
  readonly encryption?: ObjectEncryption
}

/** Exactly these, in a fixed order: what is there besides is left out. */
export function creationFacts(from: CreationFacts): CreationFacts {
  const { tags, acl, retention, legalHold, storageClass, encryption } = from
  return {
    ...(tags && { tags }),
    ...(acl && { acl }),
    ...(retention && { retention }),
    ...(legalHold && { legalHold }),
    ...(storageClass && { storageClass }),
    ...(encryption && { encryption }),
  }
}

/** Everything about one object that its version, and the event that added it, state. */
export interface ObjectFacts extends CreationFacts {
  readonly size: number
  /** Without quotes. */
  readonly etag: string
  readonly content: Content
  readonly metadata: ObjectMetadata
  readonly checksum?: Checksum
  /** Present for completed uploads: how many parts. */
  readonly partsCount?: number
}
