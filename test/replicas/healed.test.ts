/** VARVE_HEALED sets how many files, rows and events on disk are damaged; `npm run suite healed` damages 10,000. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { healCampaign } from './heal-campaign.ts'
import { replayOf } from './heal-trial.ts'

const count = Number(process.env['VARVE_HEALED'] ?? 150)

describe(`stores with a replica, and ${count} damages`, () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'varve-healed-'))
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  it(
    'have everything back that the replica has, and never gave anything else',
    async () => {
      const verdicts = await healCampaign({ directory, from: 1, damages: count })
      expect(verdicts.filter(({ problems }) => problems.length > 0).map(replayOf)).toEqual([])
      expect(verdicts.reduce((sum, { healed }) => sum + healed, 0)).toBeGreaterThan(count / 3)
    },
    120_000 + count * 5000,
  )
})
