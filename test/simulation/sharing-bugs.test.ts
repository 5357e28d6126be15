/** The schedules of two engines are worth what they find: every planted bug must be found. */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { logBugs } from './segment-log/log-bugs.ts'
import { plantedBugs } from './planted-bugs.ts'
import { segmentBugs } from './segment-bugs.ts'
import type { huntSharing as Hunter } from './hunt-sharing.ts'
import { sharingBugs } from './sharing-bugs.ts'

const schedulesMax = 2000
const first = plantedBugs.length + segmentBugs.length + logBugs.length

describe('the schedules of two engines on one journal find', () => {
  for (const [number, bug] of sharingBugs.entries()) {
    it(bug.name, async () => {
      const planted = `${fileURLToPath(new URL('hunt-sharing.ts', import.meta.url))}?planted=${first + number}`
      const { huntSharing } = (await import(/* @vite-ignore */ planted)) as { readonly huntSharing: typeof Hunter }
      const { failure, schedules } = await huntSharing(bug, schedulesMax)
      expect(failure, `survived ${schedules} schedules`).toBeDefined()
      console.log(`${bug.name}: ${schedules} schedules; ${failure?.slice(0, 200)}`)
    }, 120_000)
  }
})
