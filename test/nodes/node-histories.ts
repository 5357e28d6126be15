/** Histories through several nodes: each operation goes to any of them, and everything must have happened in one order. */
import { type History, runHistory } from '../model/history.ts'
import { unexplained } from '../model/linearizable.ts'
import { tornListing } from '../model/torn-listings.ts'
import { randomFrom } from '../support/random.ts'
import type { NodeSet } from './node-set.ts'

export interface NodeHistoryOptions {
  readonly seed: number
  readonly operations: number
}

export interface JudgedHistory {
  readonly history: History
  /** What is wrong with it, if anything. */
  readonly verdict: string | undefined
  /** How many operations began before another one ended. */
  readonly overlapping: number
}

const clients = 8
/** Few, so that clients and nodes meet. */
const keys = ['a', 'b/1', 'b/2', 'c']
const sweepEveryMs = 200

export async function tryNodeHistory(
  { apis, stores }: NodeSet,
  { seed, operations }: NodeHistoryOptions,
): Promise<JudgedHistory> {
  const [store] = stores
  const random = randomFrom(seed).below
  const bucket = `history-${seed}`
  await store.buckets.create(bucket)
  // The unversioned ones free bytes.
  if (seed % 2 === 0) await store.buckets.setVersioning(bucket, 'Enabled')
  const from = store.seq
  let isEnding = false
  const sweeping = sweepInTurn()
  try {
    const apiOf = () => apis[random(apis.length)] as (typeof apis)[number]
    const history = await runHistory(apiOf, { bucket, clients, operations, keys, random, copies: true })
    const overlapping = history.operations.filter(({ called, returned }) => returned > called + 1).length
    return { history, verdict: await judge(history), overlapping }
  } finally {
    isEnding = true
    await sweeping
  }

  async function sweepInTurn(): Promise<void> {
    while (!isEnding) {
      await stores[random(stores.length)]?.sweep()
      await new Promise((resolve) => setTimeout(resolve, sweepEveryMs))
    }
  }

  async function judge(history: History): Promise<string | undefined> {
    for (const key of keys) {
      const wrong = unexplained(history.operations.filter((operation) => operation.key === key))
      if (wrong !== undefined) return `nothing explains ${JSON.stringify(wrong)}`
    }
    const torn = await tornListing(store, history, from)
    return torn && `no commit shows ${JSON.stringify(torn)}`
  }
}
