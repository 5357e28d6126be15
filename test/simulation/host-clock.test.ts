/** A run must not depend on how fast the host is: then a fault planned in one run would strike something else in the next. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Run } from './run.ts'
import { randomScenario, scenarios } from './scenario.ts'
import { LogRun } from './segment-log/log-run.ts'
import { SegmentRun } from './segment-run.ts'

afterEach(() => vi.restoreAllMocks())

/** A host on which an hour passes between two looks at a clock. */
function slowHost(): void {
  let looks = 0
  vi.spyOn(performance, 'now').mockImplementation(() => ++looks * 3_600_000)
  vi.spyOn(Date, 'now').mockImplementation(() => ++looks * 3_600_000)
}

describe('a run on a slow host', () => {
  for (const scenario of [...scenarios, randomScenario(1)]) {
    it(`is the same as on a fast one: ${scenario.name}`, async () => {
      const fast = await Run.of({ scenario, seed: 1 })
      slowHost()
      const slow = await Run.of({ scenario, seed: 1 })
      expect(slow.world.trace).toEqual(fast.world.trace)
      expect(slow.operations).toEqual(fast.operations)
    })
  }

  it.each([
    ['blobs in segments', () => SegmentRun.of({ seed: 1, clients: 3, rounds: 8 })],
    ['a segment log', () => LogRun.of({ seed: 1 })],
  ])('is the same as on a fast one: %s', async (_, live) => {
    const fast = await live()
    slowHost()
    expect((await live()).world.trace).toEqual(fast.world.trace)
  })
})
