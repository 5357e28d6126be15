/** The condition keys that a policy names, in conditions, and as variables in resources and values. */

import type { Policy } from './policy.ts'
import type { PolicyText } from './policy-text.ts'

const known = new WeakMap<Policy, ReadonlySet<string>>()

/** Keys in the spelling of `conditionKey`. Families of tag keys are also listed without the tag name. */
export function policyKeys(policy: Policy): ReadonlySet<string> {
  const found = known.get(policy)
  if (found !== undefined) return found
  const keys = new Set<string>()
  for (const key of namedIn(policy)) {
    keys.add(key)
    const slash = key.indexOf('/')
    if (slash !== -1) keys.add(key.slice(0, slash))
  }
  known.set(policy, keys)
  return keys
}

function* namedIn({ statements }: Policy): Generator<string> {
  for (const { resources, conditions = [] } of statements) {
    for (const text of resources.patterns) yield* variablesOf(text)
    for (const { key, values } of conditions) {
      yield key
      for (const text of values) yield* variablesOf(text)
    }
  }
}

function* variablesOf(text: PolicyText): Generator<string> {
  if (typeof text === 'string') return
  for (const piece of text) if ('key' in piece) yield piece.key
}
