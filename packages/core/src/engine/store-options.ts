/** The options of a store, their ranges and their defaults. */
import type { Actor } from '../events/index.ts'
import { dayMs } from '../settings/lifecycle.ts'
import { type RetentionBudget, retentionBudget } from '../settings/byte-retention.ts'
import { integer, literal, text } from '../schema/scalars.ts'
import { checked } from '../schema/schema.ts'
import { type FieldsOf, object, optional } from '../schema/structures.ts'

/** Options of a store, whatever it is stored in. */
export interface StoreOptions {
  /** The actor of calls that name no actor. Default `{ id: 'local', name: 'local' }`. */
  readonly actor?: Actor
  /** The region of buckets that are created without a region. Default `eu`. */
  readonly region?: string
  /**
   * Objects up to this many bytes are stored in the journal. Default 32 KiB, at most 16 MiB; 0 stores all in the blob
   * store.
   */
  readonly inlineMax?: number
  /** The maximum number of commands in one commit. Default 256. */
  readonly groupMax?: number
  /**
   * How long the bytes of removed versions stay readable as of the past, in milliseconds. A new store states it in its
   * log. An existing store that states another one is refused: only `retention.set` changes what a store states. For a
   * store whose log states none, the default is 0.
   */
  readonly retentionMs?: number
  /** The room that these bytes may take. Stated and compared as `retentionMs` is. */
  readonly retentionBudget?: RetentionBudget
  /**
   * The memory for frequently read rows, in bytes, and the same again for the part rows of open uploads, which their
   * completions read. Default 4 MiB of each; 0 keeps none.
   */
  readonly hotBytes?: number
  /**
   * When the witness is written, which detects a log that lost its end: `trailing` writes it once a second during
   * commits and within a quarter of a second after the last one; `synced` makes it durable before the result of each
   * commit, which costs two more syncs per commit. Default `trailing`.
   */
  readonly witness?: 'trailing' | 'synced'
  /** The length of a day in lifecycle rules, in milliseconds, for trials of rules. Default 24 hours. */
  readonly lifecycleDayMs?: number
}

/** The fields of a store's options, for options that extend them. */
export const storeOptionFields: FieldsOf<StoreOptions> = {
  actor: optional(object<Actor>({ id: text({ min: 1 }), name: text({ min: 1 }) })),
  region: optional(text({ min: 1 })),
  inlineMax: optional(integer({ min: 0, max: 16 * 1024 * 1024 })),
  groupMax: optional(integer({ min: 1, max: 100_000 })),
  retentionMs: optional(integer({ min: 0 })),
  retentionBudget: optional(retentionBudget),
  hotBytes: optional(integer({ min: 0, max: 2 ** 32 })),
  lifecycleDayMs: optional(integer({ min: 1, max: dayMs })),
  witness: optional(literal('trailing', 'synced')),
}

const storeOptions = object<StoreOptions>(storeOptionFields)

export type CheckedOptions = Required<Omit<StoreOptions, 'retentionBudget'>>

/**
 * A copy of the options with defaults.
 * @throws StorageError `InvalidArgument` for invalid values and unknown options
 */
export function checkStoreOptions(options: StoreOptions): CheckedOptions {
  const { actor = { id: 'local', name: 'local' }, region = 'eu', ...given } = checked('options', storeOptions, options)
  const { inlineMax = 32 * 1024, groupMax = 256, retentionMs = 0, hotBytes = 4 * 1024 * 1024 } = given
  const { lifecycleDayMs = dayMs, witness = 'trailing' } = given
  return { actor, region, inlineMax, groupMax, retentionMs, hotBytes, lifecycleDayMs, witness }
}

/** @throws StorageError `InvalidArgument` */
export function checkWholeNumber(
  name: string,
  value: number,
  { min, max }: { readonly min: number; readonly max: number },
): void {
  checked(name, integer({ min, max }), value)
}
