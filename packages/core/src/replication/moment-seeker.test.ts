import { describe, expect, it } from 'vitest'
import type { RecordedEvent } from '../events/index.ts'
import { MomentSeeker } from './moment-seeker.ts'

const now = Date.parse('2026-08-01T12:00:00Z')
const hour = 3_600_000

/** The position of a time in a log whose events have these times. */
function positionOf(time: number, times: readonly number[]): number {
  const seeker = new MomentSeeker(new Date(time), now)
  for (const [index, at] of times.entries()) seeker.take({ seq: index + 1, at, type: 'BucketCreated' } as RecordedEvent)
  return seeker.position()
}

describe('the position of a time', () => {
  it('is that of the last event at this time or before', () => {
    expect(positionOf(now, [now - 2 * hour, now - hour])).toBe(2)
    expect(positionOf(now - 2 * hour, [now - 2 * hour, now - hour])).toBe(1)
  })

  it('is refused in the future', () => {
    expect(() => positionOf(now + 1, [now - hour])).toThrow('is in the future')
  })

  it('may be in the future up to the last event, which a clock that ran fast wrote', () => {
    expect(positionOf(now + 2 * hour, [now, now + hour, now + 2 * hour])).toBe(3)
    expect(positionOf(now + hour, [now, now + hour, now + 2 * hour])).toBe(2)
    expect(() => positionOf(now + 3 * hour, [now, now + 2 * hour])).toThrow('is in the future')
  })
})
