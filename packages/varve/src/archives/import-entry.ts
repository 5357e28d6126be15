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
  /** True if the content can be read whenever it is wanted. Otherwise, it is read before the next entry is requested. */
  readonly isLasting?: boolean
  /** Reads the content. The bytes of an archive can be read once, so they have a `sha256`. */
  read(): AsyncIterable<Uint8Array>
  /** Releases the content. Called once it is not read any more. */
  close?(): Promise<void>
}

/** A version that says that the object is deleted. */
export interface ImportedMarker {
  readonly kind: 'marker'
  readonly key: string
}

export type ImportedEntry = ImportedObject | ImportedMarker

/** What an import does with an object that is there with other bytes or metadata. */
export type OnConflict = 'refuse' | 'skip' | 'replace'

/** What an import has done. */
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

/** How many objects, versions and delete markers there are, and the bytes of their contents. */
export interface ImportSize {
  readonly objects: number
  readonly bytes: number
}

/** How far an import is. */
export interface ImportProgress extends ImportCounts {
  /** What was stored, or was there already, or was skipped, with the bytes that were read of objects that are being stored. */
  readonly done: ImportSize
  /** All that is to be imported. Absent while it is not known, as for an archive in a stream. */
  readonly total?: ImportSize
}
