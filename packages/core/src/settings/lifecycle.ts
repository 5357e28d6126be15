/** What goes by itself, and when. Days count from an object's creation to the next midnight UTC, as in S3. */
import type { Tag } from './tags.ts'

/** All must hold; one that names nothing holds for every object. */
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
  /** Delete markers that are all that is left of their key. */
  | { readonly expiredObjectDeleteMarker: boolean }

/** Kept and given back; a store has one place for bytes, so nothing moves. */
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
  /** How the filter was written, so that it is given back so: `Prefix` beside the rule, a lone element, or `And`. */
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

/** How long a day of a rule is: shorter ones are for trials. */
export const dayMs = 24 * 60 * 60 * 1000
