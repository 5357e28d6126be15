/** The store on an engine: what its owner has open. */
import { StorageError } from '../base/errors.ts'
import { frozen } from '../base/frozen.ts'
import { rebuild, replay } from '../engine/make-views.ts'
import type { Engine } from '../engine/engine.ts'
import type { OpenLogOptions } from '../engine/open-log.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { JobStatus } from '../jobs/jobs.ts'
import { type LifecycleResult, LifecycleRun } from '../jobs/lifecycle-run.ts'
import { removeOrphans } from '../jobs/orphans.ts'
import type { SweepResult } from '../jobs/sweeper.ts'
import type { SubscriptionBatch } from '../following/walk-batches.ts'
import type { Journal, Seq } from '../ports/index.ts'
import type { OwnedLog } from '../requests/log-service.ts'
import { journal } from '../checked-ports/ports.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { checked } from '../schema/schema.ts'
import type { FoundDamage } from '../scrub/found-damage.ts'
import { scrub, type ScrubOptions, type ScrubReport } from '../scrub/scrub.ts'
import type { StoreTime } from '../time/store-clock.ts'
import type { Divergence, VerifyOptions, VerifyReport } from '../verify/report.ts'
import { cancelable, optionsOf } from './arguments/common.ts'
import {
  callback,
  openLogOptions,
  promoteOptions,
  scrubOptions,
  storeContext,
  sweepOptions,
} from './arguments/log-options.ts'
import { verifyOptions } from './arguments/verify-options.ts'
import { callListener } from '../base/call-listener.ts'
import { type Identities, storeIdentities } from './identities.ts'
import { type Keys, keys } from './keys.ts'
import { type Keyspaces, keyspaces } from './keyspaces.ts'
import { followNotifications, type Notification } from './notifications.ts'
import { type Projections, projections } from './projections.ts'
import type { Opened } from './opened.ts'
import { type Proofs, storeProofs } from './proofs.ts'
import { RevertingStore } from './reverting-store.ts'
import { type OfBucket, type StoreRetention, storeRetention } from './retention.ts'
import { type Snapshots, storeSnapshots } from './snapshots.ts'
import { type StoreUsage, storeUsage } from './usage.ts'
import { verifyOpened } from './verify-opened.ts'
import type { StoreEvents } from './store-events.ts'
import { type Transaction, transaction } from './transaction.ts'
import { storeTime } from './store-time.ts'
import { openSubscription, type Subscriptions, subscriptions } from './subscriptions.ts'
import type { Store } from './store.ts'
import { prefixUsage } from './prefix-usage.ts'
import { deletePrefix, emptyBucket, type RemovingStore } from './remove-many.ts'
import type { PromoteOptions, Promotion } from './types/promotion.ts'
import type {
  Cancelable,
  EmptiedBucket,
  EmptyBucketOptions,
  NotificationOptions,
  PrefixUsageOptions,
  PrefixUsagePage,
  Removal,
  RemovalOptions,
  SubscriptionOptions,
  TransactionOptions,
} from './types/index.ts'

export class EngineStore extends RevertingStore implements Store {
  readonly #opened: Opened
  readonly #engine: Engine

  constructor(opened: Opened) {
    super(opened)
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

  get damage(): readonly FoundDamage[] {
    return this.#opened.damage.list
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

  get identities(): Identities {
    return storeIdentities(this.#engine, this.#opened.context)
  }

  get snapshots(): Snapshots {
    return storeSnapshots(this.#engine, this.#opened.context)
  }

  async usage(options?: OfBucket): Promise<StoreUsage> {
    return storeUsage(this.#engine, options)
  }

  async prefixUsage(bucket: string, options?: PrefixUsageOptions): Promise<PrefixUsagePage> {
    return prefixUsage(this.objects, bucket, options)
  }

  async deletePrefix(bucket: string, prefix: string, options?: RemovalOptions): Promise<Removal> {
    return deletePrefix(this.#removing(), bucket, prefix, options)
  }

  async emptyBucket(bucket: string, options?: EmptyBucketOptions): Promise<EmptiedBucket> {
    return emptyBucket(this.#removing(), bucket, options)
  }

  #removing(): RemovingStore {
    const { context, engine } = this.#opened
    const id = context.requestId ?? engine.ports.ids.next()
    const { objects, versions, uploads } = this.as({ ...context, requestId: id })
    return { id, objects, versions, uploads }
  }

  async transaction<R>(run: (transaction: Transaction) => Promise<R>, options?: TransactionOptions): Promise<R> {
    return transaction(this.#opened, run, options)
  }

  notifications(options?: NotificationOptions): AsyncIterable<Notification> {
    return followNotifications(this.#engine, options)
  }

  get projections(): Projections {
    return projections(this.#engine, this.#opened.projections)
  }

  get proofs(): Proofs {
    return storeProofs(this.#opened, this.objects)
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
    const pass = this.#opened.damage.beginPass(options.from === undefined)
    const onDivergence = (divergence: Divergence): void => {
      pass.note(divergence)
      options.onDivergence?.(divergence)
    }
    return jobs.runBeside('scrub', async () => {
      const report = await scrub(this.#engine, { ...options, signal, onDivergence })
      pass.end()
      return report
    })
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

  async promote(given?: PromoteOptions): Promise<Promotion> {
    const { home, context, jobs } = this.#opened
    const options = optionsOf(promoteOptions, given)
    this.#engine.assertOpen()
    if (this.#engine.followed?.isFollowing === true && home.promote !== undefined)
      return jobs.during(home.promote(options, context.by))
    throw new StorageError('InvalidRequest', 'The store follows no replica.', { details: { kind: 'promoted' } })
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
