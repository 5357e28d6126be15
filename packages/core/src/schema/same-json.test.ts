import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSameJson } from './same-json.ts'

describe('a value that was parsed from JSON', () => {
  it('is the same as one that JSON does not change', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const read: unknown = JSON.parse(JSON.stringify(value))
        expect(isSameJson(read, JSON.parse(JSON.stringify(value)))).toBe(true)
        expect(isSameJson({ read }, { read, more: 1 })).toBe(false)
      }),
    )
  })

  it.each([
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ a: 1, b: 1 }, { a: 1 }],
    [{ a: [] }, { a: {} }],
    [{ a: {} }, { a: [] }],
    [[1], [1, 2]],
    [{ a: Number.NaN }, { a: null }],
    [{ a: -0 }, { a: 0 }],
    [{ a: new Date(0) }, { a: '1970-01-01T00:00:00.000Z' }],
    [new Map(), {}],
  ])('%j is not %j', (meant, read) => {
    expect(isSameJson(meant, read)).toBe(false)
  })

  it('has no field that is undefined', () => {
    expect(isSameJson({ a: undefined, b: { c: undefined } }, { b: {} })).toBe(true)
  })
})
