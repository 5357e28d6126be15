/** Handles orders: prepares one job at a time, runs its rounds, and finishes it. */
import { type Meter, startMeter } from '../meter/meter.ts'
import { thisProcess } from '../meter/this-process.ts'
import { beginTask, type Task } from './begin-task.ts'
import type { Exercise } from './exercise.ts'
import type { Answers, Job, Order, Worker } from './job.ts'
import { measureRound } from './measure-round.ts'

export function benchWorker(): Worker {
  let task: Task | undefined
  let job: Job | undefined
  let meter: Meter | undefined
  let readyFor: number | undefined

  const exercise = (): Exercise => {
    if (task?.exercise === undefined) throw new TypeError('There is nothing to run.')
    return task.exercise
  }

  const prepare = async (given: Job): Promise<Answers['prepare']> => {
    if (task !== undefined) throw new TypeError('One job at a time.')
    job = given
    task = await beginTask(given)
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
        meter = startMeter(thisProcess)
        return null
      case 'end':
        if (meter === undefined) throw new TypeError('Nothing has begun.')
        return meter.stop()
      case 'finish':
        return finish()
    }
  }
  return { take: take as Worker['take'] }
}
