/** The store and its reference model run the same random commands. No client may be able to distinguish them. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isGiven } from '../layouts/layout-parts.ts'
import { holds, longest, replaying } from './holds.ts'
import { plans, retentionOf, runPlan, type Tally } from './random-run.ts'
import { size } from './sizes.ts'
import { attachedSystem } from './attached-system.ts'
import { diskSystem, httpSystem, memorySystem, sharedSystem } from './systems.ts'

const runs = size('VARVE_MODEL_RUNS', { short: 120, long: 50_000 })

const everything = [
  { title: 'through the library', open: memorySystem, share: 0.78 },
  { title: 'through two engines in turn', open: sharedSystem, share: 0.1 },
  // What copies no marker is called otherwise there, as S3 does.
  { title: 'through HTTP', open: httpSystem, share: 0.1, never: 'copyObject MethodNotAllowed' },
  { title: 'on a disk', open: diskSystem, share: 0.02 },
  { title: 'through an attached store', open: attachedSystem, share: 0.2 },
]
/** A layout that was named runs only on the disk. */
const systems = isGiven ? [{ title: 'on a disk', open: diskSystem, share: 0.1 }] : everything

/** What each system must have run and answered. Otherwise its runs prove little. */
const outcomes = [
  'putObject ok',
  'putObject PreconditionFailed',
  'copyObject ok',
  'deleteObject ok',
  'deleteVersion ok',
  'tagObject ok',
  'uploadPart ok',
  'completeUpload ok',
  'completeUpload NoSuchUpload',
  'abortUpload ok',
  'deleteBucket BucketNotEmpty',
  'createSnapshot ok',
  'createSnapshot SnapshotExists',
  'deleteSnapshot ok',
  'deleteSnapshot NoSuchSnapshot',
  'fork ok',
  'fork BucketAlreadyOwnedByYou',
  'drop ok',
  'drop NotAFork',
]

/** What only very many commands come by. */
const rareOutcomes = [
  'completeUpload ConditionalRequestConflict',
  'completeUpload InvalidPart',
  'completeUpload InvalidPartOrder',
  'completeUpload EntityTooSmall',
  'copyObject NoSuchVersion',
  'copyObject MethodNotAllowed',
  'deleteBucket ok',
  'deleteVersion InvalidArgument',
  'abortUpload NoSuchBucket',
  'fork NoSuchBucket',
]

describe('answers and effects are those of the model, with random commands', () => {
  for (const { title, open, share, never } of systems) {
    const numRuns = Math.ceil(runs * share)
    it(
      `${title}, in ${numRuns} runs`,
      async () => {
        const tally: Tally = new Map()
        const property = fc.asyncProperty(plans, async (plan) => {
          const system = await open({ retentionMs: retentionOf(plan) })
          try {
            await runPlan(system, plan, tally)
          } finally {
            await system.end()
          }
        })
        await holds(title, property, numRuns)
        if (replaying) return
        const expected = [...(numRuns >= 100 ? outcomes : []), ...(numRuns >= 2000 ? rareOutcomes : [])]
        expect(expected.filter((outcome) => !tally.has(outcome) && outcome !== never)).toEqual([])
      },
      longest,
    )
  }
})
