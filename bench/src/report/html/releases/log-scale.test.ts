import { describe, expect, it } from 'vitest'
import { logScale } from './log-scale.ts'

describe('a logarithmic scale', () => {
  it('gives the same ratio the same distance', () => {
    const { share } = logScale([10, 1000])
    expect(share(100) - share(10)).toBeCloseTo(share(1000) - share(100))
    expect(share(10)).toBeGreaterThan(0)
    expect(share(1000)).toBeLessThan(1)
  })

  it('shows a small difference as small', () => {
    const { share } = logScale([100, 101])
    expect(share(101) - share(100)).toBeLessThan(0.02)
  })

  it.each([[[1, 1]], [[95, 96]], [[0.02, 0.5]], [[3, 40_000]], [[1e6, 9e8]], [[]], [[0]]])(
    'has a few round ticks within: %j',
    (values) => {
      const { share, ticks } = logScale(values)
      expect(ticks.length).toBeGreaterThanOrEqual(3)
      expect(ticks.length).toBeLessThanOrEqual(8)
      expect(ticks.map(share).every((place) => place >= 0 && place <= 1)).toBe(true)
    },
  )

  it('puts what is not above 0 at the lower edge', () => {
    expect(logScale([0, 5]).share(0)).toBe(0)
  })
})
