/** The store that another process has open. */
import { randomUUID } from 'node:crypto'
import {
  callArguments,
  type ClockStatus,
  type DensityOptions,
  type DensitySlice,
  type DiffEntry,
  type DiffOptions,
  type DiffPage,
  type DiffScope,
  type EraseRequest,
  type EraseResult,
  type EmptiedBucket,
  type EmptyBucketOptions,
  type FoundDamage,
  type Removal,
  type RemovalOptions,
  type Cancelable,
  type JobStatus,
  type KeyGenerationInfo,
  type Listing,
  type LogOptions,
  type LogPage,
  type LogPageOptions,
  type Moment,
  type Objects,
  type OfBucket,
  optionsOf,
  type PastStore,
  type PrefixUsageOptions,
  type PrefixUsagePage,
  type PromoteOptions,
  type Promotion,
  type Proofs,
  type RecordedEvent,
  type MergeRequest,
  type MergeResult,
  type RestoreRequest,
  type RestoreResult,
  schema,
  type Seq,
  type Snapshots,
  type Tasks,
  type StoreContext,
  type StoreRetention,
  type StoreUsage,
  type SubscriptionBatch,
  type SubscriptionOptions,
  type Subscriptions,
  type Transaction,
  type TransactionOptions,
  type UndoRequest,
  type UndoResult,
  type Buckets,
  type Uploads,
  type VerifyReport,
  type Versions,
} from '@varve/core'
import { controlApi, type StoreStatus } from '@varve/http'
import { type AttachedIdentities, attachedIdentities } from './attached-identities.ts'
import type { ControlClient } from '../control/control-client.ts'
import { attachedBuckets, readAttachedBuckets } from './attached-buckets.ts'
import { attachedDensity, attachedDiff, attachedHistory, attachedLog, attachedLogPage } from './attached-log.ts'
import { attachedProofs } from './attached-proofs.ts'
import { attachedObjects, readAttachedObjects } from './attached-objects.ts'
import { attachedRetention, attachedSnapshots, attachedTasks } from './attached-settings.ts'
import { attachedBatches, attachedSubscriptions } from './attached-subscriptions.ts'
import { attachedTransaction } from './attached-transaction.ts'
import { attachedUploads } from './attached-uploads.ts'
import { attachedVersions, readAttachedVersions } from './attached-versions.ts'
import {
  type AttachedVerifyOptions,
  erasedOver,
  mergedOver,
  restoredOver,
  undoneOver,
  verifiedOver,
} from './attached-work.ts'
import { jobsOver } from './attached-jobs.ts'
import { apart, collected } from './attached-scope.ts'

/** Who calls, and under which id. */
export type AttachedContext = Pick<StoreContext, 'by' | 'requestId'>

/** The time of the store, and how far its owner trusts the clock. */
export interface AttachedClock {
  status(): Promise<ClockStatus>
  /** Confirms that the clock of the machine is right, as its owner can: see `StoreTime`. */
  accept(): Promise<ClockStatus>
}

/**
 * A store that another process has open: see `attachStore`. Its calls take the arguments, return the results and throw the
 * errors of the calls of `Store`. It has no `events`, `keyspaces`, `projections`, listeners and jobs to run: these are for
 * the process that has the store open. At most 64 calls, followed logs and unread bodies of more than 128 KiB are in
 * progress at once; further ones wait.
 *
 * Each call goes to the process that has the store open then. If none has it open, or that process ends or closes the
 * store before it answers, the call throws `StoreClosed`; a write may have been done or not. Later calls go to the next
 * process that opens the store.
 */
