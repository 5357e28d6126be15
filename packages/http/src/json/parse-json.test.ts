import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonDepthMax, JsonTooDeep, parseJson } from './parse-json.ts'

const nested = (levels: number, open: string, close: string, inner = '1'): string =>
  `${open.repeat(levels)}${inner}${close.repeat(levels)}`

const sources = join(import.meta.dirname, '../../..')

describe('JSON from outside', () => {
  it('is parsed here also for the policies of identities and the messages of agents', async () => {
    const found: string[] = []
    for (const folder of ['varve/src/identities', 'varve/src/mcp']) {
      for (const name of await readdir(join(sources, folder), { recursive: true })) {
        if (!name.endsWith('.ts') || /\.(test|fixture)\.ts$/.test(name)) continue
        const text = await readFile(join(sources, folder, name), 'utf8')
        if (text.includes('JSON.parse(')) found.push(name)
      }
    }
    // Policies of the log, which were checked before they were written.
    expect(found).toEqual(['managed-identities.ts'])
  })
})

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

  it.each([
    ['{"Effect":"Deny","Effect":"Allow"}'],
    ['{"Effect":"Deny","\\u0045ffect":"Allow"}'],
    ['{"a":1 , "b":{"c":[{"d":1,"e":2,"d" \t\n:3}]}}'],
    ['[{"":1,"":2}]'],
    ['{"__proto__":1,"__proto__":2}'],
  ])('refuses a name that an object has twice: %s', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError)
  })

  it.each([
    ['{"a":{"a":{"a":1}}}'],
    ['[{"a":1},{"a":1}]'],
    ['{"a":"a","b":"a","A":["a","a"]}'],
    ['{"a":"\\":","b":"\\":"}'],
    ['{"a":1,"a ":2}'],
  ])('takes a name again in another object, and texts that are alike: %s', (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text))
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
