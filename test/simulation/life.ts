/** A machine through many lives: each ends when the power goes, and the next goes on with what is left of it. */
import { audit } from './audit.ts'
import { keeps } from './disk-image.ts'
import { countOperations, type Failure, type Tally } from './explore.ts'
import { crash } from './machine.ts'
import { randomFrom } from '../support/random.ts'
import { type Beginning, newStore, Run } from './run.ts'
import { lifeScenario } from './scenario.ts'

const livesPerMachine = 5
/** A life has about so many effects, if it is not cut short. */
const effectsPerLife = 4000

/** Lives on until `enough`; a new machine takes over from one whose log grew long. */
export async function live(seed: number, tally: Tally, enough: () => boolean): Promise<Failure | undefined> {
  for (let machine = seed; ; machine++) {
    const random = randomFrom(machine)
    let beginning: Beginning = await newStore()
    for (let life = 0; life < livesPerMachine; life++) {
      if (enough()) return undefined
      const until = random.below(effectsPerLife)
      const run = await Run.of({ scenario: lifeScenario(random, life), seed: random.below(2 ** 31), beginning, until })
      const image = crash(run.image, random.pick(keeps), random)
      tally.runs++
      tally.states++
      tally.audits++
      tally.time += run.world.now - run.began
      countOperations(run.operations.slice(beginning.operations.length), tally)
      const audited = await audit(image, { operations: run.operations, faulted: false, further: false })
      const problems = [...audited, ...run.surprises.map(String)]
      if (problems.length > 0)
        return { replay: `--hours 1 --processes 1 --seed ${machine}`, problems: [`in life ${life}:`, ...problems] }
      beginning = { image, operations: run.operations }
    }
  }
}
