/** The store on an engine: what its owner has open. */
import { StorageError } from '../base/errors.ts'
import { frozen } from '../base/frozen.ts'
import { rebuild, replay } from '../engine/make-views.ts'
import type { Engine } from '../engine/engine.ts'
import type { OpenLogOptions } from '../engine/open-log.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { DeletedBuckets } from '../jobs/deleted-buckets.ts'
import type { Jobs, JobStatus } from '../jobs/jobs.ts'
import { type LifecycleResult, LifecycleRun } from '../jobs/lifecycle-run.ts'
import { removeOrphans } from '../jobs/orphans.ts'
import type { Sweeper, SweepResult } from '../jobs/sweeper.ts'
import type { SubscriptionSet } from '../following/subscription-set.ts'
import type { SubscriptionBatch } from '../following/walk-batches.ts'
import type { KeyspaceSet } from '../keyspaces/keyspace-set.ts'
import type { Journal, Seq } from '../ports/index.ts'
import type { ProjectionSet } from '../projections/projection-set.ts'
import type { OwnedLog } from '../requests/log-service.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { checked } from '../schema/schema.ts'
import { scrub, type ScrubOptions, type ScrubReport } from '../scrub/scrub.ts'
import type { StoreTime } from '../time/store-clock.ts'
import type { VerifyOptions, VerifyReport } from '../verify/report.ts'
import { cancelable, optionsOf } from './arguments/common.ts'
import {
  callback,
  journal,
  openLogOptions,
  scrubOptions,
  storeContext,
  sweepOptions,
  verifyOptions,
} from './arguments/log-options.ts'
import { callListener } from '../base/call-listener.ts'
import { diff } from './diff.ts'
import { followLog, keyHistory } from './history.ts'
import { type Keys, keys } from './keys.ts'
import { type Keyspaces, keyspaces } from './keyspaces.ts'
import { followNotifications, type Notification } from './notifications.ts'
import { type Projections, projections } from './projections.ts'
import { RequestEngineStore } from './request-store.ts'
import { type OfBucket, type StoreRetention, storeRetention } from './retention.ts'
import { type Snapshots, storeSnapshots } from './snapshots.ts'
import { type StoreUsage, storeUsage } from './usage.ts'
import { verifyOpened } from './verify-opened.ts'
import type { StoreEvents } from './store-events.ts'
import { restoreRequest } from './arguments/restore-options.ts'
import { undoRequest } from './arguments/undo-options.ts'
import { undo } from '../undo/undo.ts'
import { type Transaction, transaction } from './transaction.ts'
import { storeTime } from './store-time.ts'
import type { Listing } from './listing.ts'
import { openSubscription, type Subscriptions, subscriptions } from './subscriptions.ts'
import type { Store } from './store.ts'
import { eraseVersions } from './erase.ts'
import { restoreObjects } from './restore.ts'
import type { Moment } from '../moments/moment.ts'
import type {
  Cancelable,
  DiffEntry,
  DiffOptions,
  DiffPage,
  DiffScope,
  EraseRequest,
  EraseResult,
  LogOptions,
  NotificationOptions,
  RestoreRequest,
  RestoreResult,
  TransactionOptions,
  UndoRequest,
  UndoResult,
  SubscriptionOptions,
} from './types/index.ts'

/** What a store has besides its ports. */
export interface StoreHome {
  /** @default a new one at each opening */
  readonly storeId?: string
  readonly dir?: string
  readonly layout?: string
  /**
   * Receives errors of listeners if there is no `listenerError` listener.
   * @default they surface as unhandled rejections
   */
  readonly warn?: (error: unknown) => void
  /** Each function is called once, when the store is open. It must end when `jobs.signal` aborts. */
  readonly background?: readonly ((store: Store, jobs: Jobs) => Promise<void>)[]
  /** Called when the store is open, before any work begins. An error makes the opening fail. */
  ready?(): Promise<void>
  /** Closes the ports, after the store is closed. @default they stay open */
  closePorts?(): Promise<void>
}

/** What all stores of one opening share: `as` creates another store on it. */
export interface Opened {
  readonly engine: Engine
  readonly context: StoreContext
  readonly region: string
  readonly jobs: Jobs
  readonly keyspaces: KeyspaceSet
  readonly subscriptions: SubscriptionSet
  readonly projections: ProjectionSet
  readonly home: StoreHome & Required<Pick<StoreHome, 'storeId' | 'warn'>> & { readonly events: StoreEvents }
  /** Ends erasures that have started. Absent if this opening writes nothing. */
  readonly finisher?: Sweeper
  /** Absent if this opening erases nothing by itself. */
  readonly eraser?: { readonly sweeper: Sweeper; readonly deletedBuckets: DeletedBuckets }
}

export class EngineStore extends RequestEngineStore implements Store {
  readonly #opened: Opened
  readonly #engine: Engine

  constructor(opened: Opened) {
    super(opened.engine.requests, opened.context, opened.region)
    this.#opened = opened
    this.#engine = opened.engine
  }

  get storeId(): string {
    return this.#opened.home.storeId
  }

  get dir(): string | undefined {
    return this.#opened.home.dir
  }

  get layout(): string | undefined {
    return this.#opened.home.layout
  }

  get events(): StoreEvents {
    return this.#opened.home.events
  }

  get owner(): OwnedLog {
    return this.#engine
  }

  get seq(): Seq {
    return this.#engine.writer.committed
  }

  get jobs(): readonly JobStatus[] {
    return this.#opened.jobs.list
  }

