/** Opens a store on its ports: for its owner, for maintenance, or read-only. */
import { ActiveReads } from '../content/active-reads.ts'
import type { Actor } from '../events/index.ts'
import { StorageError } from '../base/errors.ts'
import { limits } from '../base/limits.ts'
import { Engine } from '../engine/engine.ts'
import type { FollowedLog } from '../engine/followed-log.ts'
import { openLog, type OpenLogOptions } from '../engine/open-log.ts'
import { checkStoreOptions, type StoreOptions, storeOptionFields } from '../engine/store-options.ts'
import type { StorePorts } from '../engine/store-ports.ts'
import type { Seq } from '../ports/index.ts'
import { DamageFound } from '../scrub/found-damage.ts'
import { SubscriptionSet } from '../following/subscription-set.ts'
import { followOthers } from '../jobs/follow-others.ts'
import { Jobs } from '../jobs/jobs.ts'
import { removeOrphans } from '../jobs/orphans.ts'
import { KeyspaceSet } from '../keyspaces/keyspace-set.ts'
import { Sweeper } from '../jobs/sweeper.ts'
import { Observing } from '../observing/observing.ts'
import { LogSigning } from '../proofs/log-signing.ts'
import { LogTree } from '../proofs/log-tree.ts'
import { treeReducers } from '../proofs/tree-keyspace.ts'
import { ProjectionSet } from '../projections/projection-set.ts'
import { type ByteRetention, byteRetention } from '../settings/byte-retention.ts'
import { openedRetentions } from '../retention/opened-retentions.ts'
import { agreeOnRetention } from '../retention/state-retention.ts'
import { boolean, integer } from '../schema/scalars.ts'
import { checked } from '../schema/schema.ts'
import { object, optional } from '../schema/structures.ts'
import { TaskSet } from '../tasks/task-set.ts'
import { assertFollowing, assertNoPassage } from '../sharing/passage.ts'
import { sharedEngine } from '../sharing/shared-engines.ts'
import { soleEngine } from '../sharing/sharing.ts'
import { StoreClock } from '../time/store-clock.ts'
import { committedRows } from '../views/row-reader.ts'
import { openLogFields } from './arguments/log-options.ts'
import { checkPorts } from './arguments/ports.ts'
import { rejectUnhandled } from '../base/call-listener.ts'
import { storeEvents } from './store-events.ts'
import { EngineStore } from './engine-store.ts'
import { LogReceipts } from './log-receipts.ts'
import type { Opened, StoreHome } from './opened.ts'
import { beginOwning, withEraser } from './owning.ts'
import type { Store } from './store.ts'

/** Options of `openEngine`. */
export interface OpenOptions extends StoreOptions, OpenLogOptions {
  /**
   * The retention that a new store states in its first event, where `retentionMs` and `retentionBudget` say nothing else.
   * Absent: a new store states none.
   */
  readonly retention?: ByteRetention
  /** The caller calls `clock.observe` every minute, so a long gap means that the machine slept. @default false */
  readonly observesTime?: boolean
  /**
   * How old the state may be that reads of a shared journal show, in milliseconds, at most 60,000. An exclusive journal
   * needs none. @default 0: each read shows the newest state
   */
  readonly staleMs?: number
}

const openFields = object<OpenOptions>({
  ...storeOptionFields,
  ...openLogFields,
  retention: optional(byteRetention),
  observesTime: optional(boolean),
  staleMs: optional(integer({ min: 0, max: limits.staleMsMax })),
})

/** A checked copy. @throws StorageError `InvalidArgument` */
const openOptions = (options: unknown): OpenOptions => checked('options', openFields, options)

/**
 * Opens a store for its owner: checks the end of the log, brings the views up to it, and starts to erase bytes whose
 * retention has ended.
 * @throws StorageError `AcknowledgedWritesLost`, `LogCorrupt`, `UnsupportedFormat`.
 * @throws StorageError `InvalidArgument` for an unknown option or a value out of range; nothing was changed.
 */
