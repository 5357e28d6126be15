/**
 * What answering requests needs of the owner of the log. In the owner's process the engine provides it. A worker
 * reaches it through a pipe and answers requests with the same code.
 */
import type { Soon } from '../base/soon.ts'
import type { Command } from '../commands/command.ts'
import type { BlobMarks } from '../content/content-writer.ts'
import type { Heal } from '../content/damaged-bytes.ts'
import type { StorageError } from '../base/errors.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Moment } from '../moments/moment.ts'
import type { BlobId, Journal, RowChange, RowReader, Seq } from '../ports/index.ts'
import type { SharingStatus } from '../sharing/sharing.ts'
import type { RowHolders } from '../views/row-holders.ts'
import type { IdentityFollowers } from './identity-followers.ts'
import type { Operators } from './operators.ts'
import type { Receipts } from './receipts.ts'

/** Rows that are committed with a command's events, such as the bytes of an inline blob. */
export type SideRows = readonly RowChange[]

/**
 * `failed`: the outcome of a write is unknown, or the log was damaged, and no more writes are accepted until the store
 * is opened again.
 */
export type StoreState = 'open' | 'failed' | 'closed'

/** What answering requests needs of the process that owns the log. */
export interface LogService {
  readonly state: StoreState
  /** Set if the store takes no more writes: the reason. Blobs that a command may have named are then not deleted. */
  readonly failure: StorageError | undefined
  /** Why no write is taken now: `failure`, or a reason that may pass. @default `failure` */
  readonly refusal?: StorageError | undefined
  /** @throws StorageError `StoreClosed`; `StoreFailed` when the views are incomplete or not to be trusted. */
  assertOpen(): void
  /** Reads events and the newest committed rows. */
  readonly log: RowReader & Pick<Journal, 'events'>
  /** Reads one committed state of the rows. @throws StorageError `StoreFailed` when the views are incomplete. */
  withSnapshot<R>(ask: (rows: RowReader) => Soon<R>): Soon<R>
  /** As `withSnapshot`, of a state that may be older, as far as the store allows. @default the newest state */
  withRecent?<R>(ask: (rows: RowReader) => Soon<R>): Soon<R>
  /**
   * Resolves with the events that the command caused, once they are durable and visible to all readers.
   * @throws StorageError the rule's error; `StoreFailed` when the outcome is unknown; `failure` is then set.
   */
  submit(command: Command, sideRows?: SideRows): Promise<readonly RecordedEvent[]>
  /** Stops taking commits because the medium failed elsewhere. The first failure is kept. */
  fail(cause: unknown): StorageError
  /** Protects the bytes that a read can find now, or as of `at`, from erasure. Returns a function that ends this. */
  beginRead(at?: Seq): () => void
  /** Await it in a read of the past, after `beginRead` and before the lookup: a sweep may be erasing bytes it needs. */
  erased(at: Seq): Promise<void> | undefined
  /** The position of a moment. @throws StorageError `MomentOutOfRange`, `NoSuchSnapshot`, `InvalidArgument` */
  positionOf(moment: Moment): Promise<Seq>
  readonly inFlight: BlobMarks
  /** True in a transaction: its commit depends on every row that it reads. @default false */
  readonly dependsOnReads?: boolean
  /** Heals stored bytes from copies, and waits a while for that. Absent if there are no copies. */
  readonly heal?: Heal | undefined
  /** Erases kept bytes so that the medium has room. Absent if this process may not. */
  readonly makeRoom?: (() => Promise<void>) | undefined
  /** Tells which rows commits may have changed. Absent if it is not known here. */
  readonly changes?: RowChanges | undefined
  /** Makes receipts of writes. Absent if this process cannot. */
  readonly receipts?: Receipts | undefined
}

/** Commits are numbered as they start; a state has the number of the last settled commit. */
export interface RowChanges {
  readonly settled: number
  /** Synchronous. May be true for an unchanged row. */
  isTouchedSince(key: Uint8Array, state: number): boolean
}

/** For another process, which may keep rows until commits change them. */
export interface OwnedChanges extends RowChanges {
  readonly holders: Pick<RowHolders, 'add'>
}

/** An engine as its metrics show it. */
export interface EngineStatus {
  /** How long the witness has lacked events that this engine knows, in milliseconds; 0 if it lacks none. */
  readonly witnessLagMs: number
  /** Absent: no other engine can use the journal. */
  readonly sharing?: SharingStatus
}

/** The owner of the log, as the link to a worker uses it. */
export interface OwnedLog extends LogService {
  /** The position at which the oldest read in progress began; infinity without reads. */
  readonly reads?: { readonly oldest: Seq }
  readonly changes?: OwnedChanges | undefined
  /** Refuses a write that needs room while the medium is nearly full. @throws StorageError `NoSpace` */
  assertRoom(): Soon<void>
  readonly views: {
    /** Refuses reads and writes from now on, because rows may be missing or old without an error. */
    distrust(cause: unknown): void
  }
  /** Servers of this process that decide by the identities of the log. */
  readonly identityFollowers: Pick<IdentityFollowers, 'add' | 'recent'>
  /** Who does what callers of the socket of the store do without a name. */
  readonly operators: Operators
  /** For metrics. It reads the members of a shared journal from the journal. */
  status(): Promise<EngineStatus>
  /** For a worker that died: deletes its marked blobs that no commit names, and releases its marks. */
  releaseMarks(ids: readonly BlobId[]): Promise<void>
}
