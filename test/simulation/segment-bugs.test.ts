/** The crashes of segments are worth what they find: every planted bug must be found. */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { huntSegments as Hunter } from './explore-segments.ts'
import { plantedBugs } from './planted-bugs.ts'
import { segmentBugs } from './segment-bugs.ts'

const statesMax = 20_000
const faultsMax = 200
/** One in four is enough to see that the search is awake; all of them with VARVE_SEGMENTS=long. */
const every = process.env['VARVE_SEGMENTS'] === 'long' ? 1 : 4

describe('the crashes of segments find', () => {
  for (const [number, { name, faults }] of [...segmentBugs.entries()].filter(([n]) => (n + 3) % every === 0)) {
    it(name, async () => {
      const planted = `${fileURLToPath(new URL('explore-segments.ts', import.meta.url))}?planted=${plantedBugs.length + number}`
      const { huntSegments } = (await import(/* @vite-ignore */ planted)) as { readonly huntSegments: typeof Hunter }
      const kind = faults === undefined ? { states: statesMax, faults: 0 } : { states: 0, faults: faultsMax }
      const { problems, tally } = await huntSegments({ seed: 1, ...kind, operation: faults?.operation })
      expect(problems, `survived ${tally.states} states`).not.toEqual([])
      console.log(`${name}: ${tally.states} states, ${tally.runs} runs; ${problems[1] ?? problems[0]}`)
    }, 300_000)
  }
})
