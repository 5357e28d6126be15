/** Runs scenarios through two engines until one fails: for bugs that are planted. */
import fc from 'fast-check'
import type { PlantedBug } from './planted-bugs.ts'
import { runScenario, setStage } from '../model/run-scenario.ts'
import { scenarios } from '../model/scenarios.ts'

export interface Hunted {
  /** The first failure, if any. */
  readonly failure: string | undefined
  readonly schedules: number
}

/** At most `schedulesMax` schedules of each scenario in which the bug can show. */
export async function huntSharing(bug: PlantedBug, schedulesMax: number): Promise<Hunted> {
  let schedules = 0
  for (const scenario of scenarios.filter(({ title }) => bug.scenarios.includes(title))) {
    const stage = await setStage(scenario)
    const property = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      schedules++
      await runScenario(stage, scheduler, 2)
    })
    const details = await fc.check(property, { numRuns: schedulesMax, seed: 1, endOnFailure: true })
    if (details.failed) return { failure: `${scenario.title}: ${String(details.errorInstance)}`, schedules }
  }
  return { failure: undefined, schedules }
}
