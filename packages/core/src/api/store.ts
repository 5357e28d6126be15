/** The API of a store that this process owns. */
import type { OpenLogOptions } from '../engine/open-log.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { SubscriptionBatch } from '../following/walk-batches.ts'
import type { JobStatus } from '../jobs/jobs.ts'
import type { LifecycleResult } from '../jobs/lifecycle-run.ts'
import type { SweepResult } from '../jobs/sweeper.ts'
import type { PromoteOptions, Promotion } from './types/promotion.ts'
import type { Moment } from '../moments/moment.ts'
import type { Journal, Seq } from '../ports/index.ts'
import type { OwnedLog } from '../requests/log-service.ts'
import type { StoreContext } from '../requests/request-context.ts'
import type { FoundDamage } from '../scrub/found-damage.ts'
import type { ScrubOptions, ScrubReport } from '../scrub/scrub.ts'
import type { StoreUsage } from './usage.ts'
import type { Transaction } from './transaction.ts'
import type { StoreTime } from '../time/store-clock.ts'
import type { VerifyOptions, VerifyReport } from '../verify/report.ts'
import type { Identities } from './identities.ts'
import type { Keys } from './keys.ts'
import type { Keyspaces } from './keyspaces.ts'
import type { Listing } from './listing.ts'
import type { Notification } from './notifications.ts'
import type { Projections } from './projections.ts'
import type { Proofs } from './proofs.ts'
import type { RequestStore } from './request-store.ts'
import type { OfBucket, StoreRetention } from './retention.ts'
import type { Snapshots } from './snapshots.ts'
import type { Tasks } from './tasks.ts'
import type { StoreEvents } from './store-events.ts'
import type { Subscriptions } from './subscriptions.ts'
import type {
  Cancelable,
  DensityOptions,
  DensitySlice,
  DiffEntry,
  DiffOptions,
  DiffPage,
  DiffScope,
  EmptiedBucket,
  EmptyBucketOptions,
  EraseRequest,
  EraseResult,
  LogOptions,
  LogPage,
  LogPageOptions,
  MergeRequest,
  MergeResult,
  NotificationOptions,
  PrefixUsageOptions,
  PrefixUsagePage,
  Removal,
  RemovalOptions,
  RestoreRequest,
  RestoreResult,
  SubscriptionOptions,
  TransactionOptions,
  UndoRequest,
  UndoResult,
} from './types/index.ts'

