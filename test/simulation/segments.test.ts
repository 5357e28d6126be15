import { describe, expect, it } from 'vitest'
import { huntSegments } from './explore-segments.ts'

describe('blobs in segments', () => {
  it('are all or nothing wherever the power is cut, and whatever effect fails', async () => {
    const { problems, tally } = await huntSegments({ seed: 1, states: 500, faults: 20 })
    expect(problems).toEqual([])
    console.log(`${tally.states} states, ${tally.audits} audited, of ${tally.runs} runs`)
  }, 120_000)
})
