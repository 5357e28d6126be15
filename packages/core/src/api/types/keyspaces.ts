import type { Reducer } from '../../keyspaces/reducer.ts'
import type { RowChange, Seq } from '../../ports/index.ts'
import type { Cancelable } from './cancelable.ts'

/** How a keyspace is opened. */
export interface KeyspaceOptions {
  /** The version of the code that makes the rows. Raise it whenever that code would make other rows. */
  readonly version: number
  /** Computes the rows from events. `verify` and `rebuild` of this store use it too. */
  readonly reducer?: Reducer
}

/** One atomic change of a keyspace. */
export interface KeyspaceCommit {
  /** The position in the log up to which the rows then follow it. */
  readonly to: Seq
  /** The rows to set, and with `value: null` the rows to remove. */
  readonly changes: readonly RowChange[]
}

/** Which rows of a keyspace are read, and in which order. */
export interface KeyspaceRangeOptions extends Cancelable {
  /** The first key. @default the first key of the keyspace */
  readonly gte?: Uint8Array
  /** The key before which the range ends. @default after the last key of the keyspace */
  readonly lt?: Uint8Array
  /** Reads from the end. @default false */
  readonly reverse?: boolean
  /** The most rows. @default all */
  readonly limit?: number
}

/** A row of a keyspace. */
export interface KeyspaceRow {
  readonly key: Uint8Array
  readonly value: Uint8Array
}
