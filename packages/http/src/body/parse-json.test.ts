import { describe, expect, it } from 'vitest'
import { jsonDepthMax, JsonTooDeep, parseJson } from './parse-json.ts'

const nested = (levels: number, open: string, close: string, inner = '1'): string =>
  `${open.repeat(levels)}${inner}${close.repeat(levels)}`

describe('parseJson', () => {
  it('takes as many levels as it may, and refuses one more', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      expect(() => parseJson(nested(jsonDepthMax, open, close))).not.toThrow()
      expect(() => parseJson(nested(jsonDepthMax + 1, open, close))).toThrow(SyntaxError)
    }
  })

  it('counts no brackets in strings', () => {
    const texts = ['['.repeat(1000), `\\"${'{'.repeat(1000)}`, '\\\\', `${'\\\\'.repeat(5)}\\"[`]
    for (const text of texts) {
      const json = `["${text}",{"${text}":1}]`
      expect(parseJson(json)).toEqual(JSON.parse(json))
    }
  })

  it('counts brackets after strings that end with backslashes', () => {
    expect(() => parseJson(`["\\\\",${nested(jsonDepthMax, '[', ']')}]`)).toThrow(JsonTooDeep)
    expect(() => parseJson(`["\\"",${nested(jsonDepthMax, '[', ']')}]`)).toThrow(JsonTooDeep)
  })

  it('refuses what is not JSON, quickly', () => {
    const began = performance.now()
    for (const text of ['', '"', '"\\', ']'.repeat(1000), '['.repeat(4_000_000), `"${'\\'.repeat(4_000_000)}`]) {
      expect(() => parseJson(text)).toThrow(SyntaxError)
    }
    expect(performance.now() - began).toBeLessThan(2000)
  })
})
