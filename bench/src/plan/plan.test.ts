import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFloorName } from '../child/floor-exercises.ts'
import { estimateOf } from './estimate.ts'
import { floorTitles } from './floors.ts'
import { isFloorServerName } from '../http/floor-server-names.ts'
import { ownWorkload } from './own-workload.ts'
import { contendersFor, planOf } from './plan.ts'
import { UsageError } from '../basics/usage-error.ts'
import { assertRoom, openWorkspace } from './workspace.ts'
import { builtInWorkloads } from '../workloads/built-in.ts'

const options = { rounds: 2, scale: 1, seed: 1, floors: true }

describe('planOf', () => {
  it('takes all, or what is named, or what begins so', () => {
    expect(planOf(options).workloads).toEqual(builtInWorkloads)
    const { workloads, layouts } = planOf({
      ...options,
      only: ['reopen', 'put-4k*'],
      layouts: ['memory', 'level+files', 'level+files'],
    })
    expect(workloads.map(({ name }) => name)).toEqual(['put-4k-1', 'put-4k-16', 'put-4k-64', 'reopen'])
    expect(layouts.map(({ name }) => name)).toEqual(['memory', 'level+files'])
  })

  it.each([{ only: ['nothing'] }, { only: ['x*'] }, { layouts: ['tape'] }])(
    'refuses %j, naming what there is',
    (wrong) => {
      expect(() => planOf({ ...options, ...wrong })).toThrow(UsageError)
      expect(() => planOf({ ...options, ...wrong })).toThrow(/level|put-4k-16/)
    },
  )

  it('leaves out layouts that cannot run a workload, and floors on request', () => {
    const plan = planOf({ ...options, only: ['reopen'], floors: false })
    const names = plan.workloads.flatMap((workload) => contendersFor(plan, workload)).map(({ name }) => name)
    expect(names).not.toContain('memory')
    expect(names).not.toContain('raw-open')
    expect(names).toContain('level+files')
  })

  it('resizes rounds', () => {
    const sizeAt = (scale: number) => planOf({ ...options, scale, only: ['put-4k-16'] }).workloads[0]?.operations
    expect([sizeAt(0.5), sizeAt(1), sizeAt(2)]).toEqual([2000, 4000, 8000])
  })

  it('names each workload once, and only floors that exist', () => {
    expect(new Set(builtInWorkloads.map(({ name }) => name)).size).toBe(builtInWorkloads.length)
    for (const floor of builtInWorkloads.flatMap(({ floors }) => floors)) {
      expect(isFloorName(floor) || isFloorServerName(floor), floor).toBe(true)
      expect(floorTitles[floor], floor).toBeDefined()
    }
  })
})

describe('estimateOf', () => {
  it('grows with rounds, size and contenders', () => {
    const written = (more: Partial<typeof options> & { layouts?: string[] }) =>
      estimateOf(planOf({ ...options, only: ['put-4k-16'], ...more })).written
    expect(written({})).toBeGreaterThan(written({ rounds: 1 }))
    expect(written({})).toBeGreaterThan(written({ scale: 0.5 }))
    expect(written({})).toBeGreaterThan(written({ layouts: ['level+files'] }))
    // Three rounds with the one that warms up, 4000 objects of 4 KiB and their rows, a layout and three floors.
    expect(written({ layouts: ['level+files', 'memory'] })).toBe(5 * 3 * 4000 * (4096 + 1000))
  })
})

describe('the room a workload of one’s own needs', () => {
  const atOnce = (more: object) => {
    const { workload } = ownWorkload({ mix: { put: 1 }, keys: 100, sizes: '64KiB', ...more })
    return estimateOf(planOf({ ...options, own: workload, layouts: ['level+files'], floors: false })).atOnce
  }

  it('is bounded by its time, where it ends by time', () => {
    expect(atOnce({ seconds: 1 })).toBeLessThan(2 ** 30)
    expect(atOnce({ operations: 1_000_000 })).toBeGreaterThan(2 ** 33)
  })

  it('is less where objects are replaced than where they stay', () => {
    expect(atOnce({ puts: 'any' })).toBeLessThan(atOnce({ puts: 'new' }))
    expect(atOnce({ versioned: true })).toBe(atOnce({ puts: 'new' }))
  })
})

describe('openWorkspace', () => {
  let scratch: string
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'varve-workspace-'))
  })
  afterAll(() => rm(scratch, { recursive: true, force: true }))

  it('leaves the directory as it found it: absent or empty', async () => {
    await mkdir(join(scratch, 'empty'))
    for (const name of ['empty', 'absent']) {
      const workspace = await openWorkspace(join(scratch, name))
      await writeFile(join(await workspace.directory('level'), 'file'), 'x')
      await workspace.remove()
    }
    expect(await readdir(scratch)).toEqual(['empty'])
    expect(await readdir(join(scratch, 'empty'))).toEqual([])
  })

  it('refuses one with something in it, and a file, and touches neither', async () => {
    await mkdir(join(scratch, 'full'))
    await writeFile(join(scratch, 'full', 'mine'), 'x')
    await expect(openWorkspace(join(scratch, 'full'))).rejects.toThrow('is not empty')
    await expect(openWorkspace(join(scratch, 'full', 'mine'))).rejects.toThrow('is a file')
    expect(await readdir(join(scratch, 'full'))).toEqual(['mine'])
  })

  it('checks for free space before anything is written', async () => {
    const workspace = await openWorkspace(undefined)
    await expect(assertRoom(workspace, { written: 0, atOnce: 2 ** 60 })).rejects.toMatchObject({ code: 'NoSpace' })
    await assertRoom(workspace, { written: 0, atOnce: 1 })
    await workspace.remove()
  })
})
