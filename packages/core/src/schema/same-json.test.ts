import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isJson, isSameJson } from './same-json.ts'

/** What a caller without types may hand over. */
const anything = fc.anything({
  withBigInt: false,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
  withUnicodeString: true,
})

const asRead = (value: unknown): unknown => {
  const text: string | undefined = JSON.stringify(value)
  return text === undefined ? undefined : JSON.parse(text)
}

describe('a value that is JSON', () => {
  it('comes back the same, whatever it is', () => {
    fc.assert(
      fc.property(anything, (value) => {
        if (isJson(value)) expect(isSameJson(value, asRead(value))).toBe(true)
      }),
      { numRuns: 20_000 },
    )
  })

  it('is distinguished from values that JSON changes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const kept = Object.is(asRead(value), value) || typeof value !== 'number'
        if (kept && !JSON.stringify(value).includes('-0')) expect(isJson(asRead(value))).toBe(true)
      }),
    )
    for (const value of [
      Number.NaN,
      -0,
      Infinity,
      new Date(),
      new Map(),
      [undefined],
      { toJSON: () => 1 },
      { a: 1n },
    ]) {
      expect(isJson(value)).toBe(false)
    }
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
    expect(isJson({ a: undefined })).toBe(true)
  })
})
