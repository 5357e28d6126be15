/** What is imported, wherever it comes from: an archive, a directory, or a server of S3. */
import type { PutOptions } from '@varve/core'

/** The facts of an object that a write takes. */
export type ImportedFacts = Pick<
  PutOptions,
  | 'acl'
  | 'cacheControl'
  | 'contentDisposition'
  | 'contentEncoding'
  | 'contentLanguage'
  | 'contentType'
  | 'encryption'
  | 'expires'
  | 'legalHold'
  | 'metadata'
  | 'retention'
  | 'storageClass'
  | 'tags'
  | 'websiteRedirectLocation'
> & { readonly checksum?: Exclude<PutOptions['checksum'], undefined> }

/** An object, or a version of one. */
export interface ImportedObject {
  readonly kind: 'object'
  readonly key: string
  readonly facts: ImportedFacts
  /** Bytes. */
  readonly size: number
  /** Of the content, hex. Absent: not known before the content is read. */
  readonly md5?: string | undefined
  readonly sha256?: string | undefined
  /** Reads the content. The bytes of an archive can be read once, so they have a `sha256`. */
  read(): AsyncIterable<Uint8Array>
}

/** A version that says that the object is deleted. */
export interface ImportedMarker {
  readonly kind: 'marker'
  readonly key: string
}

export type ImportedEntry = ImportedObject | ImportedMarker

/** What an import does with an object that is there with other bytes or metadata. */
export type OnConflict = 'refuse' | 'skip' | 'replace'

/** What an import has done so far. */
export interface ImportCounts {
  /** Objects and versions that were stored, with those that replaced others. */
  readonly stored: number
  /** Delete markers that were added. */
  readonly markers: number
  /** Objects, versions and delete markers that were there already. */
  readonly unchanged: number
  /** Those that were there with other bytes or metadata, and were left so. */
  readonly skipped: number
  /** Bytes that were stored. */
  readonly bytes: number
}
