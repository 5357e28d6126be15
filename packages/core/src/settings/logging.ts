/** The configuration of a bucket's access logs. */
import type { Grant } from './access-control.ts'

/** Where servers deliver the access log of a bucket. */
export interface LoggingConfiguration {
  readonly targetBucket: string
  readonly targetPrefix: string
  readonly targetGrants?: readonly Grant[]
  /** The form of the names of log objects: `simple`, or partitioned by a date, with the source of the date. */
  readonly keyFormat?: { readonly kind: 'simple' } | { readonly kind: 'partitioned'; readonly dateSource: string }
}
