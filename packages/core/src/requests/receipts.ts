/** Receipts of writes: proofs that the log has their events, which come with the acknowledgement. */
import type { Seq } from '../ports/index.ts'

/** Makes receipts, where the key of the log is. */
export interface Receipts {
  /**
   * Resolves if receipts can be made. It is called before a write.
   * @throws StorageError `NotImplemented` without a key for the log; `CheckpointConflict`; `ReadOnly`
   */
  ready(signal: AbortSignal | undefined): Promise<void>
  /** The receipt of a committed event, as C2SP tlog-proof. @throws StorageError `ReceiptFailed` */
  of(seq: Seq): Promise<string>
}

/** Whether a write is to have a receipt. */
export interface ReceiptOption {
  /**
   * Adds a proof that the log has the event of the write. What prevents it is known before anything is written, except for a
   * failure of the medium: then the error is `ReceiptFailed`, and the write is committed.
   * @default false
   */
  readonly receipt?: boolean
}

/** A result with its receipt. */
export interface WithReceipt {
  /**
   * Proves that the log has the event of this write, as `store.proofs.proveEvent` does. Absent unless it was requested, and for a
   * write that changed nothing.
   */
  readonly receipt?: string
}
