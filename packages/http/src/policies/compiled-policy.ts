/**
 * Compiled statements of a policy: the actions that they name, and their patterns. Each policy is compiled once: a
 * bucket's policy for the event that set it, an identity's policy for its lifetime.
 */

import { turn } from '../turns/turn.ts'
import { type PolicyAction, policyActions } from './actions.ts'
import type { RequestKeys } from './condition-key.ts'
import type { Condition } from './conditions.ts'
import type { Policy, Statement } from './policy.ts'
import { preparePattern } from './policy-text.ts'
import type { Principals } from './principals.ts'
import { compileWildcard } from './wildcard.ts'

export interface CompiledStatement {
  readonly effect: Statement['effect']
  readonly principals: Principals | undefined
  readonly actions: ReadonlySet<PolicyAction>
  /** Whether the resources of the statement include `bucket` or `bucket/key`. */
  coversPath(path: string, keys: RequestKeys): boolean
  readonly conditions: readonly Condition[]
}

const compiled = new WeakMap<Policy, readonly CompiledStatement[]>()

export function compiledStatements(policy: Policy): readonly CompiledStatement[] {
  const known = compiled.get(policy)
  if (known !== undefined) return known
  const made = policy.statements.map(compile)
  compiled.set(policy, made)
  return made
}

function compile(statement: Statement): CompiledStatement {
  const { effect, principals, conditions = [] } = statement
  return { effect, principals, actions: actionsOf(statement), coversPath: pathTest(statement), conditions }
}

function actionsOf({ effect, actions: { except, patterns } }: Statement): ReadonlySet<PolicyAction> {
  const matching = (some: readonly string[]) => {
    const wildcards = some.map((pattern) => compileWildcard(pattern))
    return (action: PolicyAction): boolean => wildcards.some((wildcard) => wildcard.matches(action.toLowerCase()))
  }
  const isNamed = matching(patterns)
  const isNamedAsOwn = matching(patterns.filter(isOfVarve))
  const mustBeNamed = (action: PolicyAction): boolean => effect === 'Allow' && isOfVarve(action)
  return new Set(
    policyActions.filter((action) =>
      mustBeNamed(action) ? !except && isNamedAsOwn(action) : isNamed(action) !== except,
    ),
  )
}

const isOfVarve = (action: string): boolean => action.startsWith('varve:')

/** A variable without a value in the request matches nothing: it allows nothing, and exempts nothing from a `Deny`. */
function pathTest({ effect, resources }: Statement): CompiledStatement['coversPath'] {
  const { except, patterns } = resources
  const unknown = except && effect === 'Allow'
  const prepared = patterns.map(preparePattern)
  return (path, keys) => {
    turn.spend(prepared.length)
    return prepared.some((pattern) => pattern(keys)?.matches(path) ?? unknown) !== except
  }
}
