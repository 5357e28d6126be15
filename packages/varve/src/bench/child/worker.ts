/** Takes orders: one job at a time, prepared, run in rounds, finished. */
import { bodiesFrom } from '../bodies.ts'
import { httpTarget } from '../http/http-target.ts'
import { isFloorServerName } from '../http/floor-server-names.ts'
import { floorServers, serveLayout } from '../http/served.ts'
import { type Layout, layoutNamed } from '../layouts.ts'
import { storeTarget } from '../targets/store-target.ts'
import type { MixWorkload } from '../workloads/workload.ts'
import type { Exercise } from './exercise.ts'
import { floorExercise, isFloorName } from './floor-exercises.ts'
import type { Answers, Job, Order, Worker } from './job.ts'
import { measureRound } from './measure-round.ts'
import { mixExercise } from './mix-exercise.ts'
import { startMeter } from './process-meter.ts'
import { specialExercise } from './special-exercises.ts'

interface Task {
  readonly url?: string
  readonly exercise?: Exercise
  close(): Promise<void>
}

export function benchWorker(): Worker {
  let task: Task | undefined
  let job: Job | undefined
  let stop: (() => Answers['end']) | undefined
  let readyFor: number | undefined

  const exercise = (): Exercise => {
    if (task?.exercise === undefined) throw new TypeError('There is nothing to run.')
    return task.exercise
  }

  const prepare = async (given: Job): Promise<Answers['prepare']> => {
    if (task !== undefined) throw new TypeError('One job at a time.')
    job = given
    task = await begin(given)
    return task.url === undefined ? {} : { url: task.url }
  }

  const measured = (round: number): Promise<Answers['round']> => {
    const { before, ...rest } = exercise()
    const unready = readyFor === round || before === undefined ? rest : { ...rest, before }
    return measureRound(unready, (job as Job).workload, round)
  }

  const finish = async (): Promise<Answers['finish']> => {
    const live = task?.exercise?.live?.()
    await task?.close()
    task = undefined
    return live === undefined ? {} : { live }
  }

  const take = async (order: Order): Promise<Answers[Order['do']]> => {
    switch (order.do) {
      case 'prepare':
        return prepare(order.job)
      case 'ready':
        await exercise().before?.(order.round)
        readyFor = order.round
        return null
      case 'round':
        return measured(order.round)
      case 'begin':
        stop = startMeter()
        return null
      case 'end':
        if (stop === undefined) throw new TypeError('Nothing has begun.')
        return stop()
      case 'finish':
        return finish()
    }
  }
  return { take: take as Worker['take'] }
}

async function begin(job: Job): Promise<Task> {
  const { role, contender, workload, directory, seed } = job
  if (role === 'generate')
    return exerciseTask(mixOver(await httpTarget(job.url ?? '', workload.inFlight), mixOf(job), seed))
  if (role === 'serve') {
    return isFloorServerName(contender) ? floorServers[contender](directory) : serveLayout(layoutOf(job), directory)
  }
  if (isFloorName(contender)) return exerciseTask(await floorExercise(contender, { workload, directory, seed }))
  const layout = layoutOf(job)
  if (workload.kind === 'special') return exerciseTask(await specialExercise({ layout, directory, workload, seed }))
  const target = await storeTarget(await layout.open(directory), workload.versioned)
  return exerciseTask(mixOver(target, workload, seed))
}

const mixOver = (target: Parameters<typeof mixExercise>[0], workload: MixWorkload, seed: number): Exercise =>
  mixExercise(target, workload, bodiesFrom(seed, workload.sizes), seed)

const exerciseTask = (exercise: Exercise): Task => ({ exercise, close: () => exercise.close() })

function mixOf({ workload }: Job): MixWorkload {
  if (workload.kind !== 'mix') throw new TypeError(`${workload.name} does not go through HTTP.`)
  return workload
}

function layoutOf({ contender }: Job): Layout {
  const layout = layoutNamed(contender)
  if (layout === undefined) throw new TypeError(`There is no layout ${contender}.`)
  return layout
}
