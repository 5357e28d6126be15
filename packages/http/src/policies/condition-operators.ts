/**
 * IAM's condition operators: which values of a policy they accept, and when a value of a request matches one of them. A
 * negated operator holds when the value matches none. `conditions.ts` implements negation, sets and absent keys.
 */

import type { RequestKeys } from './condition-key.ts'
import { parseIpRange, rangeTest } from '../addresses/ip-range.ts'
import { plainTextOf, preparedBy, preparePattern, type PolicyText } from './policy-text.ts'
import { compileWildcard, type Pattern } from './wildcard.ts'

export interface ConditionOperator {
  readonly negated: boolean
  /** Whether the values of a policy may hold variables. */
  readonly takesVariables: boolean
  /** Whether a policy may contain this value. Called for values without variables. */
  accepts(value: string): boolean
  /** Compiles a test whether a value of a request matches this value of a policy. */
  prepare(wanted: PolicyText): Meets
}

export type Meets = (actual: string, keys: RequestKeys) => boolean

type Compare = (actual: string, wanted: string) => boolean

const anything = (): boolean => true
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** Operators that compare text, with variables replaced. */
function onText(compare: Compare, accepts: (value: string) => boolean = anything): ConditionOperator {
  return {
    negated: false,
    takesVariables: true,
    accepts,
    prepare: (wanted) => (actual, keys) => {
      const text = plainTextOf(wanted, keys)
      return text !== undefined && compare(actual, text)
    },
  }
}

/** Operators that compare parsed values: numbers, times, addresses. These take no variables. */
function onValues(compare: Compare, accepts: (value: string) => boolean): ConditionOperator {
  return {
    negated: false,
    takesVariables: false,
    accepts,
    prepare: (wanted) => (actual) => typeof wanted === 'string' && compare(actual, wanted),
  }
}

const not = (operator: ConditionOperator): ConditionOperator => ({ ...operator, negated: true })

type Order = (actual: number, wanted: number) => boolean

function ordered(read: (text: string) => number, order: Order): ConditionOperator {
  const compare: Compare = (actual, wanted) => order(read(actual), read(wanted))
  return onValues(compare, (value) => !Number.isNaN(read(value)))
}

const numberOf = (text: string): number => (number.test(text) ? Number(text) : Number.NaN)
const numeric = (order: Order): ConditionOperator => ordered(numberOf, order)
const date = (order: Order): ConditionOperator => ordered(timeOf, order)

const isoDate = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d))?)?)?$/

/** A time in ISO 8601, which may be as short as the year, or in seconds since the epoch. NaN for any other text. */
function timeOf(text: string): number {
  if (isoDate.test(text) && text.length !== 4) return Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))
  if (/^\d{4}$/.test(text)) return Date.parse(text)
  return /^\d{5,12}$/.test(text) ? Number(text) * 1000 : Number.NaN
}

const like: ConditionOperator = {
  ...onText(anything),
  prepare: (wanted) => {
    const pattern = preparePattern(wanted)
    return (actual, keys) => pattern(keys)?.matches(actual) === true
  },
}

/** Compares the six parts of an ARN one by one. A star does not match across a colon, except in the last part. */
const arnLike: ConditionOperator = {
  ...onText(anything, (value) => value === '*' || arnParts(value).length === arnPartsCount),
  prepare: (wanted) => {
    const pattern = preparedBy(wanted, arnPattern)
    return (actual, keys) => pattern(keys)?.(actual) === true
  },
}

const arnPartsCount = 6

function arnPattern(pattern: Pattern): (actual: string) => boolean {
  if (pattern === '*') return anything
  const patterns = arnParts(pattern).map(compileWildcard)
  return (actual) => {
    const parts = arnParts(actual)
    return parts.length === arnPartsCount && parts.every((part, at) => patterns[at]?.matches(part.join('')) === true)
  }
}

function arnParts(units: Iterable<string>): readonly (readonly string[])[] {
  const parts: string[][] = [[]]
  for (const unit of units) {
    if (unit === ':' && parts.length < arnPartsCount) parts.push([])
    else parts.at(-1)?.push(unit)
  }
  return parts
}

const equals = onText((actual, wanted) => actual === wanted)
const equalsIgnoreCase = onText((actual, wanted) => actual.toLowerCase() === wanted.toLowerCase())
const numericEquals = numeric((actual, wanted) => actual === wanted)
const dateEquals = date((actual, wanted) => actual === wanted)
const ipAddress: ConditionOperator = {
  negated: false,
  takesVariables: false,
  accepts: (value) => parseIpRange(value) !== undefined,
  prepare: (wanted) => {
    const range = typeof wanted === 'string' ? parseIpRange(wanted) : undefined
    return range === undefined ? () => false : rangeTest(range)
  },
}
const truth = /^(?:true|false)$/i

/** Operators by their IAM names. `Null` tests whether a key is present, and is evaluated elsewhere. */
export const conditionOperators: ReadonlyMap<string, ConditionOperator> = new Map<string, ConditionOperator>([
  ['StringEquals', equals],
  ['StringNotEquals', not(equals)],
  ['StringEqualsIgnoreCase', equalsIgnoreCase],
  ['StringNotEqualsIgnoreCase', not(equalsIgnoreCase)],
  ['StringLike', like],
  ['StringNotLike', not(like)],
  ['NumericEquals', numericEquals],
  ['NumericNotEquals', not(numericEquals)],
  ['NumericLessThan', numeric((actual, wanted) => actual < wanted)],
  ['NumericLessThanEquals', numeric((actual, wanted) => actual <= wanted)],
  ['NumericGreaterThan', numeric((actual, wanted) => actual > wanted)],
  ['NumericGreaterThanEquals', numeric((actual, wanted) => actual >= wanted)],
  ['DateEquals', dateEquals],
  ['DateNotEquals', not(dateEquals)],
  ['DateLessThan', date((actual, wanted) => actual < wanted)],
  ['DateLessThanEquals', date((actual, wanted) => actual <= wanted)],
  ['DateGreaterThan', date((actual, wanted) => actual > wanted)],
  ['DateGreaterThanEquals', date((actual, wanted) => actual >= wanted)],
  [
    'Bool',
    onValues(
      (actual, wanted) => actual.toLowerCase() === wanted.toLowerCase(),
      (value) => truth.test(value),
    ),
  ],
  [
    'BinaryEquals',
    onValues(
      (actual, wanted) => actual === wanted,
      (value) => base64.test(value),
    ),
  ],
  ['IpAddress', ipAddress],
  ['NotIpAddress', not(ipAddress)],
  ['ArnEquals', arnLike],
  ['ArnLike', arnLike],
  ['ArnNotEquals', not(arnLike)],
  ['ArnNotLike', not(arnLike)],
  ['Null', onValues(anything, (value) => truth.test(value))],
])
