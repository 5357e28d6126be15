/**
 * IAM policy documents, of an identity or of a bucket. They are parsed strictly: ignoring a rule that is not understood
 * could leave a server open.
 */

import { schema } from '@varve/core'
import { type Condition, parseConditions } from './conditions.ts'
import { arrayOf, invalid, type JsonObject, objectFields, strings } from './json-fields.ts'
import { parsePolicyText, type PolicyText } from './policy-text.ts'
import { parsePrincipals, type Principals } from './principals.ts'

/** A bucket policy whose document was checked. */
export interface Policy {
  readonly version: '2008-10-17' | '2012-10-17'
  readonly id?: string
  readonly statements: readonly Statement[]
}

/** One statement of a policy. */
export interface Statement {
  readonly sid?: string
  readonly effect: 'Allow' | 'Deny'
  /** Present only in the policy of a bucket. The policy of an identity is about that identity. */
  readonly principals?: Principals
  readonly actions: Patterns
  readonly resources: Patterns<PolicyText>
  /** A resource is `*` alone, which the policy of a bucket may not say; `arn:aws:s3:::*` is a pattern like others. */
  readonly namesAll?: true
  /** Absent when there are none. */
  readonly conditions?: readonly Condition[]
}

/** Wildcard patterns. At least one must match, or with `except` none. */
export interface Patterns<P = string> {
  readonly except: boolean
  /** Actions in lower case with their `s3:` or `varve:`; resources without `arn:aws:s3:::`, or `*` for all. */
  readonly patterns: readonly P[]
}

/** Whether the policy belongs to an identity or to a bucket. */
export type PolicyKind = 'identity' | 'bucket'

interface Place {
  /** The name of the place in error messages. */
  readonly place: string
  readonly kind: PolicyKind
  readonly version: Policy['version']
}

const placeText = schema.text()
const policyKind = schema.literal('identity', 'bucket')
const statementsMax = 1000
const patternsMax = 1000
const patternMax = 2048
const arnPrefix = 'arn:aws:s3:::'
const versions = ['2012-10-17', '2008-10-17'] as const
const documentFields = ['Version', 'Id', 'Statement']
const statementFields = [
  'Sid',
  'Effect',
  'Action',
  'NotAction',
  'Resource',
  'NotResource',
  'Condition',
  'Principal',
  'NotPrincipal',
]

/**
 * Parses a policy document from parsed JSON; `place` names it in error messages. Without a `Version` it is
 * `2008-10-17`, as in IAM.
 * @throws InvalidArgument for an invalid policy: unknown fields, a `Principal` in the policy of an identity or none in
 * the policy of a bucket, neither or both of `Action` and `NotAction`, actions of other services, resources that are
 * not `*` or `arn:aws:s3:::…`, invalid conditions, a `Sid` used twice
 */
export function parsePolicy(document: unknown, place = 'policy', kind: PolicyKind = 'identity'): Policy {
  schema.checked('place', placeText, place)
  const copy = schema.checked(place, schema.json, document)
  const readFor = schema.checked('kind', policyKind, kind)
  const fields = objectFields(copy, place, documentFields)
  const version = versions.find((known) => known === (fields.get('Version') ?? '2008-10-17'))
  if (version === undefined) throw invalid(`${place}.Version`, `must be ${versions.join(' or ')}`)
  const id = optionalString(fields, 'Id', place)
  const found = fields.get('Statement')
  const list = Array.isArray(found) ? arrayOf(found, `${place}.Statement`, statementsMax) : [found]
  const statements = list.map((one, index) => {
    const at = Array.isArray(found) ? `${place}.Statement[${index}]` : `${place}.Statement`
    return parseStatement(one, { place: at, kind: readFor, version })
  })
  checkSids(statements, place)
  return { version, ...(id !== undefined && { id }), statements }
}

