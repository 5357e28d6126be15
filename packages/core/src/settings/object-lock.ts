/** What keeps versions from being removed: retention for a time, and legal hold until it is taken off. */
export type RetentionMode = 'COMPLIANCE' | 'GOVERNANCE'

/** Until when Object Lock protects a version, and how strictly. */
export interface Retention {
  readonly mode: RetentionMode
  /** Milliseconds since the epoch. */
  readonly until: number
}

/** Once set, a bucket keeps it; only the default changes. */
export interface ObjectLockConfiguration {
  /** For new versions that name no retention: days or years from their creation. */
  readonly default?: { readonly mode: RetentionMode } & ({ readonly days: number } | { readonly years: number })
}
