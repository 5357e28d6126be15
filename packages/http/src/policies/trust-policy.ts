/** Trust policies of roles: who may assume them. They are parsed as strictly as other policies. */

import { schema } from '@varve/core'
import { arrayOf, invalid, objectFields, strings } from './json-fields.ts'
import { isAbout, parsePrincipals, type Principals } from './principals.ts'

/** A trust policy whose document was checked. */
export interface TrustPolicy {
  readonly statements: readonly TrustStatement[]
}

interface TrustStatement {
  readonly effect: 'Allow' | 'Deny'
  readonly principals: Principals
}

const statementsMax = 1000
/** It is part of each message. */
const placeText = schema.text({ max: 1000 })
const versions: readonly unknown[] = ['2012-10-17', '2008-10-17', undefined]
const actions: ReadonlySet<string> = new Set(['sts:assumerole', 'sts:*'])

/**
 * Parses a trust policy from parsed JSON: statements with `Effect`, `Principal` and the action `sts:AssumeRole`.
 * @throws InvalidArgument for anything else, conditions among it
 */
export function parseTrustPolicy(document: unknown, named = 'trust'): TrustPolicy {
  const place = schema.checked('place', placeText, named)
  const fields = objectFields(schema.checked(place, schema.json, document), place, ['Version', 'Id', 'Statement'])
  if (!versions.includes(fields.get('Version'))) throw invalid(`${place}.Version`, 'must be 2012-10-17 or 2008-10-17')
  const found = fields.get('Statement')
  const list = Array.isArray(found) ? arrayOf(found, `${place}.Statement`, statementsMax) : [found]
  return { statements: list.map((one, i) => parseStatement(one, `${place}.Statement[${i}]`)) }
}

function parseStatement(statement: unknown, place: string): TrustStatement {
  const fields = objectFields(statement, place, ['Sid', 'Effect', 'Principal', 'Action'])
  const effect = fields.get('Effect')
  if (effect !== 'Allow' && effect !== 'Deny') throw invalid(`${place}.Effect`, 'must be Allow or Deny')
  const named = strings(fields.get('Action'), `${place}.Action`, actions.size)
  if (!named.every((action) => actions.has(action.toLowerCase()))) {
    throw invalid(`${place}.Action`, 'must be sts:AssumeRole')
  }
  return { effect, principals: parsePrincipals(fields.get('Principal'), `${place}.Principal`, false) }
}

/** Whether the requester may assume the role. A denial wins. */
export function isTrusted(policy: TrustPolicy, requester: { readonly id: string; readonly name: string }): boolean {
  const about = policy.statements.filter(({ principals }) => isAbout(principals, requester))
  return about.length > 0 && about.every(({ effect }) => effect === 'Allow')
}
