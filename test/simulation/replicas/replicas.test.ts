import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { logBugs } from '../segment-log/log-bugs.ts'
import { plantedBugs } from '../planted-bugs.ts'
import { segmentBugs } from '../segment-bugs.ts'
import { sharingBugs } from '../sharing-bugs.ts'
import { huntReplicas, type huntReplicas as Hunter } from './hunt-replicas.ts'
import { replicaBugs } from './replica-bugs.ts'

const statesMax = 60_000
const first = plantedBugs.length + segmentBugs.length + logBugs.length + sharingBugs.length

describe('stores that write one replica', () => {
  it('always leave one that restores to the log of one of them, with all that they counted as written, and nothing erased', async () => {
    const { failure, states, confirmed, joined, erased, compared } = await huntReplicas(4000)
    expect(failure).toBeUndefined()
    expect(states).toBeGreaterThanOrEqual(4000)
    expect(confirmed).toBeGreaterThan(30)
    expect(joined).toBeGreaterThan(0)
    expect(erased).toBeGreaterThan(0)
    expect(compared).toBeGreaterThan(0)
  }, 120_000)
})

describe('the schedules of replicas find', () => {
  for (const [number, bug] of replicaBugs.entries()) {
    it(bug.name, async () => {
      const planted = `${fileURLToPath(new URL('hunt-replicas.ts', import.meta.url))}?planted=${first + number}`
      const hunt = (await import(/* @vite-ignore */ planted)) as { readonly huntReplicas: typeof Hunter }
      const { failure, states } = await hunt.huntReplicas(statesMax, bug.firstSeed)
      expect(failure, `survived ${states} states`).toBeDefined()
      console.log(`${bug.name}: ${states} states; ${failure?.slice(0, 150)}`)
    }, 300_000)
  }
})
