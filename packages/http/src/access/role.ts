/** A role: what an identity may become for a while. */
import { schema } from '@varve/core'
import type { Policy } from '../policies/policy.ts'
import type { TrustPolicy } from '../policies/trust-policy.ts'
import { compiledPolicy } from './identity-schema.ts'

const { array, Mismatch, object, optional, text } = schema

/** A role that identities can assume. */
export interface Role {
  readonly id: string
  readonly name: string
  /** Who may assume it. */
  readonly trust: TrustPolicy
  /** Without one, it may create buckets and do everything in its own. */
  readonly policy?: Policy
}

/** Keeps what `parseTrustPolicy` made. */
const trust: schema.Schema<TrustPolicy> = {
  read(value) {
    const { statements } = (value ?? {}) as Partial<TrustPolicy>
    if (Array.isArray(statements)) return value as TrustPolicy
    throw new Mismatch('must be a trust policy that parseTrustPolicy made')
  },
  accepts: (value) => typeof value === 'object',
}

export const roles: schema.Schema<readonly Role[]> = array(
  object<Role>({ id: text({ min: 1 }), name: text({ min: 1 }), trust, policy: optional(compiledPolicy) }),
)
