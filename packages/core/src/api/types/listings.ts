/** What listings of objects and versions take and answer. */
import type { Actor, ChecksumType } from '../../events/index.ts'
import type { ChecksumAlgorithm, Seq } from '../../ports/index.ts'
import type { Cancelable } from './cancelable.ts'

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
  /** Absent: `STANDARD`. */
  readonly storageClass?: string
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
