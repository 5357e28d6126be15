/**
 * No silent wrong answer. Whatever is done to a file, a name, a row or an event of a store, the store answers correctly
 * or with a named error, and `verify` finds the damage. VARVE_MUTATIONS sets how many mutations are tried; `npm run
 * suite corruption` tries 20,000.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { campaign, replayOf, table } from './campaign.ts'
import { makeMaterial } from './material.ts'
import type { Verdict } from './trial.ts'

const count = Number(process.env['VARVE_MUTATIONS'] ?? 60)

describe(`a store damaged in ${count} ways`, () => {
  let directory: string
  let verdicts: readonly Verdict[]

  beforeAll(
    async () => {
      directory = await mkdtemp(join(tmpdir(), 'varve-corruption-'))
      await makeMaterial(directory)
      verdicts = await campaign({ directory, from: 1, count, workers: 2 })
      console.log(table(verdicts))
    },
    60_000 + count * 2000,
  )
  afterAll(() => rm(directory, { recursive: true, force: true }))

  it('never gives a wrong answer without a word', () => {
    expect(verdicts).toHaveLength(count)
    expect(verdicts.filter(({ outcome }) => outcome === 'silent').map(replayOf)).toEqual([])
  })

  it('ends a process only over a damaged table of LevelDB, which checks with assertions what it merges', () => {
    const died = verdicts.filter(({ outcome }) => outcome === 'died')
    expect(
      died.filter(({ subject }) => !subject.startsWith('ldb') && !subject.startsWith('names')).map(replayOf),
    ).toEqual([])
    expect(died.length).toBeLessThan(count / 20)
  })

  it('was damaged indeed, and reported it in every way it has', () => {
    for (const outcome of ['refused', 'errors', 'found'] as const) {
      expect(verdicts.filter((verdict) => verdict.outcome === outcome).length, outcome).toBeGreaterThan(0)
    }
    const harmless = verdicts.filter(({ outcome }) => outcome === 'harmless').length
    expect(harmless).toBeLessThan(count / 2)
  })
})
