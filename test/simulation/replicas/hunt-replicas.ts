/** Runs schedules of replicas until one fails. */
import { randomFrom } from '../../support/random.ts'
import { growBranches } from './branches.ts'
import { runSchedule } from './schedule.ts'

export interface Hunted {
  /** The first failure, with its seed, if any. */
  readonly failure: string | undefined
  readonly schedules: number
  /** How often what the replica can be restored to was judged. */
  readonly states: number
  readonly confirmed: number
  /** How often files were joined. */
  readonly joined: number
  /** How many contents that were erased were looked for at the ends of schedules. */
  readonly erased: number
  /** How often restores with views and without them were compared. */
  readonly compared: number
}

const stepsMax = 1500
/** In one of three schedules, as many files are joined as outside a simulation. With fewer, there are more levels. */
const joinedAtOnce = [8, 3, 3] as const
/** In one of so many schedules, views are written too. */
const viewsEvery = 7
/** In two of eight schedules, what is committed is kept in memory: with faults of the target. */
const liveOfEight: readonly number[] = [3, 5]

/** As many schedules as it takes for so many states. Every other one has no faults but those of processes. */
export async function huntReplicas(statesMax: number, firstSeed = 1): Promise<Hunted> {
  const branches = await growBranches()
  let [states, confirmed, joined, erased, compared, schedules] = [0, 0, 0, 0, 0, 0]
  for (; states < statesMax; schedules++) {
    const seed = firstSeed + schedules
    const random = randomFrom(seed)
    const faults = seed % 2 === 0 ? 0 : random.next() * 0.2
    const hasViews = seed % viewsEvery === 1
    const result = await runSchedule({
      random,
      steps: stepsMax,
      branches,
      faults,
      hasViews,
      hasLive: liveOfEight.includes(seed % 8),
      joinedAtOnce: joinedAtOnce[seed % 3] ?? 8,
    })
    states += result.states
    confirmed += result.confirmed
    joined += result.joined
    erased += result.erased
    compared += result.compared
    if (result.failure !== undefined)
      return {
        failure: `seed ${seed}: ${result.failure}`,
        schedules: schedules + 1,
        states,
        confirmed,
        joined,
        erased,
        compared,
      }
  }
  return { failure: undefined, schedules, states, confirmed, joined, erased, compared }
}
