/** A worker in its own process. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Answers, Order, Reply } from '../child/job.ts'
import type { Launcher, RunningWorker } from './contender.ts'
import { rivalServer } from './rival-server.ts'

const script = fileURLToPath(new URL('../child/main.js', import.meta.url))

export interface Workers {
  readonly launch: Launcher
  /** Ends all running workers at once. */
  endAll(): Promise<void>
}

/**
 * `reuse` gives each contender one process for all workloads: it is faster, but workloads affect each other's figures.
 */
export function forkedWorkers(reuse: boolean): Workers {
  const running = new Set<RunningWorker>()
  const kept = new Map<string, RunningWorker>()
  const counted = (worker: RunningWorker): RunningWorker => {
    const one: RunningWorker = {
      take: worker.take,
      async end() {
        running.delete(one)
        await worker.end()
      },
    }
    running.add(one)
    return one
  }
  const start = () => counted(forkWorker())
  return {
    launch: {
      async worker(key) {
        if (!reuse) return start()
        const worker = kept.get(key) ?? start()
        kept.set(key, worker)
        return { take: worker.take, end: () => Promise.resolve() }
      },
      rival: (rival) => counted(rivalServer(rival)),
    },
    async endAll() {
      await Promise.all([...running].map((worker) => worker.end()))
    },
  }
}

/** The worker ended before it answered. */
class WorkerGone extends Error {
  override readonly name = 'WorkerGone'
}

function forkWorker(): RunningWorker {
  // Its standard output is ignored. Replies come over the channel, and fatal errors go to standard error.
  const child = fork(script, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], serialization: 'advanced' })
  const gone = new Promise<Error>((resolve) => {
    child.once('error', resolve)
    child.once('exit', (code, signal) => resolve(new WorkerGone(`Its process ended (${signal ?? code}).`)))
  })
  return {
    take: <O extends Order>(order: O) => exchange<Answers[O['do']]>(child, gone, order),
    async end() {
      child.kill('SIGKILL')
      await gone
    },
  }
}

function exchange<T>(child: ChildProcess, gone: Promise<Error>, order: Order): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onReply = (reply: Reply): void => {
      if ('ok' in reply) resolve(reply.ok as T)
      else reject(Object.assign(new Error(reply.error.message), { name: reply.error.name }))
    }
    child.once('message', onReply)
    void gone.then((error) => {
      child.off('message', onReply)
      reject(error)
    })
    child.send(order, (error) => error && reject(error))
  })
}
