/** Floors: what the machine can do without a store. Each is one line, with its name in reports. */
import { join } from 'node:path'
import { openStore } from 'varve'
import { bodiesFrom } from '../workloads/bodies.ts'
import { appendLogTarget } from '../targets/append-log-target.ts'
import { fileTarget } from '../targets/file-target.ts'
import type { ObjectTarget } from '../targets/object-target.ts'
import { allRows, countPrefixes, countRows, fillRows, openRawLevel, rawLevelTarget } from '../targets/raw-level.ts'
import { storeTarget } from '../targets/store-target.ts'
import { mixOf } from '../workloads/mix-of.ts'
import type { Workload } from '../workloads/workload.ts'
import { type Exercise, inFlight } from './exercise.ts'
import { mixExercise } from './mix-exercise.ts'

export interface FloorTask {
  readonly workload: Workload
  readonly directory: string
  readonly seed: number
}

type Make = (task: FloorTask) => Promise<Exercise>

const over =
  (target: (directory: string) => Promise<ObjectTarget>): Make =>
  async ({ workload, directory, seed }) => {
    if (workload.kind !== 'mix') throw new TypeError(`${workload.name} is no mix of operations on objects.`)
    return mixExercise(await target(directory), workload, bodiesFrom(seed, workload.sizes), seed)
  }

const floors = {
  files: over(fileTarget),
  'append-log': over(appendLogTarget),
  'raw-level': over((directory) => rawLevelTarget(directory, true)),
  'raw-level-relaxed': over((directory) => rawLevelTarget(directory, false)),
  'raw-scan': (task) => rawRows(task, (db) => countRows(db, allRows, 1000)),
  'raw-scan-all': (task) => rawRows(task, (db) => countRows(db, allRows, Number.POSITIVE_INFINITY)),
  'raw-seeks': (task) => rawRows(task, async (db) => Math.min(1, await countPrefixes(db))),
  'raw-open': rawOpen,
  'files-removed': filesRemoved,
  'put-64': putSixtyFour,
} as const satisfies Record<string, Make>

export type FloorName = keyof typeof floors
export const isFloorName = (name: string): name is FloorName => Object.hasOwn(floors, name)
export const floorExercise = (name: FloorName, task: FloorTask): Promise<Exercise> => floors[name](task)

const itemsOf = (workload: Workload): number => (workload.kind === 'mix' ? workload.keys : workload.items)

async function rawRows(
  { workload, directory }: FloorTask,
  read: (db: Awaited<ReturnType<typeof openRawLevel>>) => Promise<number>,
): Promise<Exercise> {
  const db = await openRawLevel(directory)
  await fillRows(db, itemsOf(workload))
  return { operate: async () => ({ units: await read(db) }), close: () => db.close() }
}

async function rawOpen({ workload, directory }: FloorTask): Promise<Exercise> {
  let db = await openRawLevel(directory)
  await fillRows(db, itemsOf(workload))
  return {
    async operate() {
      await db.close()
      const began = performance.now()
      db = await openRawLevel(directory)
      return { units: 1, countedMs: performance.now() - began }
    },
    close: () => db.close(),
  }
}

/** Removes files of the given number and size one by one, and syncs the directory. */
async function filesRemoved({ workload, directory }: FloorTask): Promise<Exercise> {
  const items = itemsOf(workload)
  const target = await fileTarget(directory)
  const body = Buffer.alloc(40 * 1024, 'v')
  return {
    before: () => inFlight(16, items, (i) => target.put(String(i), body)),
    async operate() {
      await inFlight(16, items, (i) => target.delete(String(i)))
      return { units: items }
    },
    close: () => target.close(),
  }
}

/** A durable put of 64 bytes, in a store with default options. */
async function putSixtyFour({ workload, directory, seed }: FloorTask): Promise<Exercise> {
  const mix = mixOf({
    name: 'put-64',
    title: '',
    mix: { put: 1 },
    bytes: 64,
    inFlight: 1,
    operations: workload.operations,
    floors: [],
  })
  const target = await storeTarget(await openStore(join(directory, 'store')), false)
  return mixExercise(target, mix, bodiesFrom(seed, mix.sizes), seed)
}
