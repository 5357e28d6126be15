/** The effect of one policy on one permission: a matching `Deny` wins, else a matching `Allow`, else none. */

import type { PolicyAction } from './actions.ts'
import type { RequestKeys } from './condition-key.ts'
import { conditionsHold } from './conditions.ts'
import { type CompiledStatement, compiledStatements } from './compiled-policy.ts'
import type { Policy } from './policy.ts'
import { isAbout } from './principals.ts'

/** Without a bucket: the service as a whole. A key needs a bucket. Pass the same value that the operation then uses. */
export interface AccessResource {
  readonly bucket?: string
  readonly key?: string
}

export interface PolicyQuestion {
  readonly action: PolicyAction
  readonly resource: AccessResource
  /** The requester; anonymous when absent. */
  readonly identity?: { readonly id: string; readonly name: string } | undefined
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

function isRequested(
  { principals, actions, coversPath, conditions }: CompiledStatement,
  { action, resource, identity, keys = noKeys }: PolicyQuestion,
): boolean {
  return (
    actions.has(action) &&
    (principals === undefined || isAbout(principals, identity)) &&
    coversPath(resourcePath(resource), keys) &&
    conditionsHold(conditions, keys)
  )
}

/** The text after `arn:aws:s3:::`. Empty for the service, which only patterns of stars match. */
function resourcePath({ bucket = '', key }: AccessResource): string {
  return key === undefined ? bucket : `${bucket}/${key}`
}
