/**
 * Decides whether an identity may do something, by policies and ownership, in this order. A denial by any policy
 * denies. Root may do everything. An identity with a policy may do what its policy allows. An identity without a policy
 * may create and list buckets and do everything in its own buckets. Then the policy of the bucket may allow more. Only
 * access control lists can allow anything else: see `acl.ts`.
 */

import type { AccessControlList, Actor, ObjectOwnership, PublicAccessBlock } from '@varve/core'
import type { PolicyAction } from '../policies/actions.ts'
import type { RequestKeys } from '../policies/condition-key.ts'
import { evaluatePolicy, type AccessResource, type Verdict } from '../policies/evaluate.ts'
import type { Identity } from './identity.ts'
import type { Policy } from '../policies/policy.ts'
import { isPublicPolicy } from '../policies/policy-status.ts'

/** The access settings of a bucket. A field is absent if it was never set. */
export interface BucketAccess {
  readonly owner: Actor
  /** Absent for a bucket that is to be created. */
  readonly region?: string | undefined
  readonly policy?: Policy | undefined
  readonly acl?: AccessControlList | undefined
  readonly ownership?: ObjectOwnership | undefined
  readonly publicAccessBlock?: PublicAccessBlock | undefined
  /** Requests of others than the owner must accept the charges. */
  readonly requesterPays?: boolean | undefined
}

export interface AccessQuestion {
  readonly identity: Identity | undefined
  readonly action: PolicyAction
  readonly resource: AccessResource
  /** Absent when the request names no bucket, or the bucket does not exist yet. */
  readonly bucket?: BucketAccess | undefined
  readonly keys?: RequestKeys
}

/**
 * The reason of a decision. `administrator`: root, or a policy of the identity. `owner`: the owner of the bucket.
 * `guest`: the policy of the bucket. `unsaid`: no policy applies; an ACL may still allow it.
 */
export type Decision = 'administrator' | 'owner' | 'guest' | 'denied' | 'unsaid'

/** Never throws. */
export function decideAccess(question: AccessQuestion): Decision {
  const ceiling = question.identity?.session?.ceiling
  if (ceiling !== undefined && evaluatePolicy(ceiling, question) !== 'allow') return 'denied'
  return decideWithoutCeiling(question)
}

function decideWithoutCeiling(question: AccessQuestion): Decision {
  const { identity, bucket } = question
  const ofBucket = bucket?.policy === undefined ? 'implicit-deny' : evaluatePolicy(bucket.policy, question)
  const isOwner = identity !== undefined && bucket?.owner.id === identity.id
  if (ofBucket === 'deny' && !mends(question, isOwner)) return 'denied'
  const own = identity === undefined ? 'unsaid' : decideByIdentity(identity, question, isOwner)
  if (own !== 'unsaid' || ofBucket !== 'allow') return own
  return isCutOff(bucket, isOwner) ? 'unsaid' : 'guest'
}

/** Lets the owner and root correct the policy of a bucket, even one that denies everything. */
const mends = ({ action, identity }: AccessQuestion, isOwner: boolean): boolean =>
  policyActions.has(action) && (isOwner || identity?.root === true)

const policyActions: ReadonlySet<PolicyAction> = new Set([
  's3:DeleteBucketPolicy',
  's3:GetBucketPolicy',
  's3:PutBucketPolicy',
])

function decideByIdentity(identity: Identity, question: AccessQuestion, isOwner: boolean): Decision {
  if (identity.root) return 'administrator'
  if (identity.policy !== undefined) return decisions[evaluatePolicy(identity.policy, question)]
  const { action } = question
  if (action === 's3:CreateBucket' || action === 's3:ListAllMyBuckets') return 'administrator'
  return isOwner ? 'owner' : 'unsaid'
}

const decisions = { allow: 'administrator', deny: 'denied', 'implicit-deny': 'unsaid' } as const satisfies Record<
  Verdict,
  Decision
>

function isCutOff(bucket: BucketAccess | undefined, isOwner: boolean): boolean {
  if (isOwner || bucket?.publicAccessBlock?.restrictPublicBuckets !== true) return false
  return bucket.policy !== undefined && isPublicPolicy(bucket.policy)
}
