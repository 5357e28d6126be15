/**
 * Every workload on every layout and floor, in small: in this process, since what is tested is the work and not the forks.
 * What is no other work than a neighbour's runs on one layout.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { benchWorker } from '../child/worker.ts'
import { planOf } from './plan.ts'
import { runBench } from '../command/run-bench.ts'
import { rivalServer } from '../contenders/rival-server.ts'
import { smoke, smokeOf } from './smoke.ts'
import { isThroughHttp, type Workload } from '../workloads/workload.ts'
import { openWorkspace, type Workspace } from './workspace.ts'

const plan = planOf({ scale: smoke.scale, rounds: smoke.rounds, seed: 7, floors: true })
/** Those that differ from another only in size, and those behind the server, which is the same for all. */
const alike = ['put-4k-1', 'put-4k-16', 'get-64m', 'put-64m']
const onOneLayout = (workload: Workload): boolean => alike.includes(workload.name) || isThroughHttp(workload)

describe('the bench', () => {
  let workspace: Workspace
  beforeAll(async () => {
    workspace = await openWorkspace(undefined)
  })
  afterAll(() => workspace.remove())

  it.each(plan.workloads.map((workload) => [workload.name, smokeOf(workload)] as const))(
    'runs %s',
    async (_, workload) => {
      const launch = {
        worker: () => Promise.resolve({ ...benchWorker(), end: () => Promise.resolve() }),
        rival: rivalServer,
      }
      const { signal } = new AbortController()
      const layouts = plan.layouts.filter(({ name }) => name === 'level+files' || !onOneLayout(workload))
      const [result] = await runBench({ ...plan, layouts, workloads: [workload] }, { launch, workspace, signal })
      expect(result?.contenders.map(({ name }) => name)).toEqual(
        expect.arrayContaining([...workload.floors, 'level+files']),
      )
      for (const { figures, name } of result?.contenders ?? []) {
        expect(figures.rate.median, name).toBeGreaterThan(0)
        expect(figures.max.median, name).toBeGreaterThanOrEqual(figures.p50.median)
        expect(figures.peakMemory.median, name).toBeGreaterThan(0)
      }
    },
    // Each makes a store for each layout: on a busy disk that adds up.
    120_000,
  )
})
