/** A role: what an identity may become for a while. */
import type { Policy } from '../policies/policy.ts'
import type { TrustPolicy } from '../policies/trust-policy.ts'

/** A role that identities can assume. */
export interface Role {
  readonly id: string
  readonly name: string
  /** Who may assume it. */
  readonly trust: TrustPolicy
  /** Without one, it may create buckets and do everything in its own. */
  readonly policy?: Policy
}
