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
