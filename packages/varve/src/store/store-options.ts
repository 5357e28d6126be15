/** The options of a store, checked before anything is opened. */
import type { LayoutName } from '@varve/adapters'
import {
  type ClockStatus,
  checkStoreOptions,
  type IdleRead,
  type Keyring,
  type OpenLogOptions,
  schema,
  type StoreOptions,
  storeOptionFields,
} from '@varve/core'
import type { ScrubSchedule, ScrubSettings } from '../jobs/scrub-schedule.ts'
import { defaultBodyIdleMs } from '../jobs/idle-reads.ts'
import type { BackgroundOptions } from './background.ts'
import { checkWebhooks, type Webhook, webhooks } from '../webhooks/webhook.ts'

const { abortSignal, boolean, callable, checked, either, implementing, integer, literal, object, optional, word } =
  schema
type FieldsOf<T> = schema.FieldsOf<T>

/** Options of `memoryStore`. */
export interface MemoryStoreOptions extends StoreOptions {
  /** Called when the clock comes under doubt (`ahead`, `waiting`), and when it is `plausible` again: see `store.clock`. */
  onClock?(status: ClockStatus): void
  /** How often bytes whose retention is over are looked for, in milliseconds; 0 for never. @default 60000 */
  readonly sweepEveryMs?: number
  /**
   * How long the body of an object may be left unread, in milliseconds, before it is ended and its handle closed; 0 for ever. A reader
   * that takes a chunk now and then, however slowly, is not affected. @default 600000
   */
  readonly bodyIdleMs?: number
  /** Called for each body that was ended so. @default a process warning */
  readonly onIdleRead?: (read: IdleRead) => void
  /** Apply lifecycle rules of buckets by itself, every day after midnight UTC. @default true */
  readonly lifecycle?: boolean
  /**
   * The keys that objects are encrypted with: see `createKeyring`. For a store in a directory, `own` is `keyring.json` in that
   * directory, and makes it when it is not there. @default that file, if there is one
   */
  readonly keyring?: Keyring | 'own'
}

/** Options of `openStore`. */
export interface OpenStoreOptions extends MemoryStoreOptions, Omit<OpenLogOptions, 'sealed' | 'replayedFrom'> {
  /**
   * Read a store of which no file is touched: on read-only media, in a snapshot, where files may not be written, or beside its
   * owner. A copy of its log is opened in the directory for temporary files; every write is refused with `ReadOnly`, and nothing
   * runs in the background. @default false
   */
  readonly readOnly?: boolean
  /** Make a store where there is none: in an empty directory, or in none. @default true */
  readonly create?: boolean
  /**
   * What a new store is made of: `<journal>+<blobs>`. Opening one that is there needs no layout, and refuses another.
   * `level` keeps log, rows and small bytes in LevelDB, `segments` keeps the log and small bytes in append-only files;
   * `files` has a file for each blob, `tiered` lets blobs of up to 256 KiB share large files, `segments` those of up to 8 MiB.
   * @default 'level+files'
   */
  readonly layout?: LayoutName
  /** Look, in the background, for bytes that a crash left without a name. @default true */
  readonly sweepOrphans?: boolean
  /**
   * How the files of the log are held against what was noted when the store was closed: `bytes` reads all of them (about
   * a second per gigabyte), `sizes` looks at names and sizes, `none` opens what is there. @default 'bytes'
   */
  readonly check?: FileCheck
  /**
   * How many threads may make the digests of objects and parts of more than 32 KiB. They are started when there is work for them, end
   * when there is none for half a minute, and are shared by all stores of the process; 0: digests are made on the calling thread.
   * @default one less than there are processors, at most 4
   */
  readonly hashingThreads?: number
  /**
   * Receive by HTTP the events of buckets whose notification configuration names them: in order, each at least once, over
   * restarts. @default none
   */
  readonly webhooks?: readonly Webhook[]
  /** Look for damage in the background, in all that is stored. @default not */
  readonly scrub?: ScrubSettings
}

