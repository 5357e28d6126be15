/**
 * The `Condition` of a statement. All its lines must hold. Of the values of a line one must match, or under a negated
 * operator none. If the request does not have the key, the line fails, unless the operator is negated, ends in
 * `IfExists`, or applies to every value (`ForAllValues`), as IAM documents it.
 */

import { turn } from '../turns/turn.ts'
import { conditionOperators, type ConditionOperator } from './condition-operators.ts'
import { conditionKey, type RequestKeys } from './condition-key.ts'
import { hasSeveralNames, isConditionKey } from './condition-keys.ts'
import { invalid } from './json-fields.ts'
import { hasVariables, parsePolicyText, type PolicyText } from './policy-text.ts'

export interface Condition {
  /** Without its quantifier and `IfExists`. */
  readonly operator: string
  readonly quantifier?: 'ForAllValues' | 'ForAnyValue'
  readonly ifExists: boolean
  /** In the spelling of `conditionKey`. */
  readonly key: string
  readonly values: readonly PolicyText[]
}

const valuesMax = 1000
const spelling = /^(?:(ForAllValues|ForAnyValue):)?([A-Za-z]+?)(IfExists)?$/

/**
 * @param variables Whether `${…}` is a variable. It is not before version 2012-10-17.
 * @throws InvalidArgument for invalid operators, keys and values; the message names the place
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

/** Whether all conditions hold for the values of the request. */
export function conditionsHold(conditions: readonly Condition[], keys: RequestKeys): boolean {
  return conditions.every((condition) => preparedOf(condition)(keys))
}

type Holds = (keys: RequestKeys) => boolean

/** Compiled lines, kept for as long as the policy. */
const prepared = new WeakMap<Condition, Holds>()

function preparedOf(condition: Condition): Holds {
  const known = prepared.get(condition)
  if (known !== undefined) return known
  const made = prepare(condition)
  prepared.set(condition, made)
  return made
}

function prepare({ operator: name, quantifier, ifExists, key, values }: Condition): Holds {
  if (name === 'Null') return (keys) => values.some((value) => isTrue(value) === (keys(key) === undefined))
  const operator = conditionOperators.get(name) as ConditionOperator
  const wanted = values.map((value) => operator.prepare(value))
  // Without a quantifier, a negated line must hold for each value, since a line that is not negated needs one match.
  const each = quantifier === 'ForAllValues' || (quantifier === undefined && operator.negated)
  const isOneValue = hasSeveralNames(key)
  const judge = (actual: readonly string[], keys: RequestKeys): boolean => {
    turn.spend(actual.length * wanted.length)
    const isWanted = (value: string): boolean => wanted.some((meets) => meets(value, keys))
    if (isOneValue) return actual.some(isWanted) !== operator.negated
    const meetsOne = (value: string): boolean => isWanted(value) !== operator.negated
    return each ? actual.every(meetsOne) : actual.some(meetsOne)
  }
  const judged = values.some(hasVariables) ? judge : remembering(judge)
  return (keys) => {
    const actual = keys(key)
    if (actual === undefined || actual.length === 0) return ifExists || holdsForNothing(operator, quantifier)
    return judged(actual, keys)
  }
}

/** Keeps the last result: in a request for a thousand keys, the values are mostly the same for each key. */
function remembering(judge: (actual: readonly string[], keys: RequestKeys) => boolean): typeof judge {
  let last: readonly string[] | undefined
  let held = false
  return (actual, keys) => {
    const isSame = last?.length === actual.length && actual.every((value, at) => value === last?.[at])
    if (!isSame) [last, held] = [actual, judge(actual, keys)]
    return held
  }
}

const isTrue = (value: PolicyText): boolean => typeof value === 'string' && value.toLowerCase() === 'true'

/** The result for an empty set of values: a rule for all values holds, a rule that needs one value fails. */
function holdsForNothing({ negated }: ConditionOperator, quantifier: Condition['quantifier']): boolean {
  return quantifier === undefined ? negated : quantifier === 'ForAllValues'
}
