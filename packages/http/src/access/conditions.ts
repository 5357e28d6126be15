/**
 * The `Condition` of a statement. All of its lines must hold; of the values of a line one is enough, and under a negated
 * operator none may be met. A key that the request does not have fails a line, unless the operator is negated, ends in
 * `IfExists`, or asks about every value there is (`ForAllValues`), as IAM documents it.
 */

import { conditionOperators, type ConditionOperator } from './condition-operators.ts'
import { conditionKey, type RequestKeys } from './condition-key.ts'
import { isConditionKey } from './condition-keys.ts'
import { invalid } from './json-fields.ts'
import { hasVariables, parsePolicyText, type PolicyText } from './policy-text.ts'

export interface Condition {
  /** Without quantifier and `IfExists`. */
  readonly operator: string
  readonly quantifier?: 'ForAllValues' | 'ForAnyValue'
  readonly ifExists: boolean
  /** As `conditionKey` spells it. */
  readonly key: string
  readonly values: readonly PolicyText[]
}

const valuesMax = 1000
const spelling = /^(?:(ForAllValues|ForAnyValue):)?([A-Za-z]+?)(IfExists)?$/

/**
 * @param variables Whether `${…}` means something: it does not before version 2012-10-17.
 * @throws InvalidArgument for operators, keys and values that are none; the place says which
 */
export function parseConditions(json: unknown, place: string, variables: boolean): readonly Condition[] {
  return fieldsOf(json, place).flatMap(([name, keys]) => {
    const at = `${place}.${name}`
    const [, quantifier, operator = '', ifExists] = spelling.exec(name) ?? []
    const known = conditionOperators.get(operator)
    if (known === undefined || (operator === 'Null' && ifExists !== undefined)) {
      throw invalid(place, `has a condition type that there is not: ${name}`)
    }
    return fieldsOf(keys, at).map(([spelled, values]) => {
      const key = conditionKey(spelled)
      if (!isConditionKey(key)) throw invalid(at, `has a condition key that there is not: ${spelled}`)
      return {
        operator,
        ...(quantifier !== undefined && { quantifier: quantifier as NonNullable<Condition['quantifier']> }),
        ifExists: ifExists !== undefined,
        key,
        values: parseValues(values, `${at}.${spelled}`, { operator: known, variables }),
      }
    })
  })
}

function fieldsOf(json: unknown, place: string): readonly [string, unknown][] {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw invalid(place, 'must be an object')
  return Object.entries(json)
}

interface ValueRules {
  readonly operator: ConditionOperator
  readonly variables: boolean
}

function parseValues(json: unknown, place: string, rules: ValueRules): readonly PolicyText[] {
  const list: readonly unknown[] = Array.isArray(json) ? json : [json]
  if (list.length === 0 || list.length > valuesMax) throw invalid(place, `must have 1 to ${valuesMax} values`)
  return list.map((value) => {
    if (typeof value !== 'string' && typeof value !== 'boolean' && typeof value !== 'number') {
      throw invalid(place, 'must be text, a number, or true or false')
    }
    return parseValue(String(value), place, rules)
  })
}

function parseValue(value: string, place: string, { operator, variables }: ValueRules): PolicyText {
  const text = variables && operator.takesVariables ? parsePolicyText(value) : value
  if (text === undefined) throw invalid(place, 'has a policy variable that is none')
  if (!hasVariables(text) && !operator.accepts(value)) throw invalid(place, 'has a value that its operator cannot take')
  return text
}

/** Whether all lines hold for what the request says of itself. */
export function conditionsHold(conditions: readonly Condition[], keys: RequestKeys): boolean {
  return conditions.every((condition) => holds(condition, keys))
}

function holds(condition: Condition, keys: RequestKeys): boolean {
  const { operator: name, quantifier, ifExists, key, values } = condition
  const actual = keys(key)
  if (name === 'Null') return values.some((value) => isTrue(value) === (actual === undefined))
  const operator = conditionOperators.get(name) as ConditionOperator
  if (actual === undefined || actual.length === 0) return ifExists || holdsForNothing(operator, quantifier)
  const meetsOne = (value: string): boolean =>
    values.some((wanted) => operator.meets(value, wanted, keys)) !== operator.negated
  // Without a word how to take several values, a negated line must hold for each, as its plain one needs one.
  const each = quantifier === 'ForAllValues' || (quantifier === undefined && operator.negated)
  return each ? actual.every(meetsOne) : actual.some(meetsOne)
}

const isTrue = (value: PolicyText): boolean => typeof value === 'string' && value.toLowerCase() === 'true'

/** A set without values: nothing in it is against a rule for all, nothing in it speaks for a rule that needs one. */
function holdsForNothing({ negated }: ConditionOperator, quantifier: Condition['quantifier']): boolean {
  return quantifier === undefined ? negated : quantifier === 'ForAllValues'
}
