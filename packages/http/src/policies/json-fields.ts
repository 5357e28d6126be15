/**
 * Reads JSON that people wrote by hand: reads named fields, refuses all others, and names the place of an error.
 * Messages contain the place and the rule, never the value: a value may be a secret in the wrong field.
 */

import { StorageError } from '@varve/core'

export type JsonObject = ReadonlyMap<string, unknown>

/** An `InvalidArgument` that names the place: `identities[2].accessKeyId must be a string`. */
export function invalid(place: string, rule: string): StorageError {
  return new StorageError('InvalidArgument', `${place} ${rule}.`, { details: { place } })
}

/** @throws InvalidArgument when `value` is not an object or has a field that is not among `known` */
export function objectFields(value: unknown, place: string, known: readonly string[]): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(place, 'must be an object')
  const fields = new Map<string, unknown>(Object.entries(value))
  for (const name of fields.keys()) {
    if (!known.includes(name)) throw invalid(place, `has an unknown field; known are ${known.join(', ')}`)
  }
  return fields
}

/** @throws InvalidArgument when `value` is no array, is empty, or has more than `max` items */
export function arrayOf(value: unknown, place: string, max: number): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(place, 'must be an array')
  if (value.length === 0) throw invalid(place, 'must not be empty')
  if (value.length > max) throw invalid(place, `must not have more than ${max} items`)
  return value
}

/** A string from a list of strings, or one alone. @throws InvalidArgument */
export function strings(value: unknown, place: string, max: number): readonly string[] {
  const list = typeof value === 'string' ? [value] : arrayOf(value, place, max)
  return list.map((item, index) => {
    if (typeof item !== 'string') throw invalid(`${place}[${index}]`, 'must be a string')
    return item
  })
}
