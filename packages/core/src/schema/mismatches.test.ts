import { describe, expect, it } from 'vitest'
import { codeOf } from '../api/answers.fixture.ts'
import { memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import { checked, type Schema } from './schema.ts'
import { date, integer, literal } from './scalars.ts'
import { object, optional, tagged } from './structures.ts'

const problemOf = (schema: Schema<never>, value: unknown): string => {
  try {
    checked('it', schema, value)
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

const status = literal('Enabled', 'Suspended')
const range = object<{ start: number; end?: number }>({ start: integer(), end: optional(integer()) })
const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`Get${i}`, range]))

describe('a wrong value', () => {
  it.each([
    ['a word', status, 'enabled', 'it must be one of Enabled, Suspended, not "enabled"; did you mean Enabled?'],
    ['another word', status, 'Off', 'it must be one of Enabled, Suspended, not "Off".'],
    ['a long text', status, 'x'.repeat(500), `it must be one of Enabled, Suspended, not "${'x'.repeat(40)}".`],
    ['no word', status, 5, 'it must be one of Enabled, Suspended, not the number 5.'],
    ['no time', date, new Date(Number.NaN), 'it must be a valid Date.'],
    ['a list', range, [0, 10], 'it must be an object with start, end, not an array.'],
    ['a field', range, { strat: 0 }, 'it has no option "strat"; did you mean start?'],
    ['another field', range, { offset: 0 }, 'it has no option "offset"; there are start, end.'],
    [
      'one name of many',
      tagged('type' as never, many as never),
      { type: 'get-7' },
      'and 88 more, not "get-7"; did you mean Get7?',
    ],
  ])('is shown with what is right: %s', (_what, schema, value, message) => {
    expect(problemOf(schema as unknown as Schema<never>, value)).toContain(message)
  })

  it('of an option of a store is shown in the same way', async () => {
    const store = await openEngine(memoryPorts())
    await store.buckets.create('box')
    const wrong = store.buckets.setVersioning('box', 'enabled' as never)
    await expect(wrong).rejects.toThrow(
      'status must be one of Enabled, Suspended, not "enabled"; did you mean Enabled?',
    )
    const moment = store.at(new Date(Number.NaN))
    await expect(moment).rejects.toThrow('not an invalid Date')
    expect(await codeOf(moment)).toBe('InvalidArgument')
  })
})
