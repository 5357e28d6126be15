/** The effect of one policy on one permission: a matching `Deny` wins, else a matching `Allow`, else none. */

import type { PolicyAction } from './actions.ts'
import type { RequestKeys } from './condition-key.ts'
import { conditionsHold } from './conditions.ts'
import { type CompiledStatement, compiledStatements } from './compiled-policy.ts'
import type { Policy } from './policy.ts'
import { isAbout, type Requester } from './principals.ts'

/** Without a bucket: the service as a whole. A key needs a bucket. Pass the same value that the operation then uses. */
export interface AccessResource {
  readonly bucket?: string
  readonly key?: string
}

export interface PolicyQuestion {
  readonly action: PolicyAction
  /**
   * `store`: the action is about everything in the store at once. Then a statement allows it only for all resources, and one that
   * denies it for any resource denies it.
   */
  readonly resource: AccessResource | 'store'
  /** The requester; anonymous when absent. */
  readonly identity?: Requester | undefined
  /** Values for conditions and variables. @default none */
  readonly keys?: RequestKeys
}

export type Verdict = 'allow' | 'deny' | 'implicit-deny'

const noKeys: RequestKeys = () => undefined

/** Never throws. */
export function evaluatePolicy(policy: Policy, question: PolicyQuestion): Verdict {
  let verdict: Verdict = 'implicit-deny'
  for (const statement of compiledStatements(policy)) {
    if (!isRequested(statement, question)) continue
    if (statement.effect === 'Deny') return 'deny'
    verdict = 'allow'
  }
  return verdict
}

function isRequested(statement: CompiledStatement, question: PolicyQuestion): boolean {
  const { principals, actions, conditions } = statement
  const { action, identity, keys = noKeys } = question
  return (
    actions.has(action) &&
    (principals === undefined || isAbout(principals, identity)) &&
    covers(statement, question) &&
    conditionsHold(conditions, keys)
  )
}

function covers(
  { effect, coversPath }: CompiledStatement,
  { resource, keys = noKeys }: Pick<PolicyQuestion, 'resource' | 'keys'>,
): boolean {
  if (resource === 'store') return effect === 'Deny' || coversPath(resourcePath({}), keys)
  return coversPath(resourcePath(resource), keys)
}

/** The text after `arn:aws:s3:::`. Empty for the service, which only patterns of stars match. */
function resourcePath({ bucket = '', key }: AccessResource): string {
  return key === undefined ? bucket : `${bucket}/${key}`
}
