/** Options and results of listings of objects and versions. */
import type { Actor, ChecksumType } from '../../events/index.ts'
import type { ChecksumAlgorithm, Seq } from '../../ports/index.ts'
import type { Cancelable } from './cancelable.ts'

export interface ListOptions extends Cancelable {
  readonly prefix?: string
  /** Keys with the same text between the prefix and the next delimiter become one entry, a common prefix. */
  readonly delimiter?: string
}

export interface PageOptions extends ListOptions {
  /** The maximum number of entries in a page, 0 to 1000. @default 1000 */
  readonly limit?: number
}

/** The keys with one prefix up to the delimiter, rolled up into one entry. */
export interface CommonPrefix {
  readonly kind: 'prefix'
  readonly prefix: string
}

/** An object in a listing. */
export interface ListedObject {
  readonly kind: 'object'
  readonly key: string
  readonly versionId: string
  readonly etag: string
  readonly size: number
  readonly lastModified: Date
  readonly owner: Actor
  readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly type: ChecksumType }
  /** Absent: `STANDARD`. */
  readonly storageClass?: string
}

/** An object version in a listing of versions. */
export interface ListedVersion extends Omit<ListedObject, 'kind'> {
  readonly kind: 'version'
  readonly seq: Seq
  readonly isLatest: boolean
}

/** A delete marker in a listing of versions. */
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
  /** The page starts after this key, and after a common prefix that contains it. */
  readonly after?: string
}

/** A page of a listing. */
export interface Page<T> {
  readonly entries: readonly T[]
  readonly isTruncated: boolean
}

/** A page of objects and common prefixes. */
export interface ObjectPage extends Page<ListedObject | CommonPrefix> {
  /** Pass it as `after` to get the next page. Present if the page is truncated. */
  readonly nextAfter?: string
}

export interface VersionPageOptions extends PageOptions {
  readonly keyMarker?: string
  /** Needs `keyMarker`. */
  readonly versionIdMarker?: string
  /** Whether the page starts after the markers, as in S3, or with the entry that they name. @default exclusive */
  readonly markers?: 'exclusive' | 'inclusive'
}

/** A page of versions, delete markers and common prefixes. */
export interface VersionPage extends Page<ListedVersion | ListedMarker | CommonPrefix> {
  /** The last entry of a truncated page. It has a version id unless the entry is a common prefix. */
  readonly last?: { readonly key: string; readonly versionId?: string }
  /** The first version after a truncated page. */
  readonly next?: { readonly key: string; readonly versionId: string }
}