function parseStatement(statement: unknown, { place, kind, version }: Place): Statement {
  const fields = objectFields(statement, place, statementFields)
  const effect = fields.get('Effect')
  if (effect !== 'Allow' && effect !== 'Deny') throw invalid(`${place}.Effect`, 'must be Allow or Deny')
  const sid = optionalString(fields, 'Sid', place)
  const principals = kind === 'bucket' ? principalsOf(fields, place, effect) : noPrincipals(fields, place)
  const variables = version === '2012-10-17'
  const actions = parsePatterns(fields, 'Action', place, parseAction)
  const resources = parsePatterns(fields, 'Resource', place, (pattern, at) => parseResource(pattern, at, variables))
  const conditions = fields.has('Condition')
    ? parseConditions(fields.get('Condition'), `${place}.Condition`, variables)
    : []
  const namesAll = [fields.get('Resource'), fields.get('NotResource')].flat().includes('*')
  return {
    ...(sid !== undefined && { sid }),
    effect,
    ...(principals !== undefined && { principals }),
    actions,
    resources,
    ...(namesAll && { namesAll }),
    ...(conditions.length > 0 && { conditions }),
  }
}

function noPrincipals(fields: JsonObject, place: string): undefined {
  if (!fields.has('Principal') && !fields.has('NotPrincipal')) return undefined
  throw invalid(place, 'cannot name a principal: the policy is that of its identity')
}

function principalsOf(fields: JsonObject, place: string, effect: Statement['effect']): Principals {
  const except = fields.has('NotPrincipal')
  if (except === fields.has('Principal')) throw invalid(place, 'must have one of Principal and NotPrincipal')
  if (except && effect === 'Allow') throw invalid(place, 'cannot allow something to all but some: name those it allows')
  const name = except ? 'NotPrincipal' : 'Principal'
  return parsePrincipals(fields.get(name), `${place}.${name}`, except)
}

function parsePatterns<P>(
  fields: JsonObject,
  name: 'Action' | 'Resource',
  place: string,
  parse: (pattern: string, place: string) => P,
): Patterns<P> {
  const except = fields.has(`Not${name}`)
  if (except === fields.has(name)) throw invalid(place, `must have one of ${name} and Not${name}`)
  const at = `${place}.${except ? 'Not' : ''}${name}`
  const patterns = strings(fields.get(except ? `Not${name}` : name), at, patternsMax).map((pattern) => {
    if (pattern === '' || pattern.length > patternMax) throw invalid(at, `must hold 1 to ${patternMax} characters each`)
    return parse(pattern, at)
  })
  return { except, patterns }
}

function parseAction(pattern: string, place: string): string {
  const action = pattern.toLowerCase()
  if (action !== '*' && !/^(?:s3|varve):[a-z0-9*?]+$/.test(action))
    throw invalid(place, 'must be * or an action like s3:GetObject')
  return action
}

function parseResource(pattern: string, place: string, variables: boolean): PolicyText {
  if (pattern === '*') return pattern
  const resource = pattern.startsWith(arnPrefix) ? pattern.slice(arnPrefix.length) : ''
  if (resource === '') throw invalid(place, `must be * or begin with ${arnPrefix} and go on`)
  const text = variables ? parsePolicyText(resource) : resource
  if (text === undefined) throw invalid(place, 'has a policy variable that is none')
  return text
}

function checkSids(statements: readonly Statement[], place: string): void {
  const seen = new Set<string>()
  for (const { sid } of statements) {
    // An empty Sid counts as absent: Terraform wrote one into every statement for years, and AWS accepted it.
    if (sid === undefined || sid === '') continue
    if (seen.has(sid)) throw invalid(`${place}.Statement`, 'uses a Sid twice')
    seen.add(sid)
  }
}

function optionalString(fields: JsonObject, name: string, place: string): string | undefined {
  const value = fields.get(name)
  if (value === undefined || (typeof value === 'string' && value.length <= patternMax)) return value
  throw invalid(`${place}.${name}`, 'must be a string')
}
