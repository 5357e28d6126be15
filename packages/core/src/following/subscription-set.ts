/** The subscriptions of one opened store: their holders in this process, and what is stored of all. */
import { onAbort } from '../base/on-abort.ts'
import type { KeyspaceSet } from '../keyspaces/keyspace-set.ts'
import type { Seq } from '../ports/index.ts'
import type { EventFilter } from './event-filter.ts'
import type { FollowingEngine } from './following-engine.ts'
import type { SubscriptionHolder } from './subscription-holder.ts'
import { subscriptionKeyspace, type SubscriptionRow } from './subscription-row.ts'
import { type SubscriptionRequest, takeSubscription } from './take-subscription.ts'
import { type SubscriptionBatch, walkBatches } from './walk-batches.ts'
import { type StoredSubscription, walkSubscriptions } from './walk-subscriptions.ts'

/** A subscription that a store has. */
export interface SubscriptionInfo {
  readonly name: string
  readonly filter: EventFilter
  /** Whether bytes that were freed after the cursor stay. */
  readonly keepsBytes: boolean
  /** All events up to this position were acknowledged, or do not match. */
  readonly cursor: Seq
  /** The number of events in the log after the cursor, whether they match or not. */
  readonly lag: number
  /** Absent while the subscription has no holder. */
  readonly lease?: SubscriptionLease
}

/** The right of one holder to get the events of a subscription. */
export interface SubscriptionLease {
  /** Raised each time a holder takes the subscription. */
  readonly epoch: number
  /** Whether the holder is in this process. */
  readonly isHere: boolean
  /** When another holder can take it. Absent while the holder waits for events, and where no clock is shared. */
  readonly expires?: Date
}

/** The end of the store, and the work that it waits for. */
export interface StoreWork {
  /** Aborts when the store closes. */
  readonly signal: AbortSignal
  during<T>(work: Promise<T>): Promise<T>
}

export class SubscriptionSet {
  readonly #engine: FollowingEngine
  readonly #keyspaces: KeyspaceSet
  readonly #work: StoreWork
  /** By the ids that rows have. */
  readonly #holders = new Map<string | null, SubscriptionHolder>()

  constructor(engine: FollowingEngine, keyspaces: KeyspaceSet, work: StoreWork) {
    this.#engine = engine
    this.#keyspaces = keyspaces
    this.#work = work
    // A store that closes does not wait for callers to request another batch.
    onAbort(work.signal, () => this.#releaseAll())
  }

  /** Takes the subscription when the first batch is requested. @throws as `takeSubscription` and `walkBatches` do */
  async *open(
    request: SubscriptionRequest,
    { batchMax, signal }: { readonly batchMax: number; readonly signal: AbortSignal },
  ): AsyncGenerator<SubscriptionBatch> {
    const engine = this.#engine
    engine.assertOpen()
    engine.assertWritable()
    const holder = await this.#take(request, signal)
    if (holder === undefined) return
    try {
      yield* walkBatches({ engine, holder, batchMax, signal })
    } finally {
      await this.#work.during(this.#release(holder))
    }
  }

  /** In the order of their names. */
  async list(): Promise<readonly SubscriptionInfo[]> {
    this.#engine.assertOpen()
    await this.#engine.fresh()
    const snapshot = await this.#engine.ports.journal.snapshot()
    const infos: SubscriptionInfo[] = []
    try {
      for await (const stored of walkSubscriptions(snapshot, this.#engine.ports.hashing))
        infos.push(this.#infoOf(stored))
    } finally {
      await snapshot.close()
    }
    return infos
  }

  /** Its holder gets `SubscriptionLost`. */
  async drop(name: string): Promise<void> {
    await this.#keyspaces.drop(subscriptionKeyspace(name), this.#work.signal)
    for (const holder of this.#holders.values()) if (holder.name === name) holder.lose()
  }

  async #take(request: SubscriptionRequest, signal: AbortSignal): Promise<SubscriptionHolder | undefined> {
    const taking = { engine: this.#engine, request, local: this.#holders, signal }
    try {
      return await this.#work.during(takeSubscription(taking))
    } catch (error) {
      if (signal.aborted) return undefined
      throw error
    }
  }

  #releaseAll(): void {
    for (const holder of this.#holders.values()) void this.#work.during(this.#release(holder))
  }

  async #release(holder: SubscriptionHolder): Promise<void> {
    await holder.release()
    this.#holders.delete(holder.row.holder)
  }

  #infoOf({ name, cursor, row }: StoredSubscription): SubscriptionInfo {
    const lease = this.#leaseOf(row)
    const lag = Math.max(0, this.#engine.writer.committed - cursor)
    return { name, filter: row.filter, keepsBytes: row.keepsBytes === true, cursor, lag, ...(lease && { lease }) }
  }

  #leaseOf({ epoch, holder, expires }: SubscriptionRow): SubscriptionLease | undefined {
    const { sharing, ports } = this.#engine
    const here = this.#holders.get(holder)
    if (here?.isActive === true) {
      const { leaseMs } = here
      return { epoch, isHere: true, ...(leaseMs !== undefined && { expires: new Date(ports.clock.now() + leaseMs) }) }
    }
    if (here !== undefined || holder === null || !sharing.isShared) return undefined
    return { epoch, isHere: false, ...(expires !== undefined && { expires: new Date(expires) }) }
  }
}
