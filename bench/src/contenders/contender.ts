/**
 * A contender for one workload: one process that does the work, or a server and the process that sends requests to it.
 */
import type { Answers, Job, Order, Worker } from '../child/job.ts'
import type { RoundFigures } from '../child/measure-round.ts'
import type { Used } from '../meter/meter.ts'
import { isServed, type ContenderTask } from './contender-task.ts'
import type { RoundResult } from '../results/results.ts'
import type { RivalServer } from '../rivals/rival.ts'

export interface RunningWorker extends Worker {
  end(): Promise<void>
}

export interface Launcher {
  /** `key` names the worker, for a later reuse. */
  worker(key: string): Promise<RunningWorker>
  /** Starts a rival's program, for one task. */
  rival(rival: RivalServer): RunningWorker
}

export interface Contender {
  /** Round 0 warms up. */
  round(round: number): Promise<RoundResult>
  /** Closes everything it opened. Returns the bytes of live objects, where that means something. */
  finish(): Promise<Answers['finish']>
  /** Ends its processes in any case. */
  end(): Promise<void>
}

export function prepareContender(launch: Launcher, task: ContenderTask): Promise<Contender> {
  return isServed(task) ? prepareServed(launch, task) : prepareAlone(launch, task)
}

async function prepareAlone(launch: Launcher, task: ContenderTask): Promise<Contender> {
  const worker = named(await launch.worker(task.contender), task)
  return ending(worker, async () => {
    await worker.take({ do: 'prepare', job: { ...task, role: 'run' } })
    return {
      round: async (round) => resultOf(await worker.take({ do: 'round', round })),
      finish: () => worker.take({ do: 'finish' }),
      end: () => worker.end(),
    }
  })
}

async function prepareServed(launch: Launcher, task: ContenderTask): Promise<Contender> {
  const server = named(await serverFor(launch, task), task)
  return ending(server, async () => {
    const generator = named(await launch.worker(`generator for ${task.contender}`), task)
    return ending(generator, async () => {
      const { url } = await server.take({ do: 'prepare', job: { ...task, role: 'serve' } })
      const job: Job = { ...task, role: 'generate', ...(url !== undefined && { url }) }
      await generator.take({ do: 'prepare', job })
      return {
        async round(round) {
          await generator.take({ do: 'ready', round })
          await server.take({ do: 'begin' })
          const figures = await generator.take({ do: 'round', round })
          return resultOf(figures, await server.take({ do: 'end' }))
        },
        async finish() {
          const figures = await generator.take({ do: 'finish' })
          await server.take({ do: 'finish' })
          return figures
        },
        async end() {
          await generator.end()
          await server.end()
        },
      }
    })
  })
}

const serverFor = (launch: Launcher, { rival, contender }: ContenderTask): Promise<RunningWorker> =>
  rival?.kind === 'server' ? Promise.resolve(launch.rival(rival)) : launch.worker(contender)

/** Ends the worker when its preparation fails, so that no process is left. */
async function ending<T>(worker: RunningWorker, prepare: () => Promise<T>): Promise<T> {
  try {
    return await prepare()
  } catch (error) {
    await worker.end()
    throw error
  }
}

/** A contender failed. The message has the contender's name and its own message. */
class ContenderFailed extends Error {
  override readonly name: string

  constructor(task: ContenderTask, cause: Error) {
    super(`${task.workload.name}, ${task.contender}: ${cause.message}`, { cause })
    this.name = cause.name
  }
}

const named = (worker: RunningWorker, task: ContenderTask): RunningWorker => ({
  take: <O extends Order>(order: O) =>
    worker.take(order).catch((error: Error) => Promise.reject(new ContenderFailed(task, error))),
  end: () => worker.end(),
})

function resultOf(figures: RoundFigures, server?: Used): RoundResult {
  const { operations, rate, p50, p95, p99, max, put, used: own } = figures
  const used = server ?? own
  return {
    rate,
    p50,
    p95,
    p99,
    max,
    cpuMicros: used.cpuMicros / Math.max(1, operations),
    peakMemory: used.peakMemory,
    ...(used.written !== undefined && put > 0 && { writeAmplification: used.written / put }),
    ...(server !== undefined && {
      generatorCpu: processorsOf(own, own.wallMs),
      // Over the time of the requests: the server's own time also contains the messages before and after them.
      serverCpu: processorsOf(server, own.wallMs),
    }),
  }
}

const processorsOf = ({ cpuMicros }: Used, wallMs: number): number => cpuMicros / 1000 / wallMs
