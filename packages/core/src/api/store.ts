/** The store: buckets, objects, versions and uploads as they are, and everything that made them so. */
import { StorageError } from '../base/errors.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Journal, Seq } from '../ports/index.ts'
import { boolean } from '../schema/scalars.ts'
import { checked } from '../schema/schema.ts'
import { object, optional } from '../schema/structures.ts'
import { cancelable, optionsOf } from './arguments/common.ts'
import {
  callback,
  journal,
  pointInTime,
  openLogFields,
  openLogOptions,
  scrubOptions,
  storeContext,
  sweepOptions,
  verifyOptions,
} from './arguments/log-options.ts'
import { checkPorts } from './arguments/ports.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { DeletedBuckets } from '../jobs/deleted-buckets.ts'
import { Engine } from '../engine/engine.ts'
import { followLog, keyHistory } from './history.ts'
import { type Keys, keys } from './keys.ts'
import { type LifecycleResult, LifecycleRun } from '../jobs/lifecycle-run.ts'
import type { OwnedLog } from '../requests/log-service.ts'
import { rebuild, replay } from '../engine/make-views.ts'
import { followNotifications, type Notification } from './notifications.ts'
import { openLog, type OpenLogOptions } from '../engine/open-log.ts'
import { type PastStore, pastStore } from './past-store.ts'
import type { StorePorts } from '../engine/store-ports.ts'
import { RequestEngineStore, type RequestStore } from './request-store.ts'
import { checkStoreOptions, type StoreOptions, storeOptionFields } from '../engine/store-options.ts'
import { storeTime } from './store-time.ts'
import { Sweeper, type SweepResult } from '../jobs/sweeper.ts'
import { scrub, type ScrubOptions, type ScrubReport } from '../scrub/scrub.ts'
import { StoreClock, type StoreTime } from '../time/store-clock.ts'
import type { Cancelable, LogOptions, NotificationOptions } from './types/index.ts'
import { verify } from '../verify/verify.ts'
import type { VerifyOptions, VerifyReport } from '../verify/report.ts'

export interface Store extends RequestStore {
  /** The position of the last event. */
  readonly seq: Seq
  as(context: StoreContext): Store
  /** What other processes that answer requests for this store go to: see `openRequestStore`. */
  readonly owner: OwnedLog
  /** The store after an event, or as it was at a moment. @throws StorageError `InvalidArgument` for a position past the end. */
  at(when: Seq | Date): Promise<PastStore>
  /** The keys that objects are encrypted with. */
  readonly keys: Keys
  /** What the store takes the time to be. */
  readonly clock: StoreTime
  /** Recorded events in order; with `follow`, as they come. */
  log(options?: LogOptions): AsyncIterable<RecordedEvent>
  /** Everything that happened to one key, in order. */
  history(bucket: string, key: string, options?: Cancelable): AsyncIterable<RecordedEvent>
  /**
   * What happened to objects, as S3's notifications say it, for whom the configurations of buckets named: in order, from a
   * position on, and with `follow` as it happens.
   */
  notifications(options?: NotificationOptions): AsyncIterable<Notification>
  /**
   * Calls back after every commit, in order. Returns the function that ends it. A listener that throws does not touch
   * the commit; its error surfaces as an unhandled rejection.
   */
  subscribe(listener: (events: readonly RecordedEvent[]) => void): () => void
  /** Makes the views of the whole log in another, empty journal. */
  replay(into: Journal, options?: OpenLogOptions): Promise<void>
  /**
   * Drops every view and makes it again from the log. Reads and writes that come meanwhile wait. One that is cut off
   * leaves the store `failed`, reads included; opening it again finishes the work.
   */
  rebuild(options?: OpenLogOptions): Promise<void>
  /** Checks log, views and blobs against each other. */
  verify(options?: VerifyOptions): Promise<VerifyReport>
  /** Reads everything that is stored, slowly if need be, and tells of what has gone bad. For the background. */
  scrub(options?: ScrubOptions): Promise<ScrubReport>
  /** Aborts what deleted buckets left, erases what is due, and with `orphans` looks for blobs that nothing names. */
  sweep(options?: { readonly orphans?: boolean }): Promise<SweepResult>
  /** Lets go of what is due by the lifecycle rules of the buckets, as the actor `lifecycle`. */
  applyLifecycle(options?: Cancelable): Promise<LifecycleResult>
  /** Waits for what is under way. The ports stay open. Idempotent. */
  close(): Promise<void>
}

