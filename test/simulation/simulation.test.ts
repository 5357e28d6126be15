import { describe, expect, it } from 'vitest'
import { attempts, faultAttempts } from './attempts.ts'
import { type Attempt, explore, newTally, parseReplay, replayLine, type Tally } from './explore.ts'
import { live } from './life.ts'
import { Run } from './run.ts'
import { randomScenario, scenarios } from './scenario.ts'

const seed = Number(process.env['VARVE_SEED'] ?? 1)
const statesMin = 10_000
/** Of the faults, one in so many: all of them are the long form's. */
const faultsEvery = 1009

async function exploreAll(source: Iterable<Attempt> | AsyncIterable<Attempt>, enough: (tally: Tally) => boolean) {
  const tally = newTally()
  for await (const attempt of source) {
    const failure = await explore(attempt, tally)
    expect(failure?.problems ?? [], `npm run suite simulation -- --replay "${failure?.replay}"`).toEqual([])
    if (enough(tally)) break
  }
  return tally
}

describe('a store on a simulated machine', () => {
  it(`comes up whole after a power cut at any moment, in ${statesMin} states`, async () => {
    const tally = await exploreAll(attempts(seed), ({ states }) => states >= statesMin)
    // What was never met was never tried.
    for (const met of [
      'putObject ok',
      'completeUpload ok',
      'copyObject ok',
      'restore ok',
      'undo ok',
      'createSnapshot ok',
      'deleteSnapshot ok',
      'erase ok',
      'forkBucket ok',
      'dropFork ok',
      'deleteVersion ok',
      'sweep ok',
      'reopen ok',
    ])
      expect(tally.seen.get(met), met).toBeGreaterThan(0)
  }, 240_000)

  it('works on or stops, and loses nothing, when an effect fails once or for ever', async () => {
    async function* some(): AsyncGenerator<Attempt> {
      let number = 0
      for await (const attempt of faultAttempts(seed)) if (number++ % faultsEvery === 0) yield attempt
    }
    const tally = await exploreAll(some(), () => false)
    expect(tally.seen.get('putObject StoreFailed')).toBeGreaterThan(0)
    expect(tally.seen.get('fault never struck')).toBeUndefined()
  }, 240_000)
})

describe('a machine with many lives', () => {
  it('keeps all it was given through twenty simulated minutes of steady work and power cuts', async () => {
    const tally = newTally()
    const failure = await live(seed, tally, () => tally.time > 20 * 60_000)
    expect(failure?.problems ?? [], `npm run suite simulation -- ${failure?.replay}`).toEqual([])
    expect(tally.runs).toBeGreaterThan(3)
  }, 120_000)
})

describe('a run', () => {
  it('is the same run again with the same seed', async () => {
    for (const scenario of [...scenarios.slice(1, 4), randomScenario(seed)]) {
      const [one, other] = [await Run.of({ scenario, seed }), await Run.of({ scenario, seed })]
      expect(other.world.trace).toEqual(one.world.trace)
      expect(other.operations).toEqual(one.operations)
    }
  })

  it('is described in one line, which can replay it', () => {
    const [scenario] = scenarios as [(typeof scenarios)[0]]
    const attempt = { scenario, seed: 17, fault: { at: 3, errno: 'EIO', forever: true } } as const
    const line = replayLine(attempt, 19, 'subset')
    expect(parseReplay(line)).toEqual({ ...attempt, only: { step: 19, keep: 'subset' } })
  })
})
