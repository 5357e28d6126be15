/**
 * A secret of the store: 32 bytes, unknown to others, the same in every process of the store and each time it is opened. It is
 * not in the log, nor in any row.
 */
export interface Secret {
  /** Makes the secret when there is none yet. */
  read(): Promise<Uint8Array>
}
