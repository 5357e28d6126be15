import type { Seq } from './journal.ts'

/**
 * A group of commands that the store decided and committed together. Durations are in milliseconds, and
 * `durationMs = decidingMs + writingMs`.
 */
export interface CommitObservation {
  /** The position of the last event of the log after the group. */
  readonly seq: Seq
  /** Commands in the group, refused ones included. */
  readonly commands: number
  /** Commands of the group that their rule refused. */
  readonly refused: number
  /** Events that were appended. 0 if all commands were refused: then nothing was written. */
  readonly events: number
  /** Rows that were set or removed. */
  readonly rows: number
  /** Bytes of these events and rows, as the journal received them. */
  readonly bytes: number
  /** How often the journal refused the group because another engine was first; it was decided again each time. */
  readonly conflicts: number
  /** How long the command of the group that waited longest was queued. */
  readonly waitingMs: number
  /** The rules, and the rows that they read. */
  readonly decidingMs: number
  /** The journal, until the group is durable; with `witness: 'synced'`, also the witness. */
  readonly writingMs: number
  readonly durationMs: number
  /** Set if the group failed: its outcome is unknown, and the store takes no more writes. A code of `StorageError`. */
  readonly errorCode?: string | undefined
}

/** A wait for the disk. */
export interface SyncObservation {
  /**
   * `journal`: a batch or transaction of a database, a group of the segment log. `blobs`: a blob file, its directory, a
   * group of a segment. `witness`, `time`: the small files of that name.
   */
  readonly what: 'journal' | 'blobs' | 'witness' | 'time'
  /** Milliseconds. */
  readonly durationMs: number
  /** Set if the sync failed: a code of `StorageError`, or `InternalError`. */
  readonly errorCode?: string | undefined
}

/** A request of the S3 server that ended. */
export interface RequestObservation {
  /** The name of the S3 operation, as `PutObject`. `undefined` if the server refused the request before it knew the name. */
  readonly operation?: string | undefined
  /** The HTTP status of the answer. */
  readonly status: number
  /** From the head of the request to the last byte of the answer that was passed on, in milliseconds. */
  readonly durationMs: number
  /** Bytes of the body that were read, without the framing of HTTP. */
  readonly bytesIn: number
  /** Bytes of the body of the answer that were passed on, without the framing of HTTP. */
  readonly bytesOut: number
  /** Set if an error occurred, also after the status was sent: the error code that S3 clients see. */
  readonly errorCode?: string | undefined
}

/** A run of a background job that ended. */
export interface JobObservation {
  /** The name in `store.jobs`. */
  readonly name: string
  /** Milliseconds. */
  readonly durationMs: number
  /** Set if the run failed: a code of `StorageError`, or `InternalError`. A run that closing ended did not fail. */
  readonly errorCode?: string | undefined
}

/** Lookups in a cache since the last report of that cache. */
export interface CacheObservation {
  /** `rows`: hot rows. `parts`: the parts of open uploads. `manifests`: the parts of completed objects. */
  readonly name: 'rows' | 'parts' | 'manifests'
  readonly hits: number
  readonly misses: number
}

/** The length of a queue. */
export interface QueueObservation {
  /** `commands`: commands of the writer, as a group begins. `turns`: waiting work of the server, as a request ends. */
  readonly name: 'commands' | 'turns'
  readonly depth: number
}

/** The connections of a server. */
export interface ConnectionsObservation {
  /** How many are open now. */
  readonly open: number
}

/** Damaged or missing bytes that were to be taken from a replica. */
export interface HealingObservation {
  /** A blob, the row of a short one, or the row with a data key. */
  readonly what: 'blob' | 'inline' | 'key'
  readonly isHealed: boolean
  /** Why not: a code of `StorageError`, or `InternalError`. */
  readonly errorCode?: string | undefined
}

/**
 * Receives measurements, for metrics and traces. Every method is optional, and is read only when the store or the server
 * begins. Calls come up to 10 ms later, several together, so no result waits for them. Results are ignored.
 *
 * An error, also of a returned promise, changes nothing: `observerErrors` counts it, and the first of each method is a
 * warning. Fields may be added. All text has few different values, and none comes from clients.
 */
export interface Observer {
  /** Called once for each group of commands, after their callers have their results. */
  commit?(observation: CommitObservation): unknown
  /** Called for each sync of the disk. */
  sync?(observation: SyncObservation): unknown
  /** Called by the S3 server for each request. */
  request?(observation: RequestObservation): unknown
  /** Called for each run of a background job. */
  job?(observation: JobObservation): unknown
  /** Called with each commit, every thousand lookups, and when the store closes; not for a cache without lookups. */
  cache?(observation: CacheObservation): unknown
  /** Called with each commit for `commands`, and with each request for `turns`. */
  queue?(observation: QueueObservation): unknown
  /** Called when bytes were healed from a replica, and when no replica has them. */
  healing?(observation: HealingObservation): unknown
  /** Called by a server that listens, or is given connections, whenever a connection begins or ends. */
  connections?(observation: ConnectionsObservation): unknown
}
