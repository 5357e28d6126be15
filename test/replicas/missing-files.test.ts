/** `npm run suite missing-files` takes files from 10,000 replicas. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { huntMissingFiles } from './missing-files.ts'

let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'varve-missing-'))
})

afterAll(() => rm(directory, { recursive: true, force: true }))

it('what a replica has lost is neither passed over nor called erased', async () => {
  const { whole, refused, incomplete, problems } = await huntMissingFiles({ directory, trials: 200, seed: 2 })
  expect(problems).toEqual([])
  expect(Math.min(whole, refused)).toBeGreaterThan(20)
  expect(incomplete).toBeGreaterThan(0)
}, 300_000)
