/**
 * A secret of the store: 32 bytes, unknown to others, the same in every process of the store and at each opening. It is
 * neither in the log nor in a row.
 */
export interface Secret {
  /** Returns the secret, and creates it if there is none yet. */
  read(): Promise<Uint8Array>
}
