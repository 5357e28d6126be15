import { describe, expect, it } from 'vitest'
import { randomIds } from './random-ids.ts'
import { systemClock } from './system-clock.ts'

describe('the system', () => {
  it('gives the time in milliseconds', () => {
    const before = Date.now()
    const now = systemClock.now()
    expect(now).toBeGreaterThanOrEqual(before)
    expect(now).toBeLessThanOrEqual(Date.now())
  })

  it('makes ids of 32 hex digits that do not repeat', () => {
    const ids = Array.from({ length: 1000 }, () => randomIds.next())
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/)
    expect(new Set(ids).size).toBe(1000)
    const firstDigits = new Set(ids.map((id) => id[0]))
    expect(firstDigits.size).toBe(16)
  })
})
