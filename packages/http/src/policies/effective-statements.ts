/**
 * Refuses statements that can never match a request, as S3 does for the policy of a bucket: a `Deny` without effect looks like a
 * protection. Called when a policy is set, not when it is read: a policy that an older release accepted keeps its meaning.
 */

import { isS3Error, S3Error } from '../errors/errors.ts'
import { hasConditionKey } from './action-keys.ts'
import { type PolicyAction, policyActions } from './actions.ts'
import { compiledStatements } from './compiled-policy.ts'
import { type Condition } from './conditions.ts'
import { isConditionKey, isGivenByRequests } from './condition-keys.ts'
import { conditionOperators } from './condition-operators.ts'
import { canHave, isAlwaysThere } from './key-values.ts'
import { type ActionLevel, levelOf, namedActions } from './known-actions.ts'
import { parsePolicy, type Policy, type Statement } from './policy.ts'
import { variablesOf } from './policy-text.ts'
import { invalid } from './json-fields.ts'
import { coveredAnywhere, coveredBy, type Covered } from './resource-cover.ts'

/**
 * As `parsePolicy`, for a policy of an identity or of a session that is set now: its statements can match. As in IAM, an action may
 * apply to none of the resources if another one applies.
 * @throws InvalidArgument
 */
export function parseIdentityPolicy(document: unknown, place = 'policy'): Policy {
  const policy = parsePolicy(document, place)
  checkIdentityStatements(policy, place)
  return policy
}

function checkIdentityStatements(policy: Policy, place: string): void {
  const compiled = compiledStatements(policy)
  for (const [index, statement] of policy.statements.entries()) {
    try {
      checkActions(statement)
      checkVariables(statement)
      if (
        !namedIn(statement)
          .flat()
          .some((action) => appliesAnywhere(action, statement))
      )
        throw malformed(appliesToNone)
      checkConditions(statement, compiled[index]?.actions ?? new Set())
    } catch (error) {
      if (!isS3Error(error, 'MalformedPolicy')) throw error
      throw invalid(`${place}.Statement[${index}]`, `can never match: ${error.message}`)
    }
  }
}

function appliesAnywhere(action: string, { effect, resources }: Statement): boolean {
  const { store, ...covered } = coveredAnywhere(resources)
  const level = levelOf(action)
  if (level === 'none' && store) return true
  // What is about the whole store is denied by any resource, and allowed by all of them.
  if (action.startsWith('varve:') && (effect === 'Deny' || store)) return true
  return applies(level, covered)
}

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
function checkResources(statement: Statement, bucket: string): void {
  const { resources, namesAll = false } = statement
  if (namesAll) throw malformed('Policy has invalid resource')
  const covered = coveredBy(resources, bucket)
  const isApplicable = (all: readonly string[]): boolean => all.some((action) => applies(levelOf(action), covered))
  if (!namedIn(statement).every(isApplicable)) throw malformed(appliesToNone)
}

const appliesToNone = 'Action does not apply to any resource(s) in statement'

/** The actions that each pattern names; those that no pattern excepts are one list. */
function namedIn({ actions }: Statement): readonly (readonly string[])[] {
  if (!actions.except) return actions.patterns.map(namedActions)
  const excepted = new Set(actions.patterns.flatMap(namedActions))
  return [namedActions('*').filter((action) => !excepted.has(action))]
}

const applies = (level: ActionLevel, { bucket, objects }: Covered): boolean =>
  (level === 'bucket' && bucket) || (level === 'object' && objects)

/** A policy may name federated users, but not only those. It may not name a caller that cannot exist, nor except everyone. */
function checkPrincipals({ principals }: Statement): void {
  if (principals === undefined) return
  const isAboutNone = principals.except
    ? principals.patterns.some(({ kind }) => kind === 'everyone')
    : principals.patterns.every(({ kind }) => kind === 'stranger')
  if (isAboutNone || principals.patterns.some(({ kind }) => kind === 'impossible'))
    throw malformed('Invalid principal in policy')
}

function checkConditions({ conditions = [] }: Statement, actions: ReadonlySet<PolicyAction>): void {
  // The server has none of these operations, so nothing is known of their keys.
  if (actions.size === 0) return
  const all = actions.size === policyActions.length ? policyActions : [...actions]
  const absent = conditions.find((condition) => needsAbsence(condition) && isAlwaysThere(condition.key))
  if (absent !== undefined) throw malformed(`Every request has ${absent.key}`)
  checkContradictions(conditions)
  for (const condition of conditions.filter(needsValue)) {
    if (!isGivenByRequests(condition.key)) continue
    const isThere = all.some((action) => hasConditionKey(action, condition.key))
    if (!isThere) throw malformed('Conditions do not apply to combination of actions and resources in statement')
    if (condition.operator !== 'Null' && !canHave(condition))
      throw malformed(`No request has a value that the condition on ${condition.key} wants`)
  }
}

/** Each line of a condition must hold, so two lines about one key can exclude each other. */
function checkContradictions(conditions: readonly Condition[]): void {
  const lines = conditions.map(({ operator, quantifier = '', ifExists, key }) =>
    [quantifier, operator, ifExists, key].join(' '),
  )
  const twice = lines.findIndex((line, i) => lines.indexOf(line) !== i)
  if (twice !== -1) throw malformed(`Duplicate condition key ${conditions[twice]?.key}`)
  const absent = new Set(conditions.filter(needsAbsence).map(({ key }) => key))
  const both = conditions.find((condition) => needsValue(condition) && absent.has(condition.key))
  if (both !== undefined) throw malformed(`No request has ${both.key} and does not have it`)
}

const needsAbsence = ({ operator, values }: Condition): boolean =>
  operator === 'Null' && values.every((value) => typeof value === 'string' && value.toLowerCase() === 'true')

/** Whether the condition holds only for a request that has the key, with one of the listed values or with any. */
function needsValue({ operator, quantifier, ifExists, values }: Condition): boolean {
  if (operator === 'Null') return values.every((value) => typeof value === 'string' && value.toLowerCase() === 'false')
  return !ifExists && quantifier !== 'ForAllValues' && conditionOperators.get(operator)?.negated === false
}

const malformed = (message: string): S3Error => new S3Error('MalformedPolicy', message)