export interface OpenOptions extends StoreOptions, OpenLogOptions {
  /** The caller calls `clock.observe` every minute, so that a long silence means that the machine slept. @default false */
  readonly observesTime?: boolean
}

const openFields = object<OpenOptions>({ ...storeOptionFields, ...openLogFields, observesTime: optional(boolean) })

/** A checked copy. @throws StorageError `InvalidArgument` */
const openOptions = (options: unknown): OpenOptions => checked('options', openFields, options)

/**
 * Opens a store for its owner: checks the end of the log, brings the views up to it, and starts erasing what is due by the
 * owner's retention.
 * @throws StorageError `AcknowledgedWritesLost`, `LogCorrupt`, `UnsupportedFormat`.
 * @throws StorageError `InvalidArgument` for options that make no sense or that there are not; nothing was touched.
 */
export async function openEngine(ports: StorePorts, options: OpenOptions = {}): Promise<Store> {
  const opened = await open(ports, options, 'owner')
  const sweeper = new Sweeper(opened.engine)
  const deletedBuckets = new DeletedBuckets(opened.engine)
  opened.engine.onCommitted((events) => {
    if (events.some(freesBytes)) void sweeper.eraseGarbage().catch(() => undefined)
    if (events.some(leavesUploads)) void deletedBuckets.clear().catch(() => undefined)
  })
  void sweeper.eraseGarbage().catch(() => undefined)
  void deletedBuckets.clear().catch(() => undefined)
  return new EngineStore({ ...opened, background: { sweeper, deletedBuckets } })
}

/**
 * Opens a store for maintenance, which does not know what the owner retains: as `openEngine`, and nothing is erased while it is
 * open. `sweep` and `applyLifecycle` are refused with `InvalidRequest`.
 * @throws as `openEngine` does
 */
export async function openForMaintenance(
  ports: StorePorts,
  options: Omit<OpenOptions, 'retentionMs' | 'lifecycleDayMs'> = {},
): Promise<Store> {
  const given = openOptions(options)
  return new EngineStore(await open(ports, { ...given, retentionMs: 0 }, 'maintenance'))
}

/**
 * Opens a store to be read alone: every call that would change something is refused with `ReadOnly`. What there is to recover
 * is recovered in `ports.journal`, which may be a copy; to the blobs and the witness nothing is written.
 * @throws as `openEngine` does
 */
export async function openForReading(
  ports: StorePorts,
  options: Omit<OpenOptions, 'retentionMs' | 'witness'> = {},
): Promise<Store> {
  return new EngineStore(await open(ports, options, 'reading'))
}

interface Opened {
  readonly engine: Engine
  readonly context: StoreContext
  readonly region: string
  /** Absent: nothing is erased. */
  readonly background?: Background
}

/** What a store does without being asked. */
interface Background {
  readonly sweeper: Sweeper
  readonly deletedBuckets: DeletedBuckets
}

async function open(
  given: StorePorts,
  options: OpenOptions,
  use: 'owner' | 'maintenance' | 'reading',
): Promise<Opened> {
  const ports = checkPorts(given)
  const { sealed = false, replayedFrom, signal, onProgress, observesTime, ...settings } = openOptions(options)
  const opening = { sealed, replayedFrom, ...(signal && { signal }), ...(onProgress && { onProgress }) }
  const { actor, region, ...limits } = checkStoreOptions(settings)
  const end = await openLog(ports, opening)
  const readOnly = use === 'reading'
  if (!readOnly) await ports.blobs.discardUnfinished()
  const times = { retentionMs: limits.retentionMs, isObserved: observesTime === true, keeps: use === 'owner' }
  const clock = await StoreClock.open(ports, times, end)
  return { engine: new Engine(ports, { ...limits, readOnly }, end, clock), context: { by: actor }, region }
}