  override as(context: StoreContext): Store {
    return new EngineStore({ ...this.#opened, context: checked('context', storeContext, context) })
  }

  get keys(): Keys {
    return keys(this.#engine.requests, this.#opened.context)
  }

  get keyspaces(): Keyspaces {
    return keyspaces(this.#opened.keyspaces, this.#opened.jobs)
  }

  get clock(): StoreTime {
    return storeTime(this.#engine)
  }

  get retention(): StoreRetention {
    return storeRetention(this.#engine, this.#opened.context)
  }

  get snapshots(): Snapshots {
    return storeSnapshots(this.#engine, this.#opened.context)
  }

  async usage(options?: OfBucket): Promise<StoreUsage> {
    return storeUsage(this.#engine, options)
  }

  log(options?: LogOptions): AsyncIterable<RecordedEvent> {
    return followLog(this.#engine, options)
  }

  history(bucket: string, key: string, options?: Cancelable): AsyncIterable<RecordedEvent> {
    return keyHistory(this.#engine, bucket, key, options)
  }

  diff(scope: DiffScope, from: Moment, to: Moment, options?: DiffOptions): Listing<DiffEntry, DiffPage> {
    const { engine, context } = this.#opened
    return diff({ requests: engine.requests, context }, scope, [from, to], options)
  }

  async restore(request: RestoreRequest): Promise<RestoreResult> {
    const { engine, context, eraser } = this.#opened
    const given = checked('request', restoreRequest, request)
    if (given.deletedBucket === true && given.dryRun !== true) await eraser?.deletedBuckets.clearUnlessHeld()
    return restoreObjects(engine, context, given)
  }

  async undo(request: UndoRequest): Promise<UndoResult> {
    const { engine, context, eraser } = this.#opened
    const given = checked('request', undoRequest, request)
    // A bucket can come back once the uploads that it left are aborted. Another engine may do that now.
    if (given.dryRun !== true) await eraser?.deletedBuckets.clearUnlessHeld()
    return undo(engine, context, given)
  }

  async transaction<R>(run: (transaction: Transaction) => Promise<R>, options?: TransactionOptions): Promise<R> {
    return transaction(this.#opened, run, options)
  }

  async erase(given: EraseRequest): Promise<EraseResult> {
    const { engine, context, finisher } = this.#opened
    return eraseVersions(engine, context, { given, deleteBytes: async () => finisher?.finishErasures() })
  }

  notifications(options?: NotificationOptions): AsyncIterable<Notification> {
    return followNotifications(this.#engine, options)
  }

  get projections(): Projections {
    return projections(this.#engine, this.#opened.projections)
  }

  get subscriptions(): Subscriptions {
    return subscriptions(this.#opened.subscriptions)
  }

  subscribe(listener: (events: readonly RecordedEvent[]) => void): () => void
  subscribe(name: string, options?: SubscriptionOptions): AsyncIterable<SubscriptionBatch>
  subscribe(
    given: string | ((events: readonly RecordedEvent[]) => void),
    options?: SubscriptionOptions,
  ): (() => void) | AsyncIterable<SubscriptionBatch> {
    const { subscriptions: set, jobs, home } = this.#opened
    if (typeof given === 'string') return openSubscription(set, jobs, given, options)
    const listener = checked('listener', callback, given) as typeof given
    return this.#engine.onCommitted((events) => {
      if (events.length > 0) callListener(() => listener(frozen(events)), home.warn)
    })
  }

  async replay(into: Journal, options?: OpenLogOptions): Promise<void> {
    return replay(this.#engine, checked('into', journal, into), optionsOf(openLogOptions, options))
  }

  async rebuild(options?: OpenLogOptions): Promise<void> {
    const { eraser, keyspaces: set, jobs } = this.#opened
    const given = optionsOf(openLogOptions, options)
    const signal = jobs.signalWith(given.signal)
    await rebuild(this.#engine, async () => eraser?.sweeper.idle(), given)
    await jobs.during(set.rebuild(signal))
  }

  async verify(options?: VerifyOptions): Promise<VerifyReport> {
    return this.#opened.jobs.during(verifyOpened(this.#opened, optionsOf(verifyOptions, options)))
  }

  async scrub(given?: ScrubOptions): Promise<ScrubReport> {
    const { jobs } = this.#opened
    const options = optionsOf(scrubOptions, given)
    const signal = jobs.signalWith(options.signal)
    return jobs.runBeside('scrub', () => scrub(this.#engine, { ...options, signal }))
  }

  async sweep(options?: { readonly orphans?: boolean }): Promise<SweepResult> {
    const { orphans = false } = optionsOf(sweepOptions, options)
    const { sweeper, deletedBuckets } = this.#eraser()
    await deletedBuckets.clear()
    return {
      erased: await sweeper.eraseGarbage(),
      orphans: orphans ? await this.#opened.jobs.run('orphans', () => removeOrphans(this.#engine)) : 0,
    }
  }

  async applyLifecycle(options?: Cancelable): Promise<LifecycleResult> {
    const { jobs } = this.#opened
    const signal = jobs.signalWith(optionsOf(cancelable, options).signal)
    this.#eraser()
    return jobs.run('lifecycle', () => new LifecycleRun(this.#engine, { signal }).run())
  }

  #eraser(): NonNullable<Opened['eraser']> {
    this.#engine.assertOpen()
    this.#engine.assertWritable()
    const { eraser } = this.#opened
    if (eraser !== undefined) return eraser
    throw new StorageError('InvalidRequest', 'The store is open for maintenance, which erases nothing.')
  }

  close(): Promise<void> {
    const { jobs, home } = this.#opened
    return this.#engine.close(
      () => jobs.stop(),
      async () => home.closePorts?.(),
    )
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
