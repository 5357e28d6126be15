/**
 * The journal: an ordered, atomic, durable home for the log of events and for the rows derived from it.
 *
 * Invariant: events are numbered from 1 without a gap, and an event becomes visible together with every row
 * change of its commit, or not at all. When `commit` resolves, both are on stable storage.
 * An adapter never interprets the bytes it holds, and does not rely on layers below it to detect damage: the store checks
 * what it reads.
 */

/** The position of an event in the log: 1 for the first. 0 names the empty log. */
export type Seq = number

/** One row set (`value`) or removed (`value: null`). Keys are ordered byte by byte. */
export interface RowChange {
  readonly key: Uint8Array
  readonly value: Uint8Array | null
}

/** One atomic change of a journal: events to append and rows to change. */
export interface Commit {
  /** The position the log must stand at; a commit against any other head is refused with `JournalConflict`. */
  readonly expectedHead: Seq
  /** Encoded events; they get the positions `expectedHead + 1`, `expectedHead + 2`, ... May be empty. */
  readonly events: readonly Uint8Array[]
  readonly rows: readonly RowChange[]
}

/** A half-open range of row keys, `gte <= key < lt`. */
export interface RowRange {
  readonly gte: Uint8Array
  readonly lt: Uint8Array
  /** Walk from the end. Default `false`. */
  readonly reverse?: boolean
}

/** A key and a value of the views. */
export type Row = readonly [key: Uint8Array, value: Uint8Array]

/**
 * A walk over one range. `seek` jumps (forwards in the direction of the walk) to the first row at or after `key`;
 * a listing by delimiter uses it to step over everything beneath a rolled-up prefix.
 */
export interface RowCursor {
  /** Up to `count` further rows; an empty array means the range is exhausted. */
  next(count: number): Promise<readonly Row[]>
  seek(key: Uint8Array): void
  close(): Promise<void>
}

/** Reads of one committed state. */
export interface RowReader {
  get(key: Uint8Array): Promise<Uint8Array | undefined>
  getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]>
  cursor(range: RowRange): RowCursor
}

/** A reader pinned to one commit; `close` it, or it pins old data. */
export interface RowSnapshot extends RowReader {
  close(): Promise<void>
}

/** An event as the journal holds it: its position and its bytes. */
export interface StoredEvent {
  readonly seq: Seq
  readonly bytes: Uint8Array
}

export interface Journal extends RowReader {
  /** The position of the last event, read from the log itself. */
  head(): Promise<Seq>
  /**
   * All or nothing, durable when it resolves. A rejection other than `JournalConflict` leaves the outcome
   * *unknown*: the commit may or may not be there after the journal is opened again.
   */
  commit(commit: Commit): Promise<void>
  /** Events `from..to`, both inclusive, in order. Default: the whole log. A missing position is skipped, never invented. */
  events(range?: { readonly from?: Seq; readonly to?: Seq }): AsyncIterable<StoredEvent>
  snapshot(): RowSnapshot
  /** Idempotent. Every later call rejects with `JournalClosed`. */
  close(): Promise<void>
}
