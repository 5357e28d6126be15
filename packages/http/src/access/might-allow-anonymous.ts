import { aclAllows, aclRuleOf } from './acl.ts'
import type { PolicyAction } from '../policies/actions.ts'
import { compiledStatements } from '../policies/compiled-policy.ts'
import type { BucketAccess } from './decide-access.ts'
import type { Policy } from '../policies/policy.ts'
import { isAbout } from '../policies/principals.ts'

/**
 * Whether any of these actions could be allowed to anonymous requests, for anything in this bucket. Used before the
 * keys are known. Ignores resources, conditions and denials: `true` does not allow anything yet, `false` holds for
 * every key.
 */
export function mightAllowAnonymous(actions: readonly PolicyAction[], bucket: BucketAccess): boolean {
  return actions.some((action) => isInPolicy(bucket.policy, action) || isListed(action, bucket))
}

function isInPolicy(policy: Policy | undefined, action: PolicyAction): boolean {
  if (policy === undefined) return false
  return compiledStatements(policy).some(
    ({ effect, actions, principals }) =>
      effect === 'Allow' && actions.has(action) && (principals === undefined || isAbout(principals, undefined)),
  )
}

function isListed(action: PolicyAction, bucket: BucketAccess): boolean {
  const { acl, ownership, publicAccessBlock } = bucket
  const rule = aclRuleOf({ action })
  if (rule === undefined || ownership === 'BucketOwnerEnforced') return false
  // The ACLs of objects are known only when the objects are.
  if (rule.of === 'object') return true
  const ignoresPublic = publicAccessBlock?.ignorePublicAcls === true
  return acl !== undefined && aclAllows(acl, rule.permission, { id: undefined, ignoresPublic })
}
