/** R requests a second to S logs with N nodes each, for some seconds: deterministic for a seed. */
import type { OperationName } from './costs.ts'
import { EventLoop, Processors, randomOf } from './event-loop.ts'
import { type Demand, ratesOf } from './model.ts'
import { SimulatedLog, type Waits } from './simulated-log.ts'

export interface Setting extends Waits {
  readonly shards: number
  readonly nodesOfShard: number
  readonly nodeProcessors: number
  readonly databaseProcessors: number
  readonly demand: Demand
  /** Buckets are given to logs one after another; the k-th one has a share of the requests that falls with 1 / k ^ `zipf`. */
  readonly buckets: number
  readonly zipf: number
  readonly seconds: number
  readonly seed: number
}

export interface Outcome {
  readonly offeredPerSecond: number
  readonly answeredPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Shares of the processors of the busiest log. */
  readonly databaseUse: number
  readonly nodeUse: number
  /** The share of the requests that the busiest log has, divided by the mean. */
  readonly skew: number
  readonly conflictsPerCommit: number
  readonly putsPerCommit: number
}

export function simulate(setting: Setting): Outcome {
  const loop = new EventLoop()
  const random = randomOf(setting.seed)
  const logs = Array.from({ length: setting.shards }, () => {
    const nodes = Array.from({ length: setting.nodesOfShard }, () => new Processors(loop, setting.nodeProcessors))
    return new SimulatedLog(loop, setting, { database: new Processors(loop, setting.databaseProcessors), nodes })
  })
  const requestsOf = logs.map(() => 0)
  const latencies: number[] = []
  const bucketAt = picked(Array.from({ length: setting.buckets }, (_, k) => 1 / (k + 1) ** setting.zipf))
  const rates = Object.entries(ratesOf(setting.demand)) as readonly (readonly [OperationName, number])[]
  const operationAt = picked(rates.map(([, rate]) => rate))
  let offered = 0
  const arrive = (): void => {
    const began = loop.now
    const at = bucketAt(random()) % logs.length
    requestsOf[at] = (requestsOf[at] as number) + 1
    const [name] = rates[operationAt(random())] as readonly [OperationName, number]
    logs[at]?.request(name, offered++, () => latencies.push(loop.now - began))
    loop.after((-Math.log(1 - random()) * 1000) / setting.demand.requestsPerSecond, arrive)
  }
  arrive()
  loop.runUntil(setting.seconds * 1000)
  return outcomeOf({ setting, logs, requestsOf, latencies, offered })
}

interface Run {
  readonly setting: Setting
  readonly logs: readonly SimulatedLog[]
  readonly requestsOf: readonly number[]
  readonly latencies: number[]
  readonly offered: number
}

function outcomeOf({ setting, logs, requestsOf, latencies, offered }: Run): Outcome {
  const { seconds } = setting
  latencies.sort((a, b) => a - b)
  const quantile = (share: number): number => latencies[Math.floor(share * (latencies.length - 1))] ?? Number.NaN
  const useOf = ({ worked, count }: Processors): number => worked / (seconds * 1000 * count)
  const sum = (part: (log: SimulatedLog) => number): number => logs.reduce((all, log) => all + part(log), 0)
  const commits = sum((log) => log.commits)
  return {
    offeredPerSecond: offered / seconds,
    answeredPerSecond: latencies.length / seconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    databaseUse: Math.max(...logs.map(({ database }) => useOf(database))),
    nodeUse: Math.max(...logs.flatMap(({ nodes }) => nodes.map(({ processors }) => useOf(processors)))),
    skew: (Math.max(...requestsOf) * logs.length) / offered,
    conflictsPerCommit: sum((log) => log.conflicts) / commits,
    putsPerCommit: sum((log) => log.committed) / commits,
  }
}

/** Chooses an index with these weights from a number of 0 to 1. */
function picked(weights: readonly number[]): (at: number) => number {
  const sums: number[] = []
  let all = 0
  for (const weight of weights) {
    all += weight
    sums.push(all)
  }
  return (at) => {
    const wanted = at * all
    let [low, high] = [0, sums.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] as number) > wanted) high = middle
      else low = middle + 1
    }
    return low
  }
}

/**
 * The measurement itself, simulated: so many clients put small objects, one after another, and all programs share two processors.
 * @returns milliseconds of processor time of one PUT
 */
export function simulatePuts(
  nodes: number,
  clients: number,
  waits: Waits,
): { readonly ms: number; readonly group: number } {
  const loop = new EventLoop()
  const machine = new Processors(loop, 2)
  const log = new SimulatedLog(loop, waits, { database: machine, nodes: Array.from({ length: nodes }, () => machine) })
  const client = (at: number): void => log.request('put', at, () => client(at))
  for (let at = 0; at < clients; at++) client(at)
  loop.runUntil(20_000)
  return { ms: machine.worked / log.committed, group: log.committed / log.commits }
}
