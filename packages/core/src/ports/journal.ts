/**
 * The journal: ordered, atomic and durable storage for the log of events and for the rows derived from it.
 *
 * Invariant: events are numbered from 1 without a gap, and an event becomes visible together with every row
 * change of its commit, or not at all. When `commit` resolves, both are on stable storage.
 * An adapter never interprets the stored bytes, and does not rely on lower layers to detect damage: the store checks
 * everything that it reads.
 */

/** The position of an event in the log, from 1. 0 means the empty log. */
export type Seq = number

/** One row set (`value`) or removed (`value: null`). Keys are ordered byte by byte. */
export interface RowChange {
  readonly key: Uint8Array
  readonly value: Uint8Array | null
}

/**
 * One atomic change of a journal: events to append and rows to change. It names the state that it was decided in, by
 * the head of the log, by rows, or by both. If that state has changed, the commit is refused with `JournalConflict`.
 */
export interface Commit {
  /** The position at which the log must end. Absent: any; such a commit has no events. */
  readonly expectedHead?: Seq
  /** Rows that must have exactly these bytes, or must be absent (`value: null`). @default none */
  readonly expectedRows?: readonly RowChange[]
  /** Encoded events; they get the positions `expectedHead + 1`, `expectedHead + 2`, ... May be empty. */
  readonly events: readonly Uint8Array[]
  readonly rows: readonly RowChange[]
  /**
   * The rows need no place in the log of the journal: only commits with this mark, without events, ever change rows at
   * their keys. A journal that appends all commits to files can keep such rows elsewhere. It may lose them when it
   * mends itself, so they are only for what can be computed again, and for coordination. @default false
   */
  readonly outsideLog?: boolean
}

/** A half-open range of row keys, `gte <= key < lt`. */
export interface RowRange {
  readonly gte: Uint8Array
  readonly lt: Uint8Array
  /** Reads from the end. Default `false`. */
  readonly reverse?: boolean
  /** Nearly all keys of the range are valid UTF-8. A journal may read them as text if that is faster. @default false */
  readonly keysAreText?: boolean
  /**
   * Of keys that agree up to the end of the first `by` at or after their byte `from`, only the first one is needed. A journal may leave
   * out the others behind a jump, if it then answers for many groups at once. @default every row is needed
   */
  readonly groups?: { readonly from: number; readonly by: Uint8Array }
}

/** A key and a value of the views. */
export type Row = readonly [key: Uint8Array, value: Uint8Array]

/**
 * A walk over one range. `seek` jumps forwards (in the direction of the walk) to the first row at or after `key`.
 * A listing with a delimiter uses it to skip all keys of a common prefix.
 */
export interface RowCursor {
  /** Up to `count` further rows; an empty array means the range is exhausted. */
  next(count: number): Promise<readonly Row[]>
  seek(key: Uint8Array): void
  close(): Promise<void>
}

/** Reads of one committed state. */
export interface RowReader {
  /** A promise only where the journal has to wait for the value. It is rejected, and nothing is thrown. */
  get(key: Uint8Array): Uint8Array | undefined | Promise<Uint8Array | undefined>
  /** All of one committed state, also from a journal itself: engines that share one rely on that. */
  getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]>
  cursor(range: RowRange): RowCursor
}

/** A reader of one commit. Call `close` on it: until then, the journal keeps old data for it. */
export interface RowSnapshot extends RowReader {
  close(): Promise<void>
}

/** What a snapshot is for. */
export interface RowSnapshotOptions {
  /**
   * The writer of an engine decides in it, at most one at a time, and readers that hold snapshots wait for the writer. So if
   * the number of snapshots is bounded, those of readers must leave one for it. @default false
   */
  readonly forWriter?: boolean
}

/** An event as the journal holds it: its position and its bytes. */
export interface StoredEvent {
  readonly seq: Seq
  readonly bytes: Uint8Array
}

/** Events in the order of their positions. */
export interface StoredEvents extends AsyncIterable<StoredEvent> {
  /**
   * The same events, many at a time: it takes as long to wait for each of them as to check it. Absent: the journal has
   * only single ones.
   */
  pages?(): AsyncIterable<readonly StoredEvent[]>
}

/** The end of the log, while no other engine can append to it. */
export interface HeldHead {
  /** The position of the last event. */
  readonly seq: Seq
  /** As `Journal.commit`, and ends the turn. `JournalConflict` with `details.kind` `turn` if the turn was lost before. */
  commit(commit: Commit): Promise<void>
  /** Ends the turn without a commit. Idempotent, and does nothing after a commit. */
  release(): Promise<void>
}

export interface Journal extends RowReader {
  /**
   * True if no other engine can commit to the journal while it is open, as in a directory with a lock. Rows can then be
   * kept in memory and used without a question to the journal. @default false: other engines may commit at any time
   */
  readonly exclusive?: boolean
  /**
   * True if failures of the journal pass, as those of a connection to a database. After a commit whose outcome is unknown, later
   * calls show whether it was carried out, and when a later commit resolves, all that was visible before it began is on stable
   * storage. So an engine finds out the outcome by itself. @default false: the journal must be opened again
   */
  readonly recovers?: boolean
  /**
   * The clock by which leases expire, the same for every engine on the journal. Milliseconds since the Unix epoch.
   * Absent: each engine uses its own clock, so their clocks must agree.
   */
  now?(): Promise<number>
  /** The position of the last event, read from the log itself. */
  head(): Promise<Seq>
  /**
   * Commits all or nothing, and is durable when it resolves. A rejection with `JournalConflict` means that another
   * commit was first, and nothing was changed. Any other rejection leaves the outcome *unknown*: the commit may or may
   * not exist after the journal is opened again, or later if the journal `recovers`.
   * @throws TypeError for events without `expectedHead`, or outside the log; nothing was changed
   */
  commit(commit: Commit): Promise<void>
  /**
   * Waits until it is the turn of this engine to append to the log. Engines that often meet conflicts decide and commit in turns. A
   * holder that does nothing for some seconds loses its turn, so an engine that was stopped does not delay the others. Absent: there are no turns.
   */
  hold?: () => Promise<HeldHead>
  /**
   * Events `from..to`, both inclusive, in order. Default: the whole log. A missing position is skipped. Events that a
   * snapshot of this journal shows are there, also if `head` does not count them yet.
   */
  events(range?: { readonly from?: Seq; readonly to?: Seq }): StoredEvents
  /**
   * Removes rows, and leaves nothing of their bytes in the files of the journal. False if reads in progress keep older states: the rows
   * are removed, and their bytes may still be in the files, so the call has to be made again later. Absent: the journal removes rows only
   * by commits, and its files may keep the bytes.
   */
  purge?(keys: readonly Uint8Array[]): Promise<boolean>
  /** The newest committed state. A promise only where the journal has to ask for it. */
  snapshot(options?: RowSnapshotOptions): RowSnapshot | Promise<RowSnapshot>
  /** Idempotent. Every later call rejects with `JournalClosed`. */
  close(): Promise<void>
}
