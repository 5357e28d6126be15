/**
 * Refuses statements of a bucket's policy that can never match a request, as S3 does: a `Deny` without effect looks like a
 * protection. Called when a policy is set, not when it is read: a policy that an older release accepted keeps its meaning.
 */

import { S3Error } from '../errors/errors.ts'
import { hasConditionKey } from './action-keys.ts'
import { type PolicyAction, policyActions } from './actions.ts'
import { principalTypes } from './caller.ts'
import { compiledStatements } from './compiled-policy.ts'
import { type Condition } from './conditions.ts'
import { isConditionKey, isGivenByRequests } from './condition-keys.ts'
import { conditionOperators } from './condition-operators.ts'
import { type ActionLevel, levelOf, namedActions } from './known-actions.ts'
import type { Policy, Statement } from './policy.ts'
import { hasVariables, variablesOf } from './policy-text.ts'
import { coveredBy, type Covered } from './resource-cover.ts'

/** @throws S3Error `MalformedPolicy` */
export function checkStatements(policy: Policy, bucket: string): void {
  const compiled = compiledStatements(policy)
  for (const [index, statement] of policy.statements.entries()) {
    checkActions(statement)
    checkVariables(statement)
    checkResources(statement, bucket)
    checkPrincipals(statement)
    checkConditions(statement, compiled[index]?.actions ?? new Set())
  }
}

function checkActions({ actions: { patterns } }: Statement): void {
  if (!patterns.every((pattern) => namedActions(pattern).length > 0)) throw malformed('Policy has invalid action')
}

/** No request has a value for a variable that is no condition key, so a statement with one applies to nothing. */
function checkVariables({ resources, conditions = [] }: Statement): void {
  const texts = [...resources.patterns, ...conditions.flatMap(({ values }) => values)]
  const unknown = texts.flatMap(variablesOf).find((key) => !isConditionKey(key))
  if (unknown !== undefined) throw malformed(`Policy has an invalid variable: ${unknown}`)
}

/** Every action that is named must apply to one of the resources. */
function checkResources({ actions, resources, namesAll }: Statement, bucket: string): void {
  if (namesAll) throw malformed('Policy has invalid resource')
  const covered = coveredBy(resources, bucket)
  const isApplicable = (all: readonly string[]): boolean => all.some((action) => applies(levelOf(action), covered))
  const excepted = new Set(actions.patterns.flatMap(namedActions))
  const named = actions.except
    ? [namedActions('*').filter((action) => !excepted.has(action))]
    : actions.patterns.map(namedActions)
  if (!named.every(isApplicable)) throw malformed('Action does not apply to any resource(s) in statement')
}

const applies = (level: ActionLevel, { bucket, objects }: Covered): boolean =>
  (level === 'bucket' && bucket) || (level === 'object' && objects)

/** A policy may name identities that do not exist, but not only those, and it cannot except everyone. */
function checkPrincipals({ principals }: Statement): void {
  if (principals === undefined) return
  const isAboutNone = principals.except
    ? principals.patterns.some(({ kind }) => kind === 'everyone')
    : principals.patterns.every(({ kind }) => kind === 'stranger')
  if (isAboutNone) throw malformed('Invalid principal in policy')
}

function checkConditions({ conditions = [] }: Statement, actions: ReadonlySet<PolicyAction>): void {
  // The server has none of these operations, so nothing is known of their keys.
  if (actions.size === 0) return
  const all = actions.size === policyActions.length ? policyActions : [...actions]
  for (const condition of conditions.filter(needsValue)) {
    if (!isGivenByRequests(condition.key)) continue
    const isThere = all.some((action) => hasConditionKey(action, condition.key))
    if (!isThere) throw malformed('Conditions do not apply to combination of actions and resources in statement')
    if (!canMeet(condition)) throw malformed(`No request has a value that the condition on ${condition.key} wants`)
  }
}

/** Whether the condition holds only for a request that has the key, with one of the listed values or with any. */
function needsValue({ operator, quantifier, ifExists, values }: Condition): boolean {
  if (operator === 'Null') return values.every((value) => typeof value === 'string' && value.toLowerCase() === 'false')
  return !ifExists && quantifier !== 'ForAllValues' && conditionOperators.get(operator)?.negated === false
}

/** The values of keys that have only these. */
const domains: Readonly<Record<string, readonly string[]>> = {
  'aws:principaltype': principalTypes,
  's3:authtype': ['REST-HEADER', 'REST-QUERY-STRING', 'POST'],
  's3:signatureversion': ['AWS', 'AWS4-HMAC-SHA256'],
}

function canMeet({ operator, key, values }: Condition): boolean {
  const domain = domains[key]
  if (domain === undefined || operator === 'Null' || values.some(hasVariables)) return true
  const wanted = values.map((value) => conditionOperators.get(operator)?.prepare(value))
  return domain.some((value) => wanted.some((meets) => meets?.(value, () => undefined) === true))
}

const malformed = (message: string): S3Error => new S3Error('MalformedPolicy', message)
