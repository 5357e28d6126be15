/** Clients, sweep and operator at once, in as many orders of their steps as there is time for. */
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { holds, longest } from './holds.ts'
import { runScenario, setStage } from './run-scenario.ts'
import { scenarios } from './scenarios.ts'
import { size } from './sizes.ts'

const schedules = size('VARVE_SCHEDULES', { short: 18, long: 20_000 })

describe.each([
  { through: 'one engine', engines: 1 },
  { through: 'two engines on one journal', engines: 2 },
])(`everything happens in some order through $through, under ${schedules} schedules of`, ({ engines }) => {
  for (const scenario of scenarios) {
    it(
      scenario.title,
      async () => {
        const stage = await setStage(scenario)
        const property = fc.asyncProperty(fc.scheduler(), (scheduler) => runScenario(stage, scheduler, engines))
        await holds(scenario.title, property, schedules)
      },
      longest,
    )
  }
})
