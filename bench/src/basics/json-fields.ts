/** Parses JSON from outside field by field. It does not trust the content. */
import { UsageError } from './usage-error.ts'

export type Fields = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Errors name the JSON as `what`, here and below. @throws UsageError */
export function parseJson(what: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${what} is not JSON: ${(error as Error).message}`)
  }
}

/** @throws UsageError */
export function fieldsOf(what: string, value: unknown): Fields {
  if (isObject(value)) return value
  throw wrong(what, 'is no JSON object')
}

export const wrong = (what: string, why: string): UsageError => new UsageError(`${what} ${why}.`)
