/** Lifecycle rules: what is removed automatically, and when. As in S3, days end at the next midnight UTC. */
import type { Tag } from './tags.ts'

/** An object must match all fields. A filter without fields matches every object. */
export interface LifecycleFilter {
  readonly prefix?: string
  readonly tags?: readonly Tag[]
  /** Bytes, exclusive. */
  readonly sizeGreaterThan?: number
  /** Bytes, exclusive. */
  readonly sizeLessThan?: number
}

/** When current objects expire. */
export type LifecycleExpiration =
  | { readonly days: number }
  /** Midnight UTC, milliseconds since the epoch. */
  | { readonly date: number }
  /** Removes delete markers that are the only version of their key. */
  | { readonly expiredObjectDeleteMarker: boolean }

/** Stored and returned, but without effect: a store has only one kind of storage. */
export interface LifecycleTransition {
  readonly storageClass: string
  readonly days?: number
  readonly date?: number
  readonly newerVersions?: number
}

/** One lifecycle rule: the objects that it selects, and what becomes due. */
export interface LifecycleRule {
  readonly id: string
  readonly status: 'Enabled' | 'Disabled'
  readonly filter: LifecycleFilter
  /** How the filter was written, to return it in that form: `Prefix` beside the rule, a single element, or `And`. */
  readonly filterForm: 'prefix' | 'filter' | 'and'
  readonly expiration?: LifecycleExpiration
  readonly noncurrentExpiration?: { readonly days: number; readonly newerVersions?: number }
  readonly abortUploadsAfterDays?: number
  readonly transitions?: readonly LifecycleTransition[]
  readonly noncurrentTransitions?: readonly LifecycleTransition[]
}

/** The lifecycle rules of a bucket. */
export interface LifecycleConfiguration {
  readonly rules: readonly LifecycleRule[]
  /** `x-amz-transition-default-minimum-object-size`, as sent. */
  readonly transitionMinimumSize?: string
}

/** The length of a day in rules. Stores can have shorter days, to try out rules. */
export const dayMs = 24 * 60 * 60 * 1000
