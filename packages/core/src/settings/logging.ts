/** Where access logs of a bucket would go. */
import type { Grant } from './access-control.ts'

/** Where S3 would write access logs. The store keeps it; the server writes none. */
export interface LoggingConfiguration {
  readonly targetBucket: string
  readonly targetPrefix: string
  readonly targetGrants?: readonly Grant[]
  /** How names of log objects are made: `simple`, or by a date with its source. */
  readonly keyFormat?: { readonly kind: 'simple' } | { readonly kind: 'partitioned'; readonly dateSource: string }
}
