/**
 * What answering requests needs of the owner of the log. In the owner's process that is the engine; another process
 * reaches it through a channel, and answers requests with the same code.
 */
import type { Command } from '../commands/command.ts'
import type { BlobMarks } from '../content/content-writer.ts'
import type { StorageError } from '../base/errors.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { BlobId, Journal, RowChange, RowReader, Seq } from '../ports/index.ts'

/** Rows that are committed with a command's events, such as the bytes of an inline blob. */
export type InlineRows = readonly RowChange[]

/** `failed`: the outcome of a write is unknown, and no more writes are accepted until the store is opened again. */
export type StoreState = 'open' | 'failed' | 'closed'

/** What answering requests needs of the process that owns the log. */
export interface LogService {
  readonly state: StoreState
  /** Why no more writes are taken, and bytes that a command may have named are left alone. */
  readonly failure: StorageError | undefined
  /** @throws StorageError `StoreClosed`, or `StoreFailed` when there are no views. */
  assertOpen(): void
  /** Events, and rows as they are committed now. */
  readonly log: RowReader & Pick<Journal, 'events'>
  /** Reads one committed state of the rows, from views that are whole. @throws StorageError `StoreFailed` when there are none. */
  withSnapshot<R>(ask: (rows: RowReader) => Promise<R>): Promise<R>
  /**
   * Resolves with the events the command caused, once they are durable and visible to everyone.
   * @throws StorageError the rule's coded error; `StoreFailed` when the outcome is unknown; `failure` is then set.
   */
  submit(command: Command, inlineRows?: InlineRows): Promise<readonly RecordedEvent[]>
  /** Stops taking commits, for a failure of the medium found elsewhere. The first failure stays. */
  fail(cause: unknown): StorageError
  /** What can be found from now on (or could be at a position) is not erased until the function that is returned is called. */
  beginRead(at?: Seq): () => void
  /** To be awaited by a read of the past after `beginRead` and before it looks: a sweep may be erasing what it could find. */
  erased(at: Seq): Promise<void> | undefined
  /** The position itself, or the last one at or before a time. @throws StorageError `InvalidArgument` behind the end */
  positionOf(when: Seq | Date): Promise<Seq>
  readonly inFlight: BlobMarks
  /** Which rows commits may have changed. Only the owner's process has it. */
  readonly changes?: RowChanges
}

/** Commits are numbered as they start; a state is named by the last one that had settled. */
export interface RowChanges {
  readonly settled: number
  /** Answers at once. May be true of a row that is still the same. */
  isTouchedSince(key: Uint8Array, state: number): boolean
}

/** The owner of the log as a link to another process uses it. */
export interface OwnedLog extends LogService {
  /** Refuses what would grow the store while the medium is nearly full. @throws StorageError `NoSpace` */
  assertRoom(): Promise<void>
  /** After the death of a worker: deletes the blobs that it marked and no commit names, and releases its marks. */
  releaseMarks(ids: readonly BlobId[]): Promise<void>
}
