import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatIsoTime, parseIsoTime } from './iso-time.ts'

describe('formatIsoTime', () => {
  it('writes every time as `toISOString` does', () => {
    const anyDate = fc.oneof(
      fc.date({ noInvalidDate: true }),
      fc.date({ min: new Date(0), max: new Date(3e12), noInvalidDate: true }),
    )
    fc.assert(
      fc.property(fc.array(anyDate, { minLength: 1 }), (dates) => {
        for (const date of dates) expect(formatIsoTime(date)).toBe(date.toISOString())
      }),
    )
  })

  it('writes both sides of midnight, and years beyond four digits', () => {
    for (const ms of [86_399_999, 86_400_000, -1, 0, 253_402_300_800_000, 8.64e15]) {
      expect(formatIsoTime(new Date(ms))).toBe(new Date(ms).toISOString())
    }
  })

  it('refuses what is no time, as often as it comes', () => {
    const none = new Date(Number.NaN)
    expect(() => formatIsoTime(none)).toThrow(RangeError)
    expect(() => formatIsoTime(none)).toThrow(RangeError)
  })

  it('writes what is read back', () => {
    expect(parseIsoTime(formatIsoTime(new Date(1_790_000_000_123)))).toBe(1_790_000_000_123)
  })
})
