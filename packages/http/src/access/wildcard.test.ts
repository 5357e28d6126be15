import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesWildcard } from './wildcard.ts'

describe('wildcards', () => {
  it.each([
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['*', 'a/b', true],
    ['?', '', false],
    ['?', 'a', true],
    ['?', '😀', true],
    ['??', '😀', false],
    ['*??', '😀', false],
    ['a?c', 'a/c', true],
    ['a*', 'b', false],
    ['a*c', 'abbbc', true],
    ['a*c', 'abbbcd', false],
    ['a*b*c', 'aXbYbZc', true],
    ['*a', 'aaab', false],
    ['**', 'x', true],
    ['a**b', 'ab', true],
    ['photos/*.jpg', 'photos/2020/a.jpg', true],
    ['photos/*.jpg', 'photosX2020/a.jpg', false],
    ['a.c', 'abc', false],
    ['[ab]', 'a', false],
    ['(a+)+$', '(a+)+$', true],
    ['\\*', '\\anything', true],
    ['A', 'a', false],
    ['*?', '', false],
    ['?*', 'a', true],
  ])('%j matches %j: %s', (pattern, text, matches) => {
    expect(matchesWildcard(pattern, text)).toBe(matches)
  })

  it('agrees with the plain definition', () => {
    const short = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 })
    fc.assert(
      fc.property(short, fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 8 }), (pattern, text) => {
        expect(matchesWildcard(pattern, text)).toBe(byDefinition(pattern, text))
      }),
      { numRuns: 5000, seed: 20260601 },
    )
  })

  it('stays within the product of the lengths on the worst of patterns', () => {
    const start = performance.now()
    expect(matchesWildcard(`${'*a'.repeat(1000)}b`, 'a'.repeat(1024))).toBe(false)
    expect(matchesWildcard(`*${'a'.repeat(1000)}b`, 'a'.repeat(2048))).toBe(false)
    expect(performance.now() - start).toBeLessThan(500)
  })
})

function byDefinition(pattern: string, text: string): boolean {
  if (pattern === '') return text === ''
  const rest = pattern.slice(1)
  if (pattern[0] === '*') return byDefinition(rest, text) || (text !== '' && byDefinition(pattern, text.slice(1)))
  return text !== '' && (pattern[0] === '?' || pattern[0] === text[0]) && byDefinition(rest, text.slice(1))
}