/** What opening checks of the files of blobs: every byte, sizes alone, or nothing. */
export type FileCheck = 'bytes' | 'sizes' | 'none'

const timerMaxMs = 2 ** 31 - 1
const hashingThreadsMax = 64
const defaultSweepEveryMs = 60_000
const defaultScrub = { bytesPerSecond: 10 * 1024 * 1024, everyMs: 7 * 24 * 3_600_000 }

interface SettledOptions {
  readonly core: StoreOptions
  readonly background: Pick<BackgroundOptions, 'sweepEveryMs' | 'lifecycle' | 'onClock' | 'idleReads'>
  readonly webhooks: readonly Webhook[]
  readonly scrub?: Omit<ScrubSchedule, 'bookmark'>
  readonly hashingThreads?: number
}

const keyring = either<Keyring | 'own'>(
  "a keyring, or 'own'",
  literal('own'),
  implementing<Keyring>('a keyring', ['has', 'wrap', 'unwrap']),
)

const memoryFields: FieldsOf<MemoryStoreOptions> = {
  ...storeOptionFields,
  sweepEveryMs: optional(integer({ min: 0, max: timerMaxMs })),
  lifecycle: optional(boolean),
  keyring: optional(keyring),
  bodyIdleMs: optional(integer({ min: 0, max: timerMaxMs })),
  onIdleRead: optional(callable()),
  onClock: optional(callable()),
}

const memoryOptions = object<MemoryStoreOptions>(memoryFields)

const openOptions = object<OpenStoreOptions>({
  ...memoryFields,
  readOnly: optional(boolean),
  create: optional(boolean),
  // Which there are, the directory judges: it names them in its refusal.
  layout: optional(word<LayoutName>()),
  sweepOrphans: optional(boolean),
  check: optional(literal('bytes', 'sizes', 'none')),
  hashingThreads: optional(integer({ min: 0, max: hashingThreadsMax })),
  webhooks: optional(webhooks),
  scrub: optional(
    object<ScrubSettings>({
      bytesPerSecond: optional(integer({ min: 1 })),
      everyMs: optional(integer({ min: 1000 })),
      onDivergence: optional(callable()),
      onPass: optional(callable()),
    }),
  ),
  signal: optional(abortSignal),
  onProgress: optional(callable()),
})

/** A checked copy. @throws StorageError `InvalidArgument` for values that make no sense, and for options there are not. */
export const memoryStoreOptions = (options: unknown): MemoryStoreOptions => checked('options', memoryOptions, options)

/** A checked copy. @throws StorageError `InvalidArgument` for values that make no sense, and for options there are not. */
export function openStoreOptions(options: unknown): OpenStoreOptions {
  const copy = checked('options', openOptions, options)
  if (copy.webhooks !== undefined) checkWebhooks(copy.webhooks)
  return copy
}

/** The options of core and our own, with their defaults. */
export function withDefaults(options: OpenStoreOptions): SettledOptions {
  const own = Object.entries(options).filter(([name]) => Object.hasOwn(storeOptionFields, name))
  const core = checkStoreOptions(Object.fromEntries(own))
  const { sweepEveryMs = defaultSweepEveryMs, lifecycle = true, webhooks: hooks = [], scrub, hashingThreads } = options
  const { bodyIdleMs = defaultBodyIdleMs, onIdleRead, onClock } = options
  return {
    core,
    webhooks: hooks,
    background: {
      sweepEveryMs,
      idleReads: { idleMs: bodyIdleMs, onIdleRead },
      ...(onClock && { onClock }),
      ...(lifecycle && { lifecycle: { dayMs: core.lifecycleDayMs } }),
    },
    ...(scrub && { scrub: { ...defaultScrub, ...scrub } }),
    ...(hashingThreads !== undefined && { hashingThreads }),
  }
}
