/**
 * IAM policy documents as attached to one identity: parsed strictly, because a rule that is silently not understood is a
 * door left open. What IAM has and we cannot judge (conditions, policy variables) is refused, not ignored.
 */

import { StorageError } from '@varve/core'
import { arrayOf, invalid, type JsonObject, objectFields, strings } from './json-fields.ts'

export interface Policy {
  readonly version: '2008-10-17' | '2012-10-17'
  readonly id?: string
  readonly statements: readonly Statement[]
}

export interface Statement {
  readonly sid?: string
  readonly effect: 'Allow' | 'Deny'
  readonly actions: Patterns
  readonly resources: Patterns
}

/** Wildcard patterns of which at least one matches, or, when `except`, none does. */
export interface Patterns {
  readonly except: boolean
  /** Actions in lower case with their `s3:`; resources without `arn:aws:s3:::`, `*` for all. */
  readonly patterns: readonly string[]
}

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
 * A policy document from parsed JSON; `place` is how messages call it. Without a `Version` it is `2008-10-17`, as in IAM.
 * @throws InvalidArgument for what is no policy of an identity: unknown fields, a `Principal`, neither or both of `Action`
 * and `NotAction`, actions of other services, resources that are not `*` or `arn:aws:s3:::…`, a `Sid` used twice
 * @throws NotImplemented for a `Condition`, and for policy variables (`${…}`, which only `2012-10-17` has)
 */
export function parsePolicy(document: unknown, place = 'policy'): Policy {
  const fields = objectFields(document, place, documentFields)
  const version = versions.find((known) => known === (fields.get('Version') ?? '2008-10-17'))
  if (version === undefined) throw invalid(`${place}.Version`, `must be ${versions.join(' or ')}`)
  const id = optionalString(fields, 'Id', place)
  const found = fields.get('Statement')
  const list = Array.isArray(found) ? arrayOf(found, `${place}.Statement`, statementsMax) : [found]
  const statements = list.map((one, index) => {
    return parseStatement(one, Array.isArray(found) ? `${place}.Statement[${index}]` : `${place}.Statement`, version)
  })
  checkSids(statements, place)
  return { version, ...(id !== undefined && { id }), statements }
}

function parseStatement(statement: unknown, place: string, version: Policy['version']): Statement {
  const fields = objectFields(statement, place, statementFields)
  if (fields.has('Condition'))
    throw notImplemented(`${place}.Condition`, 'is not implemented; a rule half understood is no rule')
  if (fields.has('Principal') || fields.has('NotPrincipal')) {
    throw invalid(place, 'cannot name a principal: the policy is that of its identity')
  }
  const effect = fields.get('Effect')
  if (effect !== 'Allow' && effect !== 'Deny') throw invalid(`${place}.Effect`, 'must be Allow or Deny')
  const sid = optionalString(fields, 'Sid', place)
  const actions = parsePatterns(fields, 'Action', place, parseAction)
  const resources = parsePatterns(fields, 'Resource', place, (pattern, at) => parseResource(pattern, at, version))
  return { ...(sid !== undefined && { sid }), effect, actions, resources }
}

function parsePatterns(
  fields: JsonObject,
  name: 'Action' | 'Resource',
  place: string,
  parse: (pattern: string, place: string) => string,
): Patterns {
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
  if (action !== '*' && !/^s3:[a-z0-9*?]+$/.test(action))
    throw invalid(place, 'must be * or an action like s3:GetObject')
  return action
}

function parseResource(pattern: string, place: string, version: Policy['version']): string {
  if (version === '2012-10-17' && pattern.includes('${'))
    throw notImplemented(place, 'has a policy variable, which is not implemented')
  if (pattern === '*') return pattern
  const resource = pattern.startsWith(arnPrefix) ? pattern.slice(arnPrefix.length) : ''
  if (resource === '') throw invalid(place, `must be * or begin with ${arnPrefix} and go on`)
  return resource
}

function checkSids(statements: readonly Statement[], place: string): void {
  const seen = new Set<string>()
  for (const { sid } of statements) {
    if (sid === undefined) continue
    if (seen.has(sid)) throw invalid(`${place}.Statement`, 'uses a Sid twice')
    seen.add(sid)
  }
}

function optionalString(fields: JsonObject, name: string, place: string): string | undefined {
  const value = fields.get(name)
  if (value === undefined || (typeof value === 'string' && value.length <= patternMax)) return value
  throw invalid(`${place}.${name}`, 'must be a string')
}

function notImplemented(place: string, rule: string): StorageError {
  return new StorageError('NotImplemented', `${place} ${rule}.`, { details: { place } })
}
