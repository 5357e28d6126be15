/** Object Lock protects versions from removal: by retention until a date, and by legal hold until it is removed. */
export type RetentionMode = 'COMPLIANCE' | 'GOVERNANCE'

/** Until when Object Lock protects a version, and how strictly. */
export interface Retention {
  readonly mode: RetentionMode
  /** Milliseconds since the epoch. */
  readonly until: number
}

/** Object Lock of a bucket cannot be removed once set; only the default changes. */
export interface ObjectLockConfiguration {
  /** For new versions without a retention: days or years from their creation. */
  readonly default?: { readonly mode: RetentionMode } & ({ readonly days: number } | { readonly years: number })
}
