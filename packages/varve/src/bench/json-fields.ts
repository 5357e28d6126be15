/** JSON that somebody wrote or brought, field by field. Nothing of it is trusted. */
import { BenchUsageError } from './plan.ts'

export type Fields = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `what` is named in the error, here as below. @throws BenchUsageError */
export function parseJson(what: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new BenchUsageError(`${what} is not JSON: ${(error as Error).message}`)
  }
}

/** @throws BenchUsageError */
export function fieldsOf(what: string, value: unknown): Fields {
  if (isObject(value)) return value
  throw wrong(what, 'is no JSON object')
}

export const wrong = (what: string, why: string): BenchUsageError => new BenchUsageError(`${what} ${why}.`)
