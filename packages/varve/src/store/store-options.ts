/** The options of a store, checked before anything is opened. */
import type { LayoutName } from '@varve/adapters'
import {
  type ClockStatus,
  checkStoreOptions,
  type IdleRead,
  type Keyring,
  limits,
  type Observer,
  observer,
  type OpenLogOptions,
  type Progress,
  schema,
  type StoreOptions,
  storeOptionFields,
} from '@varve/core'
import { keyringSchema } from '../keyring/keyring-schema.ts'
import type { RequestLogger } from '@varve/http'
import type { ScrubSchedule, ScrubSettings } from '../jobs/scrub-schedule.ts'
import {
  type ReplicaSchedule,
  replicaSchedules,
  type ReplicaSettings,
  replicaSettings,
} from '../replicas/replica-settings.ts'
import { type FollowSettings, followSettings } from '../replicas/follow-settings.ts'
import { defaultBodyIdleMs } from '../jobs/idle-reads.ts'
import type { BackgroundOptions } from './background.ts'
import { type FileCheck, fileChecks } from './file-check.ts'
import { checkWebhooks, type Webhook, webhooks } from '../webhooks/webhook.ts'

const { abortSignal, boolean, listener, checked, either, implementing, integer, literal, object, optional, word } =
  schema
type FieldsOf<T> = schema.FieldsOf<T>

/** Options of `memoryStore`. */
export interface MemoryStoreOptions extends StoreOptions {
  /**
   * Called when the clock becomes doubtful (`ahead`, `waiting`), and when it is `plausible` again: see `store.clock`.
   */
  onClock?(status: ClockStatus): void
  /** How often to erase bytes whose retention has ended, in milliseconds; 0 for never. @default 60000 */
  readonly sweepEveryMs?: number
  /**
   * How long the body of an object may stay unread before it is ended and its handle closed, in milliseconds; 0 for
   * ever. A reader that takes a chunk now and then, even slowly, is not affected. @default 600000
   */
  readonly bodyIdleMs?: number
  /** Called for each body that was ended in this way. @default a process warning */
  readonly onIdleRead?: (read: IdleRead) => void
  /** Apply lifecycle rules of buckets every day after midnight UTC. @default true */
  readonly lifecycle?: boolean
  /**
   * The keys that objects are encrypted with: see `createKeyring`. For a store in a directory, `own` means
   * `keyring.json` in that directory, and creates it if it does not exist. @default that file, if it exists
   */
  readonly keyring?: Keyring | 'own'
  /** Receives measurements of the store, for metrics and traces. @default nothing is measured */
  readonly observer?: Observer
}

/** Options of `openStore` for a journal and blobs of the caller. */
export interface PartsStoreOptions extends MemoryStoreOptions, Pick<OpenLogOptions, 'signal'> {
  /**
   * Called while an opening does work that takes time for large logs: while it computes views.
   */
  onProgress?(progress: OpenProgress): void
  /**
   * Remove, in the background, bytes that a crash left without a name.
   * @default true for a directory, false for a journal and blobs of the caller
   */
  readonly sweepOrphans?: boolean
  /**
   * How many threads may compute the digests of objects and parts of more than 32 KiB. Threads start when there is work
   * for them, end after half a minute without work, and are shared by all stores of the process. 0: digests are
   * computed on the calling thread.
   * @default one less than the number of processors, at most 4
   */
  readonly hashingThreads?: number
  /**
   * Webhooks that receive the events of buckets whose notification configuration names them: in order, each at least
   * once, also after restarts. One of several stores on a journal delivers. @default none
   */
  readonly webhooks?: readonly Webhook[]
  /**
   * Replicas of the store, which follow it while it is open. One of several stores on a journal writes them. How far they are, and
   * why one is not written, is in `store.jobs`. @default none
   */
  readonly replicas?: readonly ReplicaSettings[]
  /** Scrub all stored data in the background, once for all stores on a journal. @default not */
  readonly scrub?: ScrubSettings
  /**
   * How old the state may be that reads show, in milliseconds, at most 60,000. Reads then use rows in memory without asking
   * the journal whether other stores have changed them, if it was asked a shorter time ago. They always see the writes of this
   * store. For journals that are not `exclusive`. @default 0: reads see every acknowledged write
   */
  readonly staleMs?: number
}

/** Options of `openStore` for a directory, whose journal is exclusive. */
export interface OpenStoreOptions extends Omit<PartsStoreOptions, 'staleMs'> {
  /**
   * Open the store without touching any of its files: on read-only media, in a snapshot, where files may not be
   * written, or beside its owner. A copy of its log is opened in the directory for temporary files. Every write is
   * refused with `ReadOnly`, and nothing runs in the background. @default false
   */
  readonly readOnly?: boolean
  /**
   * Follow a replica that another store writes, in a directory that is empty or followed it before: the store has what the replica has,
   * and refuses every write with `ReadOnly` until `promote` makes it an ordinary one. From then on it writes that replica, unless `replicas`
   * says where else, and later openings with `follow` open it as an ordinary one. @default not
   */
  readonly follow?: string | FollowSettings
  /** Create a store if the directory is empty or does not exist. @default true */
  readonly create?: boolean
  /**
   * The layout of a new store: `<journal>+<blobs>`. An existing store needs no layout, and opening it with another one
   * is refused. `level` keeps log, rows and small bytes in LevelDB; `segments` keeps the log and small bytes in
   * append-only files. `files` has a file for each blob; `tiered` lets blobs of up to 256 KiB share large files, and
   * `segments` those of up to 8 MiB.
   * @default 'level+files'
   */
  readonly layout?: LayoutName
  /**
   * How opening compares the files of the log with the sizes and checksums noted when the store was closed. `bytes`
   * reads all of them (about a second per gigabyte). `changed` reads those that changed since an opening with `changed`
   * read them, and reads the others in the background: until then, damage that a disk did to them is not noticed.
   * `sizes` checks names and sizes, `none` skips the check. @default 'bytes'
   */
  readonly check?: FileCheck
  /**
   * Listen on a socket in the directory, so that other processes of this user can use the store while it is open here:
   * the `varve` command does. Nobody else can connect. If listening fails, a process warning says why. A store that is
   * read-only never listens. @default true
   */
  readonly controlSocket?: boolean
  /**
   * Writes a line for each action over that socket: a logger of `pino`, or one with the same methods. @default no lines
   */
  readonly auditLog?: RequestLogger
}

