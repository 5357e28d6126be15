/**
 * The whole API of a store, called with values of wrong types. `npm run suite calls` makes a million calls. Without a
 * count it makes a few thousand, and each seed gives different ones.
 */
import { mkdtemp, mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CallCounts, round } from './run-calls.ts'

const calls = Number(process.env['VARVE_CALLS'] ?? 4000)
const firstSeed = Number(process.env['VARVE_SEED'] ?? 1)
const callsPerRound = 2000
const rounds = Math.ceil(calls / callsPerRound)

describe('the API of a store', () => {
  const before = process.cwd()
  let scratch = ''
  // Paths that are wrong lead from here, and out of here no further than into it.
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'varve-calls-'))
    const deep = join(scratch, '1/2/3/4')
    await mkdir(deep, { recursive: true })
    process.chdir(deep)
  })
  afterAll(async () => {
    process.chdir(before)
    await rm(scratch, { recursive: true, force: true })
  })

  it(
    `refuses with a code, or does, what it is called with: ${calls} calls from seed ${firstSeed}`,
    async () => {
      const counts: CallCounts = { calls: 0, refused: 0, callersErrors: 0, answered: 0 }
      for (let i = 0; i < rounds; i++) {
        await round(firstSeed + i, callsPerRound, counts, i % 10 === 1)
        if (i % 25 === 24 || (i === rounds - 1 && i > 0))
          console.log(`to seed ${firstSeed + i}`, JSON.stringify(counts))
      }
      expect(counts.refused).toBeGreaterThan(counts.calls / 10)
      expect(counts.answered).toBeGreaterThan(counts.calls / 10)
    },
    Math.max(60_000, calls * 20),
  )
})