export async function openEngine(ports: StorePorts, options: OpenOptions = {}, home: StoreHome = {}): Promise<Store> {
  return started(beginOwning(withEraser(await open(ports, options, 'owner', home))))
}

/**
 * Opens a store for maintenance, without the owner's retention: as `openEngine`, but nothing is erased while it
 * is open. `sweep` and `applyLifecycle` are refused with `InvalidRequest`.
 * @throws as `openEngine` does
 */
export async function openForMaintenance(
  ports: StorePorts,
  options: Omit<OpenOptions, 'retentionMs' | 'retentionBudget' | 'lifecycleDayMs'> = {},
  home: StoreHome = {},
): Promise<Store> {
  const given = openOptions(options)
  const opened = await open(ports, given, 'maintenance', home)
  return started({ ...opened, finisher: new Sweeper(opened.engine, opened.jobs, { onlyStarted: true }) })
}

/**
 * Deletes the blobs that no event names, and changes nothing else. Resolves with their number. A caller whose blob store
 * moves what it is told to delete keeps the bytes.
 * @throws as `openEngine` does
 */
export async function sweepOrphans(ports: StorePorts, home: StoreHome = {}): Promise<number> {
  const opened = await open(ports, {}, 'maintenance', home)
  const store = started(opened)
  try {
    return await opened.jobs.run('orphans', () => removeOrphans(opened.engine))
  } finally {
    await store.close()
  }
}

/** A store that follows another one. */
export interface FollowerStore {
  readonly store: Store
  readonly jobs: Jobs
  /** Gets the events of the other store. */
  readonly log: FollowedLog
  /** Starts the work of an owner, once the store was promoted. `background`: as that of `StoreHome`. */
  own(background: NonNullable<StoreHome['background']>): void
}

/**
 * Opens a store that follows another one: it refuses commands with `ReadOnly`, and gets the events of the other store, until it is promoted.
 * @throws as `openEngine` does; StorageError `InvalidRequest` for a store that follows no other one
 */
export async function openFollower(
  ports: StorePorts,
  options: OpenOptions = {},
  home: StoreHome = {},
): Promise<FollowerStore> {
  const opened = await open(ports, options, 'following', home)
  const { followed: log } = opened.engine
  if (log === undefined) throw new Error('The engine does not follow.')
  const owned = withEraser(opened)
  const store = started(owned)
  return {
    store,
    jobs: opened.jobs,
    log,
    own(background) {
      beginOwning(owned)
      startAll(background, store, owned)
    },
  }
}

/**
 * Opens a store read-only: every call that would change something is refused with `ReadOnly`. Recovery writes to
 * `ports.journal`, which may be a copy; nothing is written to the blobs or the witness.
 * @throws as `openEngine` does
 */
export async function openForReading(
  ports: StorePorts,
  options: Omit<OpenOptions, 'retentionMs' | 'witness'> = {},
  home: StoreHome = {},
): Promise<Store> {
  return started(await open(ports, options, 'reading', home))
}

