/** Checks the arguments of functions on replicas. */
import type { LayoutName } from '@varve/adapters'
import { type Keyring, type Moment, type Progress, schema } from '@varve/core'
import { keyringSchema } from '../keyring/keyring-schema.ts'

/** Options of `restoreStore`. */
export interface RestoreStoreOptions {
  /** A position in the log, a time, or the name of a snapshot. @default the end of the replica */
  readonly at?: Moment
  /** The layout of the new store. @default `level+files` */
  readonly layout?: LayoutName
  /** Has the keys of replicas that are encrypted. */
  readonly keyring?: Keyring
  /**
   * Leave the blobs in the replicas. The store can be opened when its log and rows are there: it reads the blobs in the replicas, and
   * brings them while it is open. @default false
   */
  readonly instant?: boolean
  readonly signal?: AbortSignal
  /** Called with the progress of each stage, which counts up to its own total. */
  onProgress?(progress: Progress & { readonly stage: 'events' | 'views' }): void
}

/** Options of `backUpStore`. */
export interface BackUpOptions {
  /** Give blobs that are files a second name in the copy, where the file system can, instead of writing their bytes. @default true */
  readonly link?: boolean
  /** The layout of a new copy. @default that of the store */
  readonly layout?: LayoutName
  /** Has the keys of an encrypted replica that has blobs of the store still, after an instant restore. */
  readonly keyring?: Keyring
  readonly signal?: AbortSignal
  /** Called with the progress of each stage, which counts up to its own total. */
  onProgress?(progress: Progress & { readonly stage: 'events' | 'views' }): void
}

/** Options of `inspectReplica`. */
export interface InspectReplicaOptions {
  /** Has the keys of a replica that is encrypted. */
  readonly keyring?: Keyring
}

/** Options of `verifyReplica`. */
export interface VerifyReplicaOptions extends InspectReplicaOptions {
  /** Read the bytes that the events brought, look whether they are there, or skip them. @default `present` */
  readonly blobs?: 'read' | 'present' | 'skip'
  /** The share of blobs that are looked at, above 0 and at most 1, chosen at random. @default 1 */
  readonly sample?: number
  readonly signal?: AbortSignal
  /** Called with the number of events that were checked. */
  onProgress?(progress: Progress): void
}

const {
  abortSignal,
  array,
  boolean,
  listener,
  checked,
  date,
  either,
  integer,
  literal,
  number,
  object,
  optional,
  text,
  word,
} = schema

const share: schema.Schema<number> = {
  ...number,
  read(value) {
    const read = number.read(value)
    if (read > 0 && read <= 1) return read
    throw new schema.Mismatch('must be above 0 and at most 1')
  },
}

const restoreFields = object<RestoreStoreOptions>({
  at: optional(either<Moment>('a position in the log, a Date, or a text', integer({ min: 1 }), date, text())),
  // The directory checks whether the layout exists.
  layout: optional(word<LayoutName>()),
  keyring: optional(keyringSchema),
  instant: optional(boolean),
  signal: optional(abortSignal),
  onProgress: optional(listener()),
})

const backUpFields = object<BackUpOptions>({
  link: optional(boolean),
  layout: optional(word<LayoutName>()),
  keyring: optional(keyringSchema),
  signal: optional(abortSignal),
  onProgress: optional(listener()),
})

const replicasMax = 16

const addresses: schema.Schema<readonly string[]> = {
  ...array(text({ min: 1 }), { max: replicasMax }),
  read(value) {
    const read = array(text({ min: 1 }), { max: replicasMax }).read(value)
    if (read.length > 0) return read
    throw new schema.Mismatch('must have an address')
  },
}

const verifyFields = object<VerifyReplicaOptions>({
  blobs: optional(literal('read', 'present', 'skip')),
  sample: optional(share),
  keyring: optional(keyringSchema),
  signal: optional(abortSignal),
  onProgress: optional(listener()),
})

/** @throws StorageError `InvalidArgument` */
export const restoreStoreOptions = (given: unknown): RestoreStoreOptions => checked('options', restoreFields, given)
/** @throws StorageError `InvalidArgument` */
export const backUpOptions = (given: unknown): BackUpOptions => checked('options', backUpFields, given)
/** @throws StorageError `InvalidArgument` */
export const inspectReplicaOptions = (given: unknown): InspectReplicaOptions =>
  checked('options', object<InspectReplicaOptions>({ keyring: optional(keyringSchema) }), given)
/** @throws StorageError `InvalidArgument` */
export const verifyReplicaOptions = (given: unknown): VerifyReplicaOptions => checked('options', verifyFields, given)
/** @throws StorageError `InvalidArgument` */
export const addressOf = (name: string, given: unknown): string => checked(name, text({ min: 1 }), given)
/** One address, or several. @throws StorageError `InvalidArgument` */
export const addressesOf = (given: unknown): readonly string[] =>
  Array.isArray(given) ? checked('from', addresses, given) : [addressOf('from', given)]
