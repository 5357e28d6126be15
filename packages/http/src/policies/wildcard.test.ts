import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { turn } from '../turns/turn.ts'
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

  it('agrees with the plain definition where pieces are long and hold question marks and pairs of surrogates', () => {
    const units = fc.constantFrom('a', 'b', '😀')
    const piece = fc.string({ unit: fc.oneof(units, fc.constant('?')), minLength: 30, maxLength: 70 })
    const shape = fc.tuple(piece, fc.string({ unit: units, maxLength: 5 }), fc.boolean(), fc.nat(69))
    fc.assert(
      fc.property(shape, ([found, around, isChanged, place]) => {
        const points = Array.from(found, (point) => (point === '?' ? 'b' : point))
        if (isChanged) points[place % points.length] = 'c'
        const text = `${around}${points.join('')}${around}`
        const fits = !isChanged || Array.from(found)[place % points.length] === '?'
        expect(matchesWildcard(`*${found}*`, text)).toBe(fits)
        expect(matchesWildcard(`${around}${found}*`, text)).toBe(fits)
        expect(matchesWildcard(`*${found}${around}`, text)).toBe(fits)
      }),
      { numRuns: 1000, seed: 20260602 },
    )
  })

  it('takes a few looks at each character of both, on the worst of patterns too', () => {
    const unit = fc.constantFrom('a', 'aa', 'ab', '?', '*', '*a', 'a*', '?a', '*?')
    const repeated = fc.tuple(fc.array(unit, { minLength: 1, maxLength: 4 }), fc.nat(300), unit)
    const spent = vi.spyOn(turn, 'spend')
    const stepsOf = (pattern: string, text: string): number => {
      spent.mockClear()
      matchesWildcard(pattern, text)
      return spent.mock.calls.reduce((sum, [steps]) => sum + steps, 0)
    }
    fc.assert(
      fc.property(repeated, fc.nat(1024), ([units, times, last], length) => {
        const pattern = `${units.join('').repeat(times)}${last}b`
        const words = pattern.includes('?') ? pattern.length / 32 + 4 : 4
        expect(stepsOf(pattern, 'a'.repeat(length))).toBeLessThan(words * (length + pattern.length + 10))
      }),
      { numRuns: 2000, seed: 20260603 },
    )
    spent.mockRestore()
  })
})

function byDefinition(pattern: string, text: string): boolean {
  if (pattern === '') return text === ''
  const rest = pattern.slice(1)
  if (pattern[0] === '*') return byDefinition(rest, text) || (text !== '' && byDefinition(pattern, text.slice(1)))
  return text !== '' && (pattern[0] === '?' || pattern[0] === text[0]) && byDefinition(rest, text.slice(1))
}
