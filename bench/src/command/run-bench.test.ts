/** A bench whose contenders fail: a rival is left out and named, anybody else ends it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Worker } from '../child/job.ts'
import { benchWorker } from '../child/worker.ts'
import { planOf } from '../plan/plan.ts'
import { terminalTable } from '../report/terminal-table.ts'
import { rivalServer } from '../contenders/rival-server.ts'
import type { RivalModule } from '../rivals/rival.ts'
import { runBench } from './run-bench.ts'
import { smoke, smokeOf } from '../plan/smoke.ts'
import { openWorkspace, type Workspace } from '../plan/workspace.ts'

/** A store in a few lines, `faults` of whose methods are others. */
const storeModule = (faults: string): string =>
  `data:text/javascript,${encodeURIComponent(`
  export const open = async () => {
    const objects = new Map()
    return {
      async put(key, body) { objects.set(key, Uint8Array.from(body)) },
      async get(key) { return objects.get(key) },
      async head(key) { return objects.get(key)?.length },
      async list() { return Math.min(objects.size, 1000) },
      async delete(key) { objects.delete(key) },
      async close() {},
      ${faults}
    }
  }`)}`

const rival = (name: string, faults: string): RivalModule => ({
  kind: 'module',
  name,
  about: name,
  lacks: {},
  module: storeModule(faults),
})

let workspace: Workspace
beforeEach(async () => {
  workspace = await openWorkspace(undefined)
})
afterEach(() => workspace.remove())

function run(rivals: readonly RivalModule[], workerFor: (key: string) => Worker = benchWorker) {
  const only = { only: ['get-4k'], layouts: ['memory'], rivals }
  const plan = planOf({ scale: smoke.scale, rounds: 2, seed: 7, floors: false, ...only })
  const launch = {
    worker: (key: string) => Promise.resolve({ ...workerFor(key), end: () => Promise.resolve() }),
    rival: rivalServer,
  }
  const { signal } = new AbortController()
  return runBench({ ...plan, workloads: plan.workloads.map(smokeOf) }, { launch, workspace, signal })
}

describe('a layout', () => {
  it('that fails ends the bench, even if others could continue', async () => {
    const failing = () => Promise.reject(new Error('It fell over.'))
    const running = run([rival('sound', '')], (key) => (key === 'memory' ? { take: failing } : benchWorker()))
    await expect(running).rejects.toThrow('get-4k, memory: It fell over.')
  })
})

describe('a rival', () => {
  it('that gives wrong bytes, fails, or cannot be made ready is left out and named, and the rest is measured', async () => {
    const [result] = await run([
      rival('sound', ''),
      rival('wrong', 'async get() { return new Uint8Array(4096) },'),
      rival('broken', 'async get() { throw new Error("It fell over.") },'),
      rival('absent', 'async put() { throw new Error("It never stood.") },'),
    ])
    expect(result?.contenders.map(({ name, rounds }) => [name, rounds.length])).toEqual([
      ['memory', 2],
      ['sound', 2],
    ])
    expect(result?.leftOut).toEqual([
      { name: 'wrong', reason: 'The bytes of k/00000000 are not those that were put.' },
      { name: 'broken', reason: 'It fell over.' },
      { name: 'absent', reason: 'It never stood.' },
    ])
    expect(terminalTable(result as NonNullable<typeof result>)).toContain('broken is left out: It fell over.')
  })
})
