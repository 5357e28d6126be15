/** Checks roles at run time. */
import { schema } from '@varve/core'
import type { TrustPolicy } from '../policies/trust-policy.ts'
import { compiledPolicy } from './identity-schema.ts'
import type { Role } from './role.ts'

const { array, Mismatch, object, optional, text } = schema

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
