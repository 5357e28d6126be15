/** Durable subscriptions: readers of the log that the store remembers by name. */
import type { SubscriptionInfo, SubscriptionSet } from '../following/subscription-set.ts'
import type { SubscriptionBatch } from '../following/walk-batches.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { checked } from '../schema/schema.ts'
import { atCall } from './arguments/at-call.ts'
import { optionsOf } from './arguments/common.ts'
import { keyspaceName } from './arguments/keyspace-options.ts'
import { subscriptionOptions } from './arguments/subscription-options.ts'
import type { SubscriptionOptions } from './types/index.ts'

/** Lists and removes subscriptions. `store.subscribe` opens them. */
export interface Subscriptions {
  /** All subscriptions, in the order of their names. @throws StorageError `RowCorrupt` */
  list(): Promise<readonly SubscriptionInfo[]>
  /** Removes a subscription and its cursor, also one with a damaged header. Does nothing if there is none. */
  drop(name: string): Promise<void>
}

export const subscriptions = (set: SubscriptionSet): Subscriptions => ({
  list: () => set.list(),
  drop: async (name) => set.drop(checked('name', keyspaceName, name)),
})

const batchMaxDefault = 100
const leaseMsDefault = 30_000

interface Given extends SubscriptionOptions {
  readonly name: string
}

export function openSubscription(
  set: SubscriptionSet,
  jobs: Jobs,
  name: string,
  options?: SubscriptionOptions,
): AsyncIterable<SubscriptionBatch> {
  const given = atCall(
    (): Given => ({ name: checked('name', keyspaceName, name), ...optionsOf(subscriptionOptions, options) }),
  )
  return walkSubscription(set, jobs, given)
}

async function* walkSubscription(
  set: SubscriptionSet,
  jobs: Jobs,
  given: () => Given,
): AsyncGenerator<SubscriptionBatch> {
  const { name, from = 0, filter, replace = false, keepBytes, ...options } = given()
  const { batchMax = batchMaxDefault, leaseMs = leaseMsDefault } = options
  const signal = jobs.signalWith(options.signal)
  yield* set.open({ name, from, filter, replace, keepBytes, leaseMs }, { batchMax, signal })
}
