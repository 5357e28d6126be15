/** The key that signs the checkpoints of a log: outside the log and the rows, so that no copy of those has it. */

/** The name of a log, and the public half of its key. */
export interface LogIdentity {
  /** The first line of its checkpoints. */
  readonly origin: string
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array
}

/** Signs with Ed25519 (RFC 8032), and keeps the last checkpoint that was signed. One process uses it at a time. */
export interface LogSigner {
  /** Makes a key if there is none. It is durable when this resolves. */
  identity(): Promise<LogIdentity>
  /** 64 bytes. */
  sign(message: Uint8Array): Promise<Uint8Array>
  /** The last note that was kept for this key. */
  last(): Promise<string | undefined>
  /** Durable when it resolves. */
  keep(note: string): Promise<void>
  /** Makes another key, for a log of another name. Nothing is kept for it yet. */
  renew(origin?: string): Promise<LogIdentity>
  /** Whether a signature is right. */
  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean
}
