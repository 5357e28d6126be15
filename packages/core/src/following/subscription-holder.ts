/**
 * One holder of a subscription. Its commits expect the keyspace as it knows it, so they are refused once another holder
 * has taken the subscription, however late they arrive.
 */
import { isStorageError, type StorageError } from '../base/errors.ts'
import type { KeyspaceHolder } from '../keyspaces/keyspace-holder.ts'
import type { Seq } from '../ports/index.ts'
import type { FollowingEngine } from './following-engine.ts'
import { subscriptionEnded, subscriptionLost } from './subscription-errors.ts'
import { subscriptionChange, type SubscriptionRow } from './subscription-row.ts'

/** The longest time between two writes of a cursor that passes events without a match, in milliseconds. */
const advanceMs = 1000

export interface HolderParts {
  readonly name: string
  readonly engine: FollowingEngine
  readonly keyspace: KeyspaceHolder
  /** As it is once the subscription is taken. */
  readonly row: SubscriptionRow
  /** The position that the subscription begins after. */
  readonly at: Seq
}

export class SubscriptionHolder {
  readonly name: string
  readonly #engine: FollowingEngine
  readonly #keyspace: KeyspaceHolder
  readonly #lost = new AbortController()
  #row: SubscriptionRow
  /** When the lease was last written, by the monotonic clock. */
  #writtenAt: number
  /** When the lease ends in this process, by the monotonic clock. It does not end while the holder waits for events. */
  #activeUntil = Number.POSITIVE_INFINITY
  #hasEnded = false
  #passed: Seq

  constructor({ name, engine, keyspace, row, at }: HolderParts) {
    this.name = name
    this.#engine = engine
    this.#keyspace = keyspace
    this.#row = row
    this.#writtenAt = this.#now
    this.#passed = at
  }

  get row(): SubscriptionRow {
    return this.#row
  }

  get cursor(): Seq {
    return this.#keyspace.header.cursor
  }

  /** Whether the lease lasts, as far as this process knows. */
  get isActive(): boolean {
    return !this.#hasEnded && !this.#lost.signal.aborted && this.#now < this.#activeUntil
  }

  /** Milliseconds until the lease ends; absent while the holder waits for events. */
  get leaseMs(): number | undefined {
    return this.#activeUntil === Number.POSITIVE_INFINITY ? undefined : this.#activeUntil - this.#now
  }

  /** Aborts when another holder takes the subscription. */
  get lostSignal(): AbortSignal {
    return this.#lost.signal
  }

  /** The error of a subscription that was lost. */
  get loss(): StorageError | undefined {
    return this.#lost.signal.aborted ? (this.#lost.signal.reason as StorageError) : undefined
  }

  /** From now on the lease ends unless the caller acknowledges in time. */
  rest(): void {
    this.#activeUntil = this.#now + this.#row.leaseMs
  }

  /** Renews the lease in this process, which needs no write. @throws StorageError `SubscriptionLost` */
  resume(): void {
    if (this.loss !== undefined) throw this.loss
    this.#activeUntil = Number.POSITIVE_INFINITY
  }

  /** The first loss counts. */
  lose(cause?: unknown): StorageError {
    this.#lost.abort(subscriptionLost(this.name, cause))
    return this.#lost.signal.reason as StorageError
  }

  /** @throws StorageError `SubscriptionLost`; `NoSpace`, and the acknowledgement can be repeated */
  async acknowledge(to: Seq): Promise<void> {
    if (this.loss !== undefined) throw this.loss
    if (this.#hasEnded) {
      this.#engine.assertOpen()
      throw subscriptionEnded(this.name)
    }
    if (this.#activeUntil !== Number.POSITIVE_INFINITY) this.rest()
    await this.#commit(to)
  }

  /** Notes that no event up to this position has still to be delivered. Writes the cursor if that is due. */
  async pass(to: Seq, isDue: boolean): Promise<void> {
    this.#passed = to
    if (isDue || this.#isDue(advanceMs)) await this.#commitIfRoom(to)
  }

  /** Renews the lease for other engines, if a third of it has passed. */
  async renew(): Promise<void> {
    if (this.#engine.sharing.isShared && this.#isDue(this.#row.leaseMs / 3)) await this.#commitIfRoom(this.cursor)
  }

  /** Milliseconds until something has to be written; absent if that depends on new events. */
  get idleMs(): number | undefined {
    const waits = [
      ...(this.#passed > this.cursor ? [advanceMs] : []),
      ...(this.#engine.sharing.isShared ? [this.#row.leaseMs / 3] : []),
    ]
    return waits.length === 0 ? undefined : Math.max(0, Math.min(...waits) - (this.#now - this.#writtenAt))
  }

  /** Gives the lease back, also while the store closes. Never rejects: a lease that is not given back ends by itself. */
  async release(): Promise<void> {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const hasPassed = this.#passed > this.cursor
    if (this.loss !== undefined || !(hasPassed || this.#engine.sharing.isShared)) return
    const change = subscriptionChange({ ...this.#row, holder: null })
    await this.#keyspace.commitLast(Math.max(this.#passed, this.cursor), [change]).catch(() => undefined)
  }

  /** Without room, events are passed again after the next opening, and a lease may end. */
  async #commitIfRoom(to: Seq): Promise<void> {
    try {
      await this.#commit(to)
    } catch (error) {
      if (!isStorageError(error, 'NoSpace')) throw error
    }
  }

  async #commit(to: Seq): Promise<void> {
    const at = this.#now
    const row = await this.#renewedRow()
    try {
      await this.#keyspace.commit(to, row === this.#row ? [] : [subscriptionChange(row)])
    } catch (error) {
      if (!isStorageError(error, 'KeyspaceConflict')) throw error
      throw this.lose(error)
    }
    this.#row = row
    this.#writtenAt = at
    this.#passed = Math.max(this.#passed, to)
  }

  async #renewedRow(): Promise<SubscriptionRow> {
    const expires = await leaseExpiry(this.#engine, this.#row.leaseMs)
    return expires === undefined ? this.#row : { ...this.#row, expires }
  }

  #isDue(ms: number): boolean {
    return this.#now - this.#writtenAt >= ms
  }

  get #now(): number {
    return this.#engine.ports.clock.monotonic()
  }
}

/** Only other engines need it, and only a clock that they share can give it. */
export async function leaseExpiry({ sharing, ports }: FollowingEngine, leaseMs: number): Promise<number | undefined> {
  const now = sharing.isShared ? await ports.journal.now?.() : undefined
  return now === undefined ? undefined : now + leaseMs
}
