import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { sharedRuns } from './shared-runs.ts'

describe('calls that share runs', () => {
  it('get a run that began after them, one for all that wait', async () => {
    const ends: (() => void)[] = []
    const run = sharedRuns(() => new Promise((resolve) => ends.push(resolve)))
    const first = [run(), run()]
    await setImmediate()
    expect(ends).toHaveLength(1)
    const later = [run(), run(), run()]
    await setImmediate()
    expect(ends).toHaveLength(1)
    ends[0]?.()
    await Promise.all(first)
    await setImmediate()
    expect(ends).toHaveLength(2)
    ends[1]?.()
    await Promise.all(later)
  })

  it('fail with their run, and the next call runs again', async () => {
    let runs = 0
    const run = sharedRuns(async () => {
      runs++
      if (runs === 1) throw new Error('the first')
    })
    const outcomes = await Promise.allSettled([run(), run()])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await run()
    expect(runs).toBe(2)
  })
})
