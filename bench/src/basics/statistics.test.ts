import { describe, expect, it } from 'vitest'
import { medianInterval, overlap, percentilesOf, ratioOf, spreadOf, spreadOfSome } from './statistics.ts'

describe('spreadOf', () => {
  it('has the middle, or the mean of the two in the middle', () => {
    expect(spreadOf([5, 1, 3])).toEqual({ median: 3, min: 1, max: 5 })
    expect(spreadOf([4, 1, 3, 2])).toEqual({ median: 2.5, min: 1, max: 4 })
  })

  it('refuses to invent the middle of nothing', () => {
    expect(() => spreadOf([])).toThrow(RangeError)
    expect(spreadOfSome([undefined, undefined])).toBeUndefined()
    expect(spreadOfSome([undefined, 2])).toEqual({ median: 2, min: 2, max: 2 })
  })
})

describe('ratioOf', () => {
  it('is the median of the ratios of rounds, not the ratio of medians', () => {
    // A slow machine in the second round slows both down.
    expect(ratioOf([10, 1, 30], [5, 0.5, 10])).toEqual({ median: 2, min: 2, max: 3 })
  })

  it('leaves out rounds without a floor', () => {
    expect(ratioOf([1, 2], [0])).toBeUndefined()
  })
})

describe('percentilesOf', () => {
  it('goes by nearest rank', () => {
    const values = Float64Array.from({ length: 100 }, (_, i) => 100 - i)
    expect(percentilesOf(values)).toEqual({ p50: 50, p95: 95, p99: 99, max: 100 })
    expect(percentilesOf(Float64Array.of(7))).toEqual({ p50: 7, p95: 7, p99: 7, max: 7 })
    expect(percentilesOf(new Float64Array(0))).toEqual({ p50: 0, p95: 0, p99: 0, max: 0 })
  })
})

describe('overlap', () => {
  const from = (min: number, max: number) => ({ median: min, min, max })

  it.each([
    [from(1, 3), from(2, 4), true],
    [from(1, 2), from(2, 3), true],
    [from(1, 2), from(3, 4), false],
  ])('of %j and %j is %s', (a, b, expected) => {
    expect([overlap(a, b), overlap(b, a)]).toEqual([expected, expected])
  })
})

describe('medianInterval', () => {
  const to = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

  it('has the ranks of the sign test at 95 %', () => {
    // Tables of the sign test: 2 and 8 of 9, 4 and 12 of 15, 10 and 22 of 31.
    expect(medianInterval(to(9))).toEqual({ min: 2, max: 8 })
    expect(medianInterval(to(15).reverse())).toEqual({ min: 4, max: 12 })
    expect(medianInterval(to(31))).toEqual({ min: 10, max: 22 })
  })

  it('is all values where there are too few', () => {
    expect(medianInterval([3, 1, 2])).toEqual({ min: 1, max: 3 })
  })
})