async function open(
  given: StorePorts,
  options: OpenOptions,
  use: 'owner' | 'following' | 'maintenance' | 'reading',
  home: StoreHome,
): Promise<Opened> {
  const ports = checkPorts(given)
  const {
    sealed = false,
    replayedFrom,
    signal,
    onProgress,
    observesTime,
    retention: initial,
    staleMs = 0,
    ...settings
  } = openOptions(options)
  checkStale(ports, staleMs)
  const opening = { sealed, replayedFrom, ...(signal && { signal }), ...(onProgress && { onProgress }) }
  const { actor, region, ...sizes } = checkStoreOptions(settings)
  const readOnly = use === 'reading'
  const reads = new ActiveReads()
  let engine: Engine | undefined
  const floor = (): Seq => (engine === undefined ? 0 : Math.min(reads.oldest, engine.writer.committed))
  const isFollowing = use === 'following'
  await assertMayOpen(ports, { isFollowing, readOnly })
  const sharing = ports.journal.exclusive === true ? soleEngine() : await sharedEngine(ports, floor)
  try {
    const end = await openLog(ports, sharing, opening)
    // On a shared journal the blobs may be shared too, and another engine may be writing one.
    if (!readOnly && !sharing.isShared) await ports.blobs.discardUnfinished()
    const rows = committedRows(ports.journal, ports.hashing)
    const retention = await openedRetentions({ ...ports, rows }, end.seq, settings.retentionMs)
    const times = { retention, isObserved: observesTime === true, keeps: keeping.has(use) }
    const clock = await StoreClock.open(ports, times, end)
    const observing = observingOf(ports, home.warn ?? rejectUnhandled)
    engine = new Engine(
      ports,
      { ...sizes, retentionMs: retention.unsetMs, readOnly, isFollowing, observing, staleMs },
      { end, clock, sharing, reads },
    )
    await sharing.beat()
    if (use === 'owner') await agreeOnRetention(engine, { retention, by: actor, requested: settings, initial })
    return await openedOn(engine, { actor, region, home })
  } catch (error) {
    // Report the first error, not one of leaving.
    await sharing.leave().catch(() => undefined)
    throw error
  }
}

/** Openings that store observed time. */
const keeping: ReadonlySet<string> = new Set(['owner', 'following'])

const assertMayOpen = (
  ports: StorePorts,
  { isFollowing, readOnly }: { readonly isFollowing: boolean; readonly readOnly: boolean },
): Promise<void> => (isFollowing ? assertFollowing(ports) : assertNoPassage(ports, { readOnly }))

async function openedOn(
  engine: Engine,
  { actor, region, home }: { readonly actor: Actor; readonly region: string; readonly home: StoreHome },
): Promise<Opened> {
  const { ports, sharing } = engine
  const { warn = rejectUnhandled } = home
  const { storeId = ports.ids.next() } = home
  const events = storeEvents(warn)
  engine.onCommitted((committed) => committed.forEach(events.emit))
  await home.ready?.()
  const { observing } = engine.options
  const jobs = new Jobs(ports, sharing, { observing, ...(home.pins && { pins: home.pins }) })
  const keyspaces = new KeyspaceSet(engine, treeReducers(ports.hashing))
  const tree = new LogTree(engine, keyspaces)
  const signing = new LogSigning(ports.hashing, ports.signer)
  engine.receipts = new LogReceipts({ engine, jobs, tree, signing })
  return {
    engine,
    context: { by: actor },
    region,
    jobs,
    tasks: new TaskSet(jobs),
    keyspaces,
    subscriptions: new SubscriptionSet(engine, keyspaces, jobs),
    damage: new DamageFound(engine.ports.clock),
    projections: new ProjectionSet(engine, keyspaces, jobs),
    tree,
    signing,
    home: { ...home, storeId, warn, events: events.events },
  }
}

function observingOf({ observer, clock, timer }: StorePorts, warn: (error: unknown) => void): Observing | undefined {
  if (observer === undefined) return undefined
  return new Observing(observer, { warn, now: () => clock.monotonic(), pause: timer && ((ms) => timer.pause(ms)) })
}

/** Starts the background work that the store's home gave. */
function started(opened: Opened): Store {
  const { engine, jobs, home } = opened
  const store = new EngineStore(opened)
  if (engine.sharing.isShared) void jobs.during(followOthers(engine, jobs.signal))
  startAll(home.background ?? [], store, opened)
  return store
}

function startAll(background: NonNullable<StoreHome['background']>, store: Store, { jobs, home }: Opened): void {
  for (const start of background) void jobs.during(start(store, jobs)).catch(home.warn)
}

function checkStale({ journal }: StorePorts, staleMs: number): void {
  if (staleMs === 0 || journal.exclusive !== true) return
  const message = 'options.staleMs is for journals that other engines use, and this one is exclusive.'
  throw new StorageError('InvalidArgument', message, { details: { ArgumentName: 'options.staleMs' } })
}
