/** What finds no bug that was planted finds none that was not. */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { plantedBugs } from '../planted-bugs.ts'
import { segmentBugs } from '../segment-bugs.ts'
import type { huntLog as Hunter } from './hunt-log.ts'
import { logBugs } from './log-bugs.ts'

const livesMax = 12
const before = plantedBugs.length + segmentBugs.length

describe('the simulator finds in a segment log that', () => {
  for (const [number, bug] of logBugs.entries()) {
    it(bug.name, async () => {
      const planted = `${fileURLToPath(new URL('hunt-log.ts', import.meta.url))}?planted=${before + number}`
      const { huntLog } = (await import(/* @vite-ignore */ planted)) as { readonly huntLog: typeof Hunter }
      const { problem, tally } = await huntLog(livesMax)
      expect(problem, `survived ${tally.states} states`).toBeDefined()
      console.log(`${bug.name}: ${tally.states} states; ${problem?.slice(0, 160)}`)
    }, 120_000)
  }
})
