/** Checks values against the part of JSON Schema that the descriptions of schemas use. */
import type { schema } from '@varve/core'

type JsonSchema = schema.JsonSchema

/** What is wrong with a value, each with its place. */
export function problemsOf(shape: JsonSchema, value: unknown, place = '$'): readonly string[] {
  const {
    type,
    anyOf,
    enum: words,
  } = shape as { type?: string; anyOf?: readonly JsonSchema[]; enum?: readonly unknown[] }
  if (anyOf !== undefined) {
    return anyOf.some((one) => problemsOf(one, value).length === 0) ? [] : [`${place} is none of ${anyOf.length} kinds`]
  }
  if (words !== undefined) return words.includes(value) ? [] : [`${place} is not one of ${words.join(', ')}`]
  if (type === undefined) return []
  if (!isOfType(type, value)) return [`${place} is no ${type}`]
  if (type === 'array') {
    return (value as readonly unknown[]).flatMap((one, i) =>
      problemsOf(shape['items'] as JsonSchema, one, `${place}[${i}]`),
    )
  }
  return type === 'object' ? problemsOfFields(shape, value as Readonly<Record<string, unknown>>, place) : []
}

function problemsOfFields(
  shape: JsonSchema,
  value: Readonly<Record<string, unknown>>,
  place: string,
): readonly string[] {
  const {
    properties = {},
    required = [],
    additionalProperties = {},
  } = shape as {
    properties?: Readonly<Record<string, JsonSchema>>
    required?: readonly string[]
    additionalProperties?: JsonSchema | false
  }
  const missing = required.filter((name) => !(name in value)).map((name) => `${place}.${name} is missing`)
  const wrong = Object.entries(value).flatMap(([name, field]) => {
    const known = properties[name] ?? additionalProperties
    return known === false ? [`${place}.${name} is unknown`] : problemsOf(known, field, `${place}.${name}`)
  })
  return [...missing, ...wrong]
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}