/** The store as its owner has it. */
class EngineStore extends RequestEngineStore implements Store {
  readonly #opened: Opened
  readonly #engine: Engine

  constructor(opened: Opened) {
    super(opened.engine.requests, opened.context, opened.region)
    this.#opened = opened
    this.#engine = opened.engine
  }

  get owner(): OwnedLog {
    return this.#engine
  }

  get seq(): Seq {
    return this.#engine.writer.committed
  }

  override as(context: StoreContext): Store {
    return new EngineStore({ ...this.#opened, context: checked('context', storeContext, context) })
  }

  get keys(): Keys {
    return keys(this.#engine.requests, this.#opened.context)
  }

  get clock(): StoreTime {
    return storeTime(this.#engine)
  }

  async at(when: Seq | Date): Promise<PastStore> {
    return pastStore(this.#engine, checked('when', pointInTime, when))
  }

  log(options?: LogOptions): AsyncIterable<RecordedEvent> {
    return followLog(this.#engine, options)
  }

  history(bucket: string, key: string, options?: Cancelable): AsyncIterable<RecordedEvent> {
    return keyHistory(this.#engine, bucket, key, options)
  }

  notifications(options?: NotificationOptions): AsyncIterable<Notification> {
    return followNotifications(this.#engine, options)
  }

  subscribe(listener: (events: readonly RecordedEvent[]) => void): () => void {
    checked('listener', callback, listener)
    return this.#engine.onCommitted((events) => {
      if (events.length > 0) listener(events)
    })
  }

  async replay(into: Journal, options?: OpenLogOptions): Promise<void> {
    return replay(this.#engine, checked('into', journal, into), optionsOf(openLogOptions, options))
  }

  async rebuild(options?: OpenLogOptions): Promise<void> {
    const { background } = this.#opened
    return rebuild(this.#engine, async () => background?.sweeper.idle(), optionsOf(openLogOptions, options))
  }

  async verify(given?: VerifyOptions): Promise<VerifyReport> {
    const options = optionsOf(verifyOptions, given)
    this.#engine.assertOpen()
    // What a crash left half erased is no divergence.
    await this.#idle()
    return verify(this.#engine, options)
  }

  async scrub(options?: ScrubOptions): Promise<ScrubReport> {
    return scrub(this.#engine, optionsOf(scrubOptions, options))
  }

  async sweep(options?: { readonly orphans?: boolean }): Promise<SweepResult> {
    const { orphans = false } = optionsOf(sweepOptions, options)
    const { sweeper, deletedBuckets } = this.#eraser()
    await deletedBuckets.clear()
    return { erased: await sweeper.eraseGarbage(), orphans: orphans ? await sweeper.removeOrphans() : 0 }
  }

  async applyLifecycle(options?: Cancelable): Promise<LifecycleResult> {
    const given = optionsOf(cancelable, options)
    this.#eraser()
    return new LifecycleRun(this.#engine, given).run()
  }

  async #idle(): Promise<void> {
    const { background } = this.#opened
    await background?.deletedBuckets.idle()
    await background?.sweeper.idle()
  }

  #eraser(): Background {
    this.#engine.assertOpen()
    this.#engine.assertWritable()
    const { background } = this.#opened
    if (background !== undefined) return background
    throw new StorageError('InvalidRequest', 'The store is open for maintenance, which erases nothing.')
  }

  close(): Promise<void> {
    return this.#engine.close(() => this.#idle())
  }
}

const leavesUploads = (event: RecordedEvent): boolean =>
  event.type === 'BucketDeleted' && event.data.leavesUploads === true

const freesBytes = ({ type, data }: RecordedEvent): boolean =>
  type === 'VersionRemoved' || type === 'UploadAborted' || type === 'UploadCompleted' || 'replaces' in data
