import { describe, expect, it } from 'vitest'
import { countSleep } from './count-sleep.ts'

describe('a clock that counts sleep', () => {
  it('goes on by what the machine was up and Node was not awake', () => {
    let [awake, up] = [500, 90_000]
    const clock = countSleep(
      () => awake,
      () => up,
    )
    const begin = clock()
    awake += 10_000
    up += 10_004
    expect(clock() - begin).toBe(10_000)
    up += 3_600_000
    awake += 2000
    up += 2000
    expect(clock() - begin).toBeGreaterThanOrEqual(3_612_000)
    expect(clock() - begin).toBeLessThan(3_612_100)
  })

  it('never runs backwards, whatever uptime is reported', () => {
    let [awake, up] = [0, 1000]
    const clock = countSleep(
      () => awake,
      () => up,
    )
    let last = clock()
    for (const step of [50_000, -40_000, 7, -1e9, 0, 3e6]) {
      awake += 1500
      up += step
      const now = clock()
      expect(now).toBeGreaterThanOrEqual(last)
      last = now
    }
  })

  it('is the clock of Node where there is no uptime', () => {
    let awake = 3
    const clock = countSleep(
      () => awake,
      () => {
        throw new Error('none')
      },
    )
    expect(clock()).toBe(3)
    awake += 5000
    expect(clock()).toBe(5003)
  })
})
