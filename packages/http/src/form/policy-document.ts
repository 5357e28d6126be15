/** Parses the policy of a form: its expiration, and the conditions on its fields. */

import { S3Error } from '../errors/errors.ts'
import { isSecretName, redacted } from '../contract/redaction.ts'
import { parseJson } from '../json/parse-json.ts'

export interface PolicyDocument {
  /** Milliseconds since the epoch. */
  readonly expiration: number
  readonly conditions: readonly Condition[]
}

/** `shown`: the text of the condition in the policy, for the error message. */
export type Condition =
  | { readonly kind: 'eq' | 'starts-with'; readonly name: string; readonly value: string; readonly shown: string }
  | { readonly kind: 'length'; readonly min: number; readonly max: number }
  /** A condition that no field can meet. */
  | { readonly kind: 'never'; readonly shown: string }

/**
 * Parses the policy field: JSON in base64.
 * @throws S3Error `InvalidPolicyDocument`
 */
export function parsePolicyDocument(base64: string): PolicyDocument {
  const document = parseBase64(base64)
  if (!isObject(document)) throw invalid('Invalid JSON.')
  // Names are case-sensitive here, but not in the conditions.
  const { expiration, conditions } = document
  if (expiration === undefined) throw invalid('Policy missing expiration.')
  if (conditions === undefined) throw invalid('Policy missing conditions.')
  if (!Array.isArray(conditions)) throw invalid("Invalid 'conditions' value: must be a List.")
  return { expiration: timeOf(expiration), conditions: conditions.map(conditionOf) }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseBase64(base64: string): unknown {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 0 || bytes.toString('base64') !== base64.replaceAll(/[\r\n]/g, ''))
    throw invalid('Invalid Base64.')
  try {
    return parseJson(withoutOwnEscapes(utf8.decode(bytes)))
  } catch {
    throw invalid('Invalid JSON.')
  }
}

/** Replaces escapes that S3 accepts and JSON does not have. */
function withoutOwnEscapes(text: string): string {
  return text.replace(/\\([\s\S])/g, (pair, escaped: string) => ownEscapes[escaped] ?? pair)
}

const ownEscapes: Readonly<Record<string, string>> = { $: '$', v: '\\u000b' }

function timeOf(expiration: unknown): number {
  const text = typeof expiration === 'string' ? expiration : ''
  const time = isoTime.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw invalid(`Invalid 'expiration' value: '${text}'`)
  return time
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/

function conditionOf(condition: unknown): Condition {
  if (Array.isArray(condition)) return listCondition(condition)
  const [entry, another] = isObject(condition) ? Object.entries(condition) : []
  if (entry === undefined || another !== undefined) {
    throw invalid('Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.')
  }
  const [name, value] = entry
  if (typeof value !== 'string') throw invalid('Invalid Simple-Condition: value must be a string.')
  return { kind: 'eq', name: name.toLowerCase(), value, shown: shownAs(['eq', `$${name}`, shownValue(name, value)]) }
}

function listCondition(list: readonly unknown[]): Condition {
  const [operator, first, second] = list
  const kind = typeof operator === 'string' ? operator.toLowerCase() : undefined
  if (list.length !== 3 || kind === undefined) throw invalid('Invalid Condition: wrong number of arguments.')
  if (kind === 'content-length-range') return lengthCondition(operator, first, second)
  if (kind !== 'eq' && kind !== 'starts-with') throw invalid(`Invalid Condition: unknown operation '${kind}'.`)
  if (typeof first !== 'string' || typeof second !== 'string')
    throw invalid('Invalid Condition: values must be strings.')
  if (!first.startsWith('$')) return { kind: 'never', shown: shownAs([operator, first, shownValue(first, second)]) }
  const name = first.slice(1).toLowerCase()
  return { kind, name, value: second, shown: shownAs([operator, first, shownValue(name, second)]) }
}

/** Sizes may be in quotes. A text that is not a number is a valid document, but no file meets the condition. */
function lengthCondition(...list: readonly [operator: unknown, min: unknown, max: unknown]): Condition {
  const [min, max] = [sizeOf(list[1]), sizeOf(list[2])]
  if (min === 'no number' || max === 'no number') return { kind: 'never', shown: shownAs(list) }
  return { kind: 'length', min, max }
}

function sizeOf(value: unknown): number | 'no number' {
  if (typeof value === 'string' && !/^-?\d{1,16}$/.test(value)) return 'no number'
  const size = typeof value === 'string' ? Number(value) : value
  if (typeof size === 'number' && Number.isSafeInteger(size) && size >= 0) return size
  throw invalid('Invalid content-length-range: a size is a whole number.')
}

const shownValue = (name: string, value: string): string => (isSecretName(name) ? redacted : value)

/** The condition as S3 writes it in error messages. */
function shownAs(list: readonly unknown[]): string {
  return `[${list.map((value) => JSON.stringify(value)).join(', ')}]`
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(reason: string): S3Error {
  return new S3Error('InvalidPolicyDocument', `Invalid Policy: ${reason}`)
}
