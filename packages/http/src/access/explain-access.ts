/**
 * Explains whether an identity may do something. The answer is that of a request, from `isAllowed`; the reason is found beside
 * it, in the order of `decideAccess`.
 */

import { isStorageError } from '@varve/core'
import { isS3Error } from '../errors/errors.ts'
import { requestKeys } from '../policies/condition-keys.ts'
import { evaluatePolicy, type StatementAbout, statementsAbout, type Verdict } from '../policies/evaluate.ts'
import type { Permission } from '../policies/permission.ts'
import type { Policy } from '../policies/policy.ts'
import { type BucketAccess, decideAccess, type Decision } from './decide-access.ts'
import type { Identity } from './identity.ts'
import { type AuthorisationRequest, isAllowed, tagsFor } from './is-allowed.ts'

/** What decided, with the sentence that says it. */
export const accessReasons = {
  root: 'Root may do everything.',
  'identity-policy': 'The policy of the identity allows it.',
  'identity-policy-denies': 'The policy of the identity denies it.',
  'any-identity': 'Every identity without a policy may do it.',
  owner: 'The identity owns the bucket.',
  'bucket-policy': 'The policy of the bucket allows it.',
  'bucket-policy-denies': 'The policy of the bucket denies it.',
  'public-access-blocked': 'The policy of the bucket allows it, but is public, and the bucket blocks public access.',
  'other-owner': 'The object belongs to another owner, and its access control list does not allow it.',
  acl: 'An access control list allows it, or the identity owns the object or the upload.',
  'policy-is-silent': 'The policy of the identity does not allow it, and the policy of the bucket does not add it.',
  'nothing-allows': 'No policy and no access control list allows it.',
  'no-such-object': 'The object that would decide it does not exist.',
} as const satisfies Record<string, string>

/** What decided a question about access: see `accessReasons`. */
export type AccessReason = keyof typeof accessReasons

/** A statement that is about the question, of the policy of the identity or of the bucket. */
export interface ExplainedStatement extends StatementAbout {
  readonly policy: 'identity' | 'bucket'
}

/** Whether an identity may do something, what decided it, and the statements that are about it. */
export interface AccessExplanation {
  readonly allowed: boolean
  readonly reason: AccessReason
  readonly text: string
  /** Those whose conditions do not hold are listed too: they do not count. */
  readonly statements: readonly ExplainedStatement[]
}

/** @throws what reading the store throws */
export async function explainAccess(
  request: AuthorisationRequest,
  permission: Permission,
  bucket: BucketAccess | undefined,
): Promise<AccessExplanation> {
  const { identity } = request.requestContext
  const [tags] = await tagsFor(request, permission, bucket).catch(nothingThere)
  const keys = requestKeys(request.requestContext, { bucketOwner: bucket?.owner.id, permission, tags })
  const question = { identity, action: permission.action, resource: permission, keys }
  const about = (policy: Policy | undefined, of: ExplainedStatement['policy']) =>
    policy === undefined ? [] : statementsAbout(policy, question).map((statement) => ({ ...statement, policy: of }))
  const findings = {
    identity,
    outcome: await outcomeOf(request, permission, bucket),
    decision: decideAccess({ ...question, bucket }),
    ofIdentity: identity?.policy === undefined ? 'implicit-deny' : evaluatePolicy(identity.policy, question),
    ofBucket: bucket?.policy === undefined ? 'implicit-deny' : evaluatePolicy(bucket.policy, question),
  } as const
  const reason = reasonOf(findings)
  return {
    allowed: findings.outcome === 'allowed',
    reason,
    text: accessReasons[reason],
    statements: [...about(identity?.policy, 'identity'), ...about(bucket?.policy, 'bucket')],
  }
}

interface Findings {
  readonly identity: Identity | undefined
  readonly outcome: Outcome
  readonly decision: Decision
  readonly ofIdentity: Verdict
  readonly ofBucket: Verdict
}

function reasonOf(findings: Findings): AccessReason {
  const { outcome, decision, ofIdentity } = findings
  if (outcome === 'absent') return 'no-such-object'
  switch (decision) {
    case 'denied':
      return ofIdentity === 'deny' ? 'identity-policy-denies' : 'bucket-policy-denies'
    case 'administrator':
      return administratorReason(findings)
    case 'owner':
      return outcome === 'refused' ? 'other-owner' : 'owner'
    case 'guest':
      return outcome === 'refused' ? 'other-owner' : 'bucket-policy'
    case 'unsaid':
      return otherReason(findings)
  }
}

function administratorReason({ identity }: Findings): AccessReason {
  if (identity?.root === true) return 'root'
  return identity?.policy === undefined ? 'any-identity' : 'identity-policy'
}

function otherReason({ identity, outcome, ofBucket }: Findings): AccessReason {
  if (outcome === 'allowed') return 'acl'
  if (ofBucket === 'allow') return 'public-access-blocked'
  return identity?.policy === undefined ? 'nothing-allows' : 'policy-is-silent'
}

type Outcome = 'allowed' | 'refused' | 'absent'

function nothingThere(error: unknown): readonly undefined[] {
  if (isAbsence(error) || isS3Error(error, 'AccessDenied')) return []
  throw error
}

const isAbsence = (error: unknown): boolean =>
  isStorageError(error, 'NoSuchKey', 'NoSuchVersion') ||
  isS3Error(error, 'NoSuchKey', 'NoSuchVersion', 'MethodNotAllowed')

async function outcomeOf(...question: Parameters<typeof isAllowed>): Promise<Outcome> {
  try {
    return (await isAllowed(...question)) ? 'allowed' : 'refused'
  } catch (error) {
    if (isS3Error(error, 'AccessDenied')) return 'refused'
    if (isAbsence(error)) return 'absent'
    throw error
  }
}