/** A store that this process owns: its buckets, objects, versions and uploads, its log, its keys and its jobs. */
export interface Store extends RequestStore {
  /** Identifies this store permanently, even if its directory is moved. */
  readonly storeId: string
  /** The store's directory, absolute. Absent for a store in memory. */
  readonly dir?: string | undefined
  /** The journal and the blob store that it was created with, as `<journal>+<blobs>`. Absent for a store in memory. */
  readonly layout?: string | undefined
  /** Live events by type, after their commit. */
  readonly events: StoreEvents
  /** The position of the last event. */
  readonly seq: Seq
  /** The jobs of the store, with the last run and the last error of each. */
  readonly jobs: readonly JobStatus[]
  /**
   * The damage that `scrub` found since the store was opened, the newest last, at most 1,000. A scrub that looks at everything
   * removes what it does not find again.
   */
  readonly damage: readonly FoundDamage[]
  /** The same store with another caller. */
  as(context: StoreContext): Store
  /** The log service for other processes that answer requests for this store: see `openRequestStore`. */
  readonly owner: OwnedLog
  /** The keys that objects are encrypted with. */
  readonly keys: Keys
  /** Rows that a program derives from the log. They have only their newest state. */
  readonly keyspaces: Keyspaces
  /** States that a program computes from the log, kept up to date in the background. */
  readonly projections: Projections
  /** Proofs that others can check: what the log has, and that it only grows. */
  readonly proofs: Proofs
  /** The durable subscriptions: `subscribe` with a name opens one. */
  readonly subscriptions: Subscriptions
  /** The time of the store, and how far it trusts the machine's clock. */
  readonly clock: StoreTime
  /** How long the bytes of removed versions stay. */
  readonly retention: StoreRetention
  /** Named moments whose bytes stay. */
  readonly snapshots: Snapshots
  /** The users and roles that a server knows, besides those that its owner configures. */
  readonly identities: Identities
  /** Restores, undos and merges of several commits that go on. */
  readonly tasks: Tasks
  /** Recorded events in order; with `follow`, also new ones. */
  log(options?: LogOptions): AsyncIterable<RecordedEvent>
  /**
   * Recorded events backwards, the newest first, page by page. A page reads a limited number of events, so it can be empty though
   * older events match: go on until there is no `next`.
   */
  logPage(options?: LogPageOptions): Promise<LogPage>
  /**
   * How many events the log has over time, in slices of equal length, without reading the log. `events` is exact. With a
   * filter, `matching` is exact in a slice if all of its events were read, and else an estimate from events spread over it.
   * @throws StorageError what `at` throws for a moment; a time before the first event is the start of the log
   */
  density(options?: DensityOptions): Promise<readonly DensitySlice[]>
  /** Every event that concerns one key, in order. */
  history(bucket: string, key: string, options?: Cancelable): AsyncIterable<RecordedEvent>
  /**
   * What differs in a bucket between two moments: its settings, and its objects in the order of their keys. `from` may be
   * later than `to`. Costs the smaller of two numbers: the keys beneath the prefix, and the events between the moments.
   * @throws StorageError `NoSuchBucket` if no bucket has this name at either moment; what `at` throws for a moment.
   */
  diff(scope: DiffScope, from: Moment, to: Moment, options?: DiffOptions): Listing<DiffEntry, DiffPage>
  /**
   * Makes the objects of a bucket what they were at a moment, by new versions that share the old bytes: nothing of what
   * happened since is lost. Locks are never loosened. A second restore to the same position changes nothing.
   * @throws StorageError `NoSuchBucket` if the bucket does not exist now or did not then; `RestoreConflict`,
   *   `RestoreTooLarge`, `ObjectErased` for a strict restore; what `at` throws for the moment.
   */
  restore(request: RestoreRequest): Promise<RestoreResult>
  /**
   * Gives the bucket that a fork began as what the fork has changed, by new versions that share the bytes. Keys that only the
   * fork changed are taken; keys that both changed are conflicts. The fork stays. A second merge changes nothing.
   * @throws StorageError `NoSuchBucket` if the fork or its base is gone; `NotAFork`, `MergeConflict`, `MergeTooLarge`.
   */
  merge(request: MergeRequest): Promise<MergeResult>
  /**
   * Undoes chosen events where no other event has changed the same key or setting since: versions that they added are
   * removed, removed ones come back as the same versions, and settings and annotations get the values that they had. The
   * log goes on: the undo is made of new events, and can itself be undone. Locks are never loosened.
   * @throws StorageError `UndoConflict`, `UndoTooLarge`; what `at` throws for a moment
   */
  undo(request: UndoRequest): Promise<UndoResult>
  /**
   * Deletes every object whose key begins with a prefix, `''` for all of a bucket, as `objects.delete` does: with versioning, the
   * versions stay. All events have one request id, so `undo({ requestId: removal.id })` takes it back. Objects that are put
   * meanwhile may stay.
   * @throws StorageError `NoSuchBucket`, and what ends the work; what was deleted before stays deleted
   */
  deletePrefix(bucket: string, prefix: string, options?: RemovalOptions): Promise<Removal>
  /**
   * Removes every version and delete marker of a bucket, and aborts its uploads, so that it can be deleted. All events have
   * one request id. Bytes stay as long as the retention says.
   * @throws StorageError `NoSuchBucket`, and what ends the work; what was removed before stays removed
   */
  emptyBucket(bucket: string, options?: EmptyBucketOptions): Promise<EmptiedBucket>
  /**
   * Calls a function with a transaction, and commits all of its writes at once, or none if the function throws. Reads see
   * one state of the store, with the transaction's own writes. If others have changed what it has read before it commits,
   * nothing is changed, and the function is called again. Transactions are serializable: each has the effect that it
   * would have alone. A transaction takes 250 commands. A command that is refused changes nothing, and the transaction
   * may go on after it.
   * @throws StorageError `TransactionConflict` after the last attempt; `TransactionTooLarge`; what the function throws
   */
  transaction<R>(run: (transaction: Transaction) => Promise<R>, options?: TransactionOptions): Promise<R>
  /**
   * Erases the bytes of removed versions at once, whatever the retention says, such as those of a secret that was uploaded. The
   * facts of the versions stay in the log, and so does the request: `ErasureRequested`. Nothing can bring the bytes back.
   * What a snapshot, a lock, or a copy that exists protects is not erased, and is listed. With `uploads`, uploads in progress are aborted, and the
   * bytes of parts that no version ever had are erased too.
   * @throws StorageError `NoSuchBucket` if no bucket ever had the name; `NoSuchKey` for a key that never had a version there, or an upload; `NoSuchVersion` and `NoSuchUpload` for those that the key never had;
   *   `InvalidArgument`; `BlobFailed` if the bytes could not be deleted: the next sweep deletes them
   */
  erase(request: EraseRequest): Promise<EraseResult>
  /**
   * Events of objects, in the form of S3's event notifications, for the targets that bucket configurations name. They
   * are in order, from a given position; with `follow`, new ones are included.
   */
  notifications(options?: NotificationOptions): AsyncIterable<Notification>
  /**
   * Calls the listener after every commit, in order. Returns a function that ends the subscription. An error of the
   * listener does not affect the commit; it is reported like errors of `events` listeners.
   */
  subscribe(listener: (events: readonly RecordedEvent[]) => void): () => void
  /**
   * The events of a durable subscription in batches, in log order, each event at least once. The store keeps its cursor,
   * which moves when a batch is acknowledged; the next batch comes after that. One holder at a time gets events: a second one
   * waits until the first one ends its iteration, or is silent for longer than its lease. The iteration ends without an
   * error when the signal aborts and when the store closes.
   * @throws StorageError `SubscriptionConflict` if the subscription has another filter; `SubscriptionLost` when another
   *   holder has taken it; `LeaseHeld` if it has a holder and the store has no timer to wait with; `ReadOnly`; what `at`
   *   throws for `from`.
   */
  subscribe(name: string, options?: SubscriptionOptions): AsyncIterable<SubscriptionBatch>
  /** Computes the views of the whole log into another, empty journal. */
  replay(into: Journal, options?: OpenLogOptions): Promise<void>
  /**
   * Drops every view and computes it again from the log. Reads and writes wait meanwhile. An interrupted rebuild leaves
   * the store `failed`, also for reads; opening it again finishes the work. Then computes all keyspaces with a reducer
   * again that this process opened; an interrupted one continues with its next `follow`.
   */
  rebuild(options?: OpenLogOptions): Promise<void>
  /** Compares log, views and blobs with each other. Without `scratch`, it uses a temporary journal. */
  verify(options?: VerifyOptions): Promise<VerifyReport>
  /** Reads all stored bytes and reports damage. It can be slowed down to run in the background. */
  scrub(options?: ScrubOptions): Promise<ScrubReport>
  /** The stored bytes of the store, or of one bucket, without a scan. @throws StorageError `NoSuchBucket` */
  usage(options?: OfBucket): Promise<StoreUsage>
  /**
   * The current objects of a bucket and their bytes, by the next prefix: what a map of a bucket needs. Counts `limit` objects; a
   * truncated page has `next`, which continues.
   * @throws StorageError `NoSuchBucket`
   */
  prefixUsage(bucket: string, options?: PrefixUsageOptions): Promise<PrefixUsagePage>
  /** Aborts the uploads of deleted buckets and erases due bytes. With `orphans`, also deletes blobs no event names. */
  sweep(options?: { readonly orphans?: boolean }): Promise<SweepResult>
  /** Applies the lifecycle rules of the buckets, as the actor `lifecycle`. */
  applyLifecycle(options?: Cancelable): Promise<LifecycleResult>
  /**
   * Makes a store that follows a replica an ordinary one: deposes the writer of the replica, applies all that it has counted, and begins an
   * epoch. The store takes writes when this resolves, and writes the replica on. A call that failed can be repeated.
   * @throws StorageError `InvalidRequest` if the store follows no replica; `ReplicaHeld` if another writer than the one that was followed
   *   has the replica, as when another follower was promoted first; `ReplicaDiverged`, `ReplicaCorrupt`, `LogCorrupt`; what the replica's
   *   target throws: the store then follows on
   */
  promote(options?: PromoteOptions): Promise<Promotion>
  /** Ends background work and verifications, waits for running requests, and closes the ports it opened. Idempotent. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
