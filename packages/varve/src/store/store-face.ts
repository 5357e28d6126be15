/**
 * The store people hold. A class, since a server makes one for every request: accessors of an object of its own would make
 * every one of them a new shape, and everything that touches it slow.
 */
import type { LayoutName } from '@varve/adapters'
import {
  type Buckets,
  type Cancelable,
  frozen,
  type IdleRead,
  type Journal,
  type Keys,
  type LifecycleResult,
  type LogOptions,
  type Notification,
  type NotificationOptions,
  type Objects,
  type OpenLogOptions,
  type OwnedLog,
  type PastStore,
  type RecordedEvent,
  type ScrubOptions,
  type ScrubReport,
  schema,
  type Seq,
  type Store,
  type StoreContext,
  type StoreState,
  type StoreTime,
  type SweepResult,
  type TrackedReads,
  type Uploads,
  type VerifyOptions,
  type VerifyReport,
  type Versions,
} from '@varve/core'
import { callListener, warnOfListener } from '../jobs/call-listener.ts'
import type { StoreEvents } from './store-events.ts'

export interface VarveStore extends Store {
  /** Live events by type, after their commit. */
  readonly events: StoreEvents
  /** Names this store for ever, wherever its directory is moved. */
  readonly storeId: string
  /** The store's directory, absolute. Absent for a store in memory. */
  readonly dir?: string
  /** What it is made of. Absent for a store in memory. */
  readonly layout?: LayoutName
  as(context: StoreContext): VarveStore
  /** Finishes what is under way, ends verifications, lets go of the directory. Idempotent. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** What all faces of one store share. */
export interface Home {
  readonly events: StoreEvents
  readonly storeId: string
  readonly dir?: string
  readonly layout?: LayoutName
  verify(of: Store, options?: VerifyOptions): Promise<VerifyReport>
  scrub(of: Store, options?: ScrubOptions): Promise<ScrubReport>
  applyLifecycle(of: Store, options?: Cancelable): Promise<LifecycleResult>
  close(): Promise<void>
}

export class StoreFace implements VarveStore {
  readonly events: StoreEvents
  readonly storeId: string
  readonly dir?: string
  readonly layout?: LayoutName
  readonly #of: Store
  readonly #home: Home

  constructor(of: Store, home: Home) {
    this.#of = of
    this.#home = home
    this.events = home.events
    this.storeId = home.storeId
    if (home.dir !== undefined) this.dir = home.dir
    if (home.layout !== undefined) this.layout = home.layout
  }

  get buckets(): Buckets {
    return this.#of.buckets
  }

  get objects(): Objects {
    return this.#of.objects
  }

  get versions(): Versions {
    return this.#of.versions
  }

  get uploads(): Uploads {
    return this.#of.uploads
  }

  get keys(): Keys {
    return this.#of.keys
  }

  get clock(): StoreTime {
    return this.#of.clock
  }

  get seq(): Seq {
    return this.#of.seq
  }

  get owner(): OwnedLog {
    return this.#of.owner
  }

  get state(): StoreState {
    return this.#of.state
  }

  expireReads(idleMs: number): Promise<readonly IdleRead[]> {
    return this.#of.expireReads(idleMs)
  }

  as(context: StoreContext): VarveStore {
    return new StoreFace(this.#of.as(context), this.#home)
  }

  tracking(into: Parameters<Store['tracking']>[0]): TrackedReads {
    return this.#of.tracking(into)
  }

  at(when: Seq | Date): Promise<PastStore> {
    return this.#of.at(when)
  }

  log(options?: LogOptions): AsyncIterable<RecordedEvent> {
    return this.#of.log(options)
  }

  history(bucket: string, key: string, options?: Cancelable): AsyncIterable<RecordedEvent> {
    return this.#of.history(bucket, key, options)
  }

  notifications(options?: NotificationOptions): AsyncIterable<Notification> {
    return this.#of.notifications(options)
  }

  subscribe(listener: (events: readonly RecordedEvent[]) => void): () => void {
    return this.#of.subscribe(guarded(schema.checked('listener', callback, listener)))
  }

  replay(into: Journal, options?: OpenLogOptions): Promise<void> {
    return this.#of.replay(into, options)
  }

  rebuild(options?: OpenLogOptions): Promise<void> {
    return this.#of.rebuild(options)
  }

  verify(options?: VerifyOptions): Promise<VerifyReport> {
    return this.#home.verify(this.#of, options)
  }

  scrub(options?: ScrubOptions): Promise<ScrubReport> {
    return this.#home.scrub(this.#of, options)
  }

  sweep(options?: { readonly orphans?: boolean }): Promise<SweepResult> {
    return this.#of.sweep(options)
  }

  applyLifecycle(options?: Cancelable): Promise<LifecycleResult> {
    return this.#home.applyLifecycle(this.#of, options)
  }

  close(): Promise<void> {
    return this.#home.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#home.close()
  }
}

const callback = schema.callable<Parameters<Store['subscribe']>[0]>()

/** Called in the middle of a commit, so what it throws must not come out there. */
const guarded =
  (listener: Parameters<Store['subscribe']>[0]): typeof listener =>
  (committed) => {
    // Core also calls when it closes, with nothing.
    if (committed.length === 0) return
    callListener(() => listener(frozen(committed)), warnOfListener)
  }
