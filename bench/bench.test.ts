import { describe, expect, it } from 'vitest'
import { run } from './run.ts'
import { workloads } from './workloads/index.ts'

describe('the bench', () => {
  it.each(workloads.map((workload) => [workload.name, workload] as const))('still runs: %s', async (_, workload) => {
    const result = await run(workload, { rounds: 1, scale: 0.01 })
    expect(result.varve).toBeGreaterThan(0)
    expect(result.floor).toBeGreaterThan(0)
  })
})
