import { aclAllows, aclRuleOf } from './acl.ts'
import type { S3Action } from './actions.ts'
import { compiledStatements } from './compiled-policy.ts'
import type { BucketAccess } from './decide-access.ts'
import type { Identity } from './identity.ts'
import type { Policy } from './policy.ts'
import { isAbout } from './principals.ts'

/**
 * Could any of these actions be allowed of anything in this bucket? Asked before it is known of what. Resources, conditions and
 * denials are not looked at, so a yes is none yet; a no is one for every key.
 */
export function mightAllow(
  actions: readonly S3Action[],
  identity: Identity | undefined,
  bucket: BucketAccess,
): boolean {
  if (identity !== undefined && (identity.root || identity.id === bucket.owner.id)) return true
  return actions.some((action) => {
    return (
      saysSo(identity?.policy, action, identity) ||
      saysSo(bucket.policy, action, identity) ||
      isListed(action, identity, bucket)
    )
  })
}

function saysSo(policy: Policy | undefined, action: S3Action, identity: Identity | undefined): boolean {
  if (policy === undefined) return false
  return compiledStatements(policy).some(
    ({ effect, actions, principals }) =>
      effect === 'Allow' && actions.has(action) && (principals === undefined || isAbout(principals, identity)),
  )
}

function isListed(action: S3Action, identity: Identity | undefined, bucket: BucketAccess): boolean {
  const { acl, ownership, publicAccessBlock } = bucket
  const rule = aclRuleOf({ action })
  if (rule === undefined || ownership === 'BucketOwnerEnforced') return false
  // What lists of objects say is known when the objects are.
  if (rule.of === 'object') return true
  const ignoresPublic = publicAccessBlock?.ignorePublicAcls === true
  return acl !== undefined && aclAllows(acl, rule.permission, { id: identity?.id, ignoresPublic })
}
