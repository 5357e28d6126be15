import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Slice } from './density.ts'
import { momentAt, nextPlace, placeOf, positionAt } from './places.ts'

/** Slices with these numbers of events, after `before` events. */
function slicesOf(counts: readonly number[], before = 0): readonly Slice[] {
  let last = before
  return counts.map((events, index) => {
    last += events
    return { from: String(index), until: String(index + 1), last, events, matching: events }
  })
}

const counts = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 20 })

describe('the places of a timeline', () => {
  it('lead from the end to the start, one by one, and back, however the events are spread', () => {
    fc.assert(
      fc.property(counts, fc.nat({ max: 5 }), (all, before) => {
        const slices = slicesOf(all, before)
        const [first, last] = [positionAt(slices, 0), positionAt(slices, slices.length)]
        const filled = all.filter((count) => count > 0).length
        for (const direction of [-1, 1] as const) {
          let position = direction === -1 ? last : first
          for (let steps = 0; steps < filled; steps++) {
            const place = nextPlace(slices, position, direction)
            expect((positionAt(slices, place) - position) * direction).toBeGreaterThan(0)
            position = positionAt(slices, place)
            expect(positionAt(slices, placeOf(slices, position))).toBe(position)
          }
          expect(position).toBe(direction === -1 ? first : last)
        }
      }),
    )
  })

  it('end now only where the chart ends now', () => {
    const slices = slicesOf([2, 0, 3, 0])
    expect([0, 1, 2, 3, 4].map((place) => momentAt(slices, place, true))).toEqual(['0', '2', '2', undefined, undefined])
    expect(momentAt(slices, 4, false)).toBe('5')
  })
})
