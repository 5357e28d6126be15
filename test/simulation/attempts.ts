/** What to try, and in which order: every short script first, then chance. */
import type { Attempt } from './explore.ts'
import { Run } from './run.ts'
import { randomScenario, scenarios } from './scenario.ts'
import type { Errno } from './world.ts'

/** Endless: the scripts with one seed, then as many random scenarios, then the scripts with the next seed. */
export function* attempts(seed: number): Generator<Attempt> {
  for (let round = 0; ; round++) {
    const number = seed + round
    for (const scenario of scenarios) {
      // Making a store is a thousand effects, which hardly depend on the seed.
      if (scenario.name !== 'create' || round % 100 === 0) yield { scenario, seed: number }
    }
    for (let i = 0; i < scenarios.length; i++) {
      const chance = number * scenarios.length + i
      yield { scenario: randomScenario(chance), seed: chance }
    }
  }
}

const errnos: readonly Errno[] = ['EIO', 'ENOSPC', 'EROFS']
/** Only what takes a file descriptor can want for one. */
const opening: ReadonlySet<string> = new Set(['open', 'create', 'readdir', 'openrows'])

/** Every effect of every script fails, once and for ever, in every way: then the machine is looked at as it ends. */
export async function* faultAttempts(seed: number): AsyncGenerator<Attempt> {
  for (const scenario of scenarios) {
    const { world } = await Run.of({ scenario, seed })
    for (let at = 0; at < world.step; at++) {
      const [operation = ''] = (world.trace[at] ?? '').split(' ')
      for (const errno of opening.has(operation) ? [...errnos, 'EMFILE' as const] : errnos) {
        for (const forever of [false, true])
          yield { scenario, seed, fault: world.plan(at, errno, forever), states: 'end' }
      }
    }
  }
}
