/** Prepares what a job requires: a server that answers, or an exercise to run. */
import { bodiesFrom } from '../workloads/bodies.ts'
import { benchCredentials } from '../basics/credentials.ts'
import { isFloorServerName } from '../http/floor-server-names.ts'
import { httpTarget } from '../http/http-target.ts'
import { s3Client } from '../http/s3-client.ts'
import { floorServers, serveLayout } from '../http/served.ts'
import { type Layout, layoutNamed } from '../plan/layouts.ts'
import type { Rival } from '../rivals/rival.ts'
import type { ObjectTarget } from '../targets/object-target.ts'
import { storeTarget } from '../targets/store-target.ts'
import type { MixWorkload } from '../workloads/workload.ts'
import type { Exercise } from './exercise.ts'
import { floorExercise, isFloorName } from './floor-exercises.ts'
import type { Job } from './job.ts'
import { mixExercise } from './mix-exercise.ts'
import { specialExercise } from './special-exercises.ts'
import { wireExercise } from './wire-exercises.ts'

export interface Task {
  readonly url?: string
  readonly exercise?: Exercise
  close(): Promise<void>
}

export async function beginTask(job: Job): Promise<Task> {
  const { role, contender, directory } = job
  if (role === 'serve') {
    return isFloorServerName(contender) ? floorServers[contender](directory) : serveLayout(layoutOf(job), directory)
  }
  const exercise = await (role === 'generate' ? overHttp(job) : inProcess(job))
  return { exercise, close: () => exercise.close() }
}

/** Sends requests to a server that runs in another process. */
async function overHttp({ url = '', rival, workload, seed }: Job): Promise<Exercise> {
  const credentials = rival?.kind === 'server' ? rival.credentials : benchCredentials
  const client = await s3Client(url, credentials, workload.inFlight)
  if (workload.kind === 'wire') return wireExercise(client, workload, seed)
  if (workload.kind === 'mix') return mixOver(httpTarget(client), workload, seed)
  throw new TypeError(`${workload.name} does not go through HTTP.`)
}

async function inProcess(job: Job): Promise<Exercise> {
  const { contender, workload, directory, seed, rival } = job
  if (isFloorName(contender)) return floorExercise(contender, { workload, directory, seed })
  if (workload.kind === 'wire') throw new TypeError(`${workload.name} goes through HTTP.`)
  if (workload.kind === 'special') return specialExercise({ layout: layoutOf(job), directory, workload, seed })
  const target =
    rival === undefined
      ? await storeTarget(await layoutOf(job).open(directory), workload.versioned)
      : await rivalTarget(rival, directory)
  return mixOver(target, workload, seed)
}

const mixOver = (target: ObjectTarget, workload: MixWorkload, seed: number): Exercise =>
  mixExercise(target, workload, bodiesFrom(seed, workload.sizes), seed)

async function rivalTarget(rival: Rival, directory: string): Promise<ObjectTarget> {
  if (rival.kind === 'server') throw new TypeError(`${rival.name} runs on its own.`)
  const { open } = (await import(rival.module)) as { open(directory: string): Promise<ObjectTarget> }
  return open(directory)
}

function layoutOf({ contender }: Job): Layout {
  const layout = layoutNamed(contender)
  if (layout === undefined) throw new TypeError(`There is no layout ${contender}.`)
  return layout
}
