import { describe, expect, it } from 'vitest'
import type { Errno } from '../world.ts'
import { exploreLog, newLogTally } from './explore-log.ts'
import { LogRun } from './log-run.ts'

const first = Number(process.env['VARVE_SEED'] ?? 1)
const lives = Number(process.env['VARVE_LOG_LIVES'] ?? 2)
/** Of the faults, one in so many. */
const faultsEvery = Number(process.env['VARVE_LOG_FAULTS_EVERY'] ?? 47)

describe('a segment log on a simulated machine', () => {
  it(`comes up with every acknowledged commit, and no part of another, in ${lives} lives`, async () => {
    const tally = newLogTally()
    for (let seed = first; seed < first + lives; seed++) {
      expect(await exploreLog({ seed: seed * 1000 }, tally)).toEqual([])
    }
    expect(tally.states).toBeGreaterThan(lives * 100)
    if (lives > 10) console.log(tally)
  }, 3_600_000)

  it('loses nothing when an effect fails once or for ever', async () => {
    const tally = newLogTally()
    for (const errno of ['EIO', 'ENOSPC', 'EMFILE'] as const satisfies readonly Errno[]) {
      const seed = first * 1000 + errno.length
      const { world } = await LogRun.of({ seed })
      for (let at = errno.charCodeAt(1) % faultsEvery; at < world.step; at += faultsEvery) {
        for (const forever of [false, true]) {
          expect(await exploreLog({ seed, fault: world.plan(at, errno, forever), states: 'end' }, tally)).toEqual([])
        }
      }
    }
    expect(tally.faultsStruck).toBe(tally.runs)
    if (faultsEvery === 1) console.log(tally)
  }, 3_600_000)
})
