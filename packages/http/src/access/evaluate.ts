/**
 * May this identity do this? Root may do everything. With a policy the policy alone decides, as in IAM: a `Deny` that
 * matches wins, else an `Allow` that matches, else no. Without one, an identity may create and list buckets and do
 * everything in those it owns. Nobody in particular (`undefined`) may do nothing.
 */

import type { S3Action } from './actions.ts'
import type { Identity } from './identity.ts'
import type { Patterns, Policy } from './policy.ts'
import { matchesWildcard } from './wildcard.ts'

/** No bucket: the service as a whole. A key only within a bucket. Ask with the very value that is then acted on. */
export interface AccessResource {
  readonly bucket?: string
  readonly key?: string
  /** Instead of `key`: the question is about the bucket and about this key in it, and what is said of either counts. */
  readonly orKey?: string
}

export interface AccessQuestion {
  readonly identity: Identity | undefined
  readonly action: S3Action
  readonly resource: AccessResource
  /** The id of the identity that owns the bucket; none when there is no bucket. */
  readonly bucketOwner?: string | undefined
}

export type Verdict = 'allow' | 'deny' | 'implicit-deny'

/** True when the identity may. Never throws. */
export function isAllowed({ identity, action, resource, bucketOwner }: AccessQuestion): boolean {
  if (identity === undefined) return false
  if (identity.root) return true
  if (identity.policy !== undefined) return evaluatePolicy(identity.policy, action, resource) === 'allow'
  if (action === 's3:CreateBucket' || action === 's3:ListAllMyBuckets') return true
  return resource.bucket !== undefined && bucketOwner === identity.id
}

/** What one policy says, and whether it says no or says nothing. */
export function evaluatePolicy(policy: Policy, action: S3Action, resource: AccessResource): Verdict {
  const name = action.toLowerCase()
  const paths = resourcePaths(resource)
  let verdict: Verdict = 'implicit-deny'
  for (const { effect, actions, resources } of policy.statements) {
    if (!covers(actions, name) || !paths.some((path) => covers(resources, path))) continue
    if (effect === 'Deny') return 'deny'
    verdict = 'allow'
  }
  return verdict
}

function covers({ except, patterns }: Patterns, text: string): boolean {
  return patterns.some((pattern) => matchesWildcard(pattern, text)) !== except
}

/** What stands behind `arn:aws:s3:::`; nothing for the service, which only patterns of stars match. */
function resourcePaths({ bucket, key, orKey }: AccessResource): readonly string[] {
  if (bucket === undefined) return ['']
  if (orKey !== undefined) return [bucket, `${bucket}/${orKey}`]
  return [key === undefined ? bucket : `${bucket}/${key}`]
}