export interface AttachedStore {
  readonly buckets: Buckets
  readonly objects: Objects
  readonly versions: Versions
  readonly uploads: Uploads
  readonly snapshots: Snapshots
  readonly tasks: Tasks
  /** The users and roles that servers of the store know. */
  readonly identities: AttachedIdentities
  readonly retention: StoreRetention
  readonly subscriptions: Subscriptions
  /** Checkpoints of the log, and proofs that others can check. */
  readonly proofs: Proofs
  readonly clock: AttachedClock
  readonly keys: { list(): Promise<readonly KeyGenerationInfo[]> }
  /** The state of the store in the process that has it open, its id, its layout, and the position of its last event. */
  status(): Promise<StoreStatus>
  /** Makes a store that follows a replica an ordinary one, as `promote` of a store does. */
  promote(options?: PromoteOptions): Promise<Promotion>
  /** The position of the last event. */
  position(): Promise<Seq>
  /** The jobs of the store, with the last run and the last error of each. */
  jobs(): Promise<readonly JobStatus[]>
  /** The damage that scrubbing found, as `damage` of a store. */
  damage(): Promise<readonly FoundDamage[]>
  /** The same store with another caller. @default the root of the server that serves the store, otherwise the actor `local` */
  as(context: AttachedContext): AttachedStore
  /** The store as it was at a moment. @throws StorageError as `at` of a store */
  at(moment: Moment): Promise<PastStore>
  /** Recorded events in order; with `follow`, also new ones. */
  log(options?: LogOptions): AsyncIterable<RecordedEvent>
  /** Recorded events backwards, as `logPage` of a store. @throws StorageError as that */
  logPage(options?: LogPageOptions): Promise<LogPage>
  /** How many events the log has over time, as `density` of a store. @throws StorageError as that */
  density(options?: DensityOptions): Promise<readonly DensitySlice[]>
  /** Deletes every object beneath a prefix. @throws StorageError as `deletePrefix` of a store */
  deletePrefix(bucket: string, prefix: string, options?: RemovalOptions): Promise<Removal>
  /** Removes everything in a bucket. @throws StorageError as `emptyBucket` of a store */
  emptyBucket(bucket: string, options?: EmptyBucketOptions): Promise<EmptiedBucket>
  /**
   * Many reads and writes on one state of the store, in one commit: as `transaction` of a store. If this process ends before the
   * commit, nothing is changed. `TransactionEnded` if the process that has the store open was another one meanwhile.
   * @throws StorageError as `transaction` of a store; what `run` throws
   */
  transaction<R>(run: (transaction: Transaction) => Promise<R>, options?: TransactionOptions): Promise<R>
  /**
   * The events of a durable subscription in batches, as `subscribe` of a store: each event at least once, and the next batch
   * after the acknowledgement. Another holder can take the subscription as soon as this process or its iteration ends.
   * @throws StorageError as `subscribe` of a store, and `StoreClosed` when the process that has the store open closes it
   */
  subscribe(name: string, options?: SubscriptionOptions): AsyncIterable<SubscriptionBatch>
  /** Every event that concerns one key, in order. */
  history(bucket: string, key: string, options?: Cancelable): AsyncIterable<RecordedEvent>
  /** What differs in a bucket between two moments. @throws StorageError as `diff` of a store */
  diff(scope: DiffScope, from: Moment, to: Moment, options?: DiffOptions): Listing<DiffEntry, DiffPage>
  /** Makes the objects of a bucket what they were at a moment. @throws StorageError as `restore` of a store */
  restore(request: RestoreRequest): Promise<RestoreResult>
  /** Gives the bucket that a fork began as what the fork has changed. @throws StorageError as `merge` of a store */
  merge(request: MergeRequest): Promise<MergeResult>
  /** Undoes chosen events. @throws StorageError as `undo` of a store */
  undo(request: UndoRequest): Promise<UndoResult>
  /** Erases the bytes of removed versions and of uploads at once. @throws StorageError as `erase` of a store */
  erase(request: EraseRequest): Promise<EraseResult>
  /** Compares log, views and blobs with each other, in the process that has the store open. */
  verify(options?: AttachedVerifyOptions): Promise<VerifyReport>
  /** The stored bytes of the store, or of one bucket. @throws StorageError `NoSuchBucket` */
  usage(options?: OfBucket): Promise<StoreUsage>
  /** The current objects of a bucket and their bytes, by the next prefix. @throws StorageError `NoSuchBucket` */
  prefixUsage(bucket: string, options?: PrefixUsageOptions): Promise<PrefixUsagePage>
  /**
   * Waits for the calls in progress, and closes the connections. Reads and bodies that are still being sent end with
   * `StoreClosed`. The store itself stays open. Idempotent.
   */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const context = schema.object<AttachedContext>({
  by: schema.object<AttachedContext['by']>({ id: schema.text(), name: schema.text() }),
  requestId: schema.optional(schema.text()),
})

/** The store that a server of the control API has open. */
export function attachedStore(client: ControlClient): AttachedStore {
  const scope = { client }
  const objects = attachedObjects(scope)
  const { withCallerFrames } = callArguments
  const close = async (): Promise<void> => client.close()
  return {
    buckets: withCallerFrames(attachedBuckets(scope)),
    objects: withCallerFrames(objects),
    versions: withCallerFrames(attachedVersions(scope, objects)),
    uploads: withCallerFrames(attachedUploads(scope)),
    snapshots: attachedSnapshots(client),
    tasks: attachedTasks(client),
    identities: attachedIdentities(client),
    retention: attachedRetention(client),
    subscriptions: attachedSubscriptions(client),
    proofs: attachedProofs(client),
    clock: {
      status: () => client.value(controlApi.getClock, {}),
      accept: () => client.value(controlApi.acceptClock, {}),
    },
    keys: { list: () => collected(client.lines(controlApi.listKeys, {})) },
    status: () => client.value(controlApi.getStatus, {}),
    promote: async (options) => client.value(controlApi.promoteStore, optionsOf(callArguments.promoteOptions, options)),
    position: async () => (await client.value(controlApi.getPosition, {})).seq,
    jobs: () => jobsOver(client),
    damage: () => collected(client.lines(controlApi.listDamage, {})),
    as: (given) => attachedStore(client.as(schema.checked('context', context, given))),
    at: (moment) => pastOver(client, moment),
    log: (options) => attachedLog(client, options),
    logPage: (options) => attachedLogPage(client, options),
    density: (options) => attachedDensity(client, options),
    deletePrefix: async (bucket, prefix, options) =>
      callArguments.deletePrefix(removingStore(client), bucket, prefix, options),
    emptyBucket: async (bucket, options) => callArguments.emptyBucket(removingStore(client), bucket, options),
    transaction: (run, options) => attachedTransaction(client, run, options),
    subscribe: (name, options) => attachedBatches(client, name, options),
    history: (bucket, key, options) => attachedHistory(client, { bucket, key }, options),
    diff: (given, from, to, options) => attachedDiff(client, { scope: given, from, to, options }),
    restore: (request) => restoredOver(client, request),
    merge: (request) => mergedOver(client, request),
    undo: (request) => undoneOver(client, request),
    erase: (request) => erasedOver(client, request),
    verify: (options) => verifiedOver(client, options),
    usage: async (options) => client.value(controlApi.getUsage, optionsOf(callArguments.ofBucket, options)),
    prefixUsage: (bucket, options) => attachedPrefixUsage(client, bucket, options),
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function attachedPrefixUsage(
  client: ControlClient,
  givenBucket: string,
  options: PrefixUsageOptions | undefined,
): Promise<PrefixUsagePage> {
  const bucket = callArguments.checkBucket(givenBucket)
  const [given, sending] = apart(optionsOf(callArguments.prefixUsageOptions, options))
  return client.value(controlApi.getPrefixUsage, { bucket, ...given }, sending)
}

/** The calls of one removal have one request id. */
function removingStore(client: ControlClient): callArguments.RemovingStore {
  const id = client.requestId ?? randomUUID().replaceAll('-', '')
  const scope = { client: client.as({ requestId: id }) }
  const objects = attachedObjects(scope)
  return { id, objects, versions: attachedVersions(scope, objects), uploads: attachedUploads(scope) }
}

async function pastOver(client: ControlClient, given: Moment): Promise<PastStore> {
  const moment = schema.checked('moment', callArguments.moment, given)
  const { seq } = await client.value(controlApi.getPosition, { at: moment })
  const scope = { client, at: seq }
  const objects = readAttachedObjects(scope)
  return { seq, buckets: readAttachedBuckets(scope), objects, versions: readAttachedVersions(scope, objects) }
}