/** The progress of an opening, in events. */
export type OpenProgress = Progress

const timerMaxMs = 2 ** 31 - 1
const hashingThreadsMax = 64
const defaultSweepEveryMs = 60_000
const defaultScrub = { bytesPerSecond: 10 * 1024 * 1024, everyMs: 7 * 24 * 3_600_000 }

interface SettledOptions {
  readonly core: StoreOptions
  readonly background: Pick<BackgroundOptions, 'sweepEveryMs' | 'lifecycle' | 'onClock' | 'idleReads'>
  readonly webhooks: readonly Webhook[]
  readonly replicas: readonly ReplicaSchedule[]
  readonly scrub?: Omit<ScrubSchedule, 'bookmark'>
  readonly hashingThreads?: number
}

const keyring = either<Keyring | 'own'>("a keyring, or 'own'", literal('own'), keyringSchema)

const memoryFields: FieldsOf<MemoryStoreOptions> = {
  ...storeOptionFields,
  sweepEveryMs: optional(integer({ min: 0, max: timerMaxMs })),
  lifecycle: optional(boolean),
  keyring: optional(keyring),
  bodyIdleMs: optional(integer({ min: 0, max: timerMaxMs })),
  onIdleRead: optional(listener()),
  onClock: optional(listener()),
  observer: optional(observer),
}

const memoryOptions = object<MemoryStoreOptions>(memoryFields)

const everywhereFields: FieldsOf<Omit<PartsStoreOptions, 'staleMs'>> = {
  ...memoryFields,
  sweepOrphans: optional(boolean),
  hashingThreads: optional(integer({ min: 0, max: hashingThreadsMax })),
  signal: optional(abortSignal),
  onProgress: optional(listener()),
  webhooks: optional(webhooks),
  replicas: optional(replicaSettings),
  scrub: optional(
    object<ScrubSettings>({
      bytesPerSecond: optional(integer({ min: 1 })),
      everyMs: optional(integer({ min: 1000 })),
      onDivergence: optional(listener()),
      onPass: optional(listener()),
    }),
  ),
}

const partsOptions = object<PartsStoreOptions>({
  ...everywhereFields,
  staleMs: optional(integer({ min: 0, max: limits.staleMsMax })),
})

const openOptions = object<OpenStoreOptions>({
  ...everywhereFields,
  readOnly: optional(boolean),
  follow: optional(followSettings),
  create: optional(boolean),
  // The directory checks whether the layout exists; its error lists the known ones.
  layout: optional(word<LayoutName>()),
  check: optional(literal(...fileChecks)),
  controlSocket: optional(boolean),
  auditLog: optional(implementing<RequestLogger>('a logger', ['info', 'warn', 'error'])),
})

/** A checked copy. @throws StorageError `InvalidArgument` for invalid values and for unknown options. */
export const memoryStoreOptions = (options: unknown): MemoryStoreOptions => checked('options', memoryOptions, options)

/** A checked copy. @throws StorageError `InvalidArgument` for invalid values and for unknown options. */
export function partsStoreOptions(options: unknown): PartsStoreOptions {
  const copy = checked('options', partsOptions, options)
  if (copy.webhooks !== undefined) checkWebhooks(copy.webhooks)
  return copy
}

/** A checked copy. @throws StorageError `InvalidArgument` for invalid values and for unknown options. */
export function openStoreOptions(options: unknown): OpenStoreOptions {
  const copy = checked('options', openOptions, options)
  if (copy.webhooks !== undefined) checkWebhooks(copy.webhooks)
  return copy
}

/** The options of core, and those of this package with their defaults. */
export function withDefaults(options: OpenStoreOptions): SettledOptions {
  const own = Object.entries(options).filter(([name]) => Object.hasOwn(storeOptionFields, name))
  const core: StoreOptions = Object.fromEntries(own)
  const { lifecycleDayMs } = checkStoreOptions(core)
  const {
    sweepEveryMs = defaultSweepEveryMs,
    lifecycle = true,
    webhooks: hooks = [],
    scrub,
    hashingThreads,
    replicas = [],
  } = options
  const { bodyIdleMs = defaultBodyIdleMs, onIdleRead, onClock } = options
  return {
    core,
    webhooks: hooks,
    replicas: replicaSchedules(replicas),
    background: {
      sweepEveryMs,
      idleReads: { idleMs: bodyIdleMs, onIdleRead },
      ...(onClock && { onClock }),
      ...(lifecycle && { lifecycle: { dayMs: lifecycleDayMs } }),
    },
    ...(scrub && { scrub: { ...defaultScrub, ...scrub } }),
    ...(hashingThreads !== undefined && { hashingThreads }),
  }
}
