/** Answers of the control API have what the store has, however long that is: only a whole answer is bounded, by who reads it. */
import { schema } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { controlRows } from './table.ts'

/** Longer than a text of a caller may be. */
const long = 'x'.repeat(100_000)
/** More than a caller may name. */
const names = 20_000

/** A value of this shape whose texts are long, and whose records have many names. */
function sampleOf(shape: schema.JsonSchema = {}): unknown {
  const {
    type,
    anyOf,
    enum: words,
    format,
    maxLength,
    properties,
    items,
  } = shape as {
    readonly type?: string
    readonly anyOf?: readonly schema.JsonSchema[]
    readonly enum?: readonly unknown[]
    readonly format?: string
    readonly maxLength?: number
    readonly properties?: Readonly<Record<string, schema.JsonSchema>>
    readonly items?: schema.JsonSchema
    readonly additionalProperties?: schema.JsonSchema
  }
  if (words !== undefined) return words[0]
  if (anyOf !== undefined) return sampleOf(anyOf.find((one) => one['type'] === 'string') ?? anyOf[0])
  switch (type) {
    case 'string':
      return format === undefined && maxLength === undefined ? long : '2026-01-01T00:00:00.000Z'
    case 'integer':
    case 'number':
      return Number(shape['minimum'] ?? 1)
    case 'boolean':
      return true
    case 'array':
      return [sampleOf(items)]
    case 'object':
      return properties === undefined
        ? Object.fromEntries(
            Array.from({ length: names }, (_, i) => [
              `n${i}`,
              sampleOf(shape['additionalProperties'] as schema.JsonSchema),
            ]),
          )
        : Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, sampleOf(field)]))
    default:
      return null
  }
}

const isTooMuch = (error: unknown): boolean =>
  error instanceof schema.Mismatch && error.problem.includes(' and may have ')

describe('an answer of the control API', () => {
  it.each(controlRows.map((row) => [row.name, row] as const))('has texts of any length: %s', (_name, { output }) => {
    const sample = sampleOf(output.json)
    let refusal: unknown
    try {
      output.read(sample, schema.answerBounds)
    } catch (error) {
      refusal = error
    }
    expect(isTooMuch(refusal), String(refusal)).toBe(false)
  })
})
