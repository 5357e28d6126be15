/** Looks for one bug where it can show, until it is found or enough was tried. */
import { explore, type Failure, newTally, type Tally } from './explore.ts'
import type { PlantedBug } from './planted-bugs.ts'
import { Run } from './run.ts'
import { scenarios } from './scenario.ts'
import type { Fault } from './world.ts'

export interface Hunt {
  readonly failure: Failure | undefined
  readonly tally: Tally
}

export async function hunt(bug: Pick<PlantedBug, 'scenarios' | 'faults'>, statesMax: number): Promise<Hunt> {
  const tally = newTally()
  const chosen = scenarios.filter(({ name }) => bug.scenarios.includes(name))
  for (let seed = 1; tally.states < statesMax; seed++) {
    for (const scenario of chosen) {
      for (const fault of await faultsOf(bug, scenario, seed)) {
        const failure = await explore({ scenario, seed, ...(fault && { fault }) }, tally)
        if (failure !== undefined || tally.states >= statesMax) return { failure, tally }
      }
    }
  }
  return { failure: undefined, tally }
}

/** Each call of the operation fails once, in a run of its own. */
async function faultsOf(
  { faults }: Pick<PlantedBug, 'faults'>,
  scenario: (typeof scenarios)[number],
  seed: number,
): Promise<readonly (Fault | undefined)[]> {
  if (faults === undefined) return [undefined]
  const { operation, errno } = faults
  const { world } = await Run.of({ scenario, seed })
  return world.trace.flatMap((label, at) => (label.startsWith(`${operation} `) ? [world.plan(at, errno, false)] : []))
}
