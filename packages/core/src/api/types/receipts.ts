/** Receipts of writes: proofs that the log has their events. */

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
