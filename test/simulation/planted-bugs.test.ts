/** The simulator is worth what it finds: every planted bug must be found, in no more than so many states. */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { hunt as Hunter } from './hunt.ts'
import { plantedBugs } from './planted-bugs.ts'

const statesMax = 100_000
/** One in three shows that the search is awake; all of them with VARVE_PLANTED=long. */
const every = process.env['VARVE_PLANTED'] === 'long' ? 1 : 5

describe('the simulator finds', () => {
  for (const [number, bug] of [...plantedBugs.entries()].filter(([n]) => n % every === 0)) {
    it(bug.name, async () => {
      const planted = `${fileURLToPath(new URL('hunt.ts', import.meta.url))}?planted=${number}`
      const { hunt } = (await import(/* @vite-ignore */ planted)) as { readonly hunt: typeof Hunter }
      const { failure, tally } = await hunt(bug, statesMax)
      expect(failure, `survived ${tally.states} states`).toBeDefined()
      console.log(`${bug.name}: ${tally.states} states; ${failure?.replay}; ${failure?.problems[0]}`)
    }, 120_000)
  }
})
