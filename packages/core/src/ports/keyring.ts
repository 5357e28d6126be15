/**
 * Keys that the store uses but never stores. They do not leave the keyring, which may be another system: it wraps
 * small secrets and unwraps them. `context` states the purpose of a secret, and unwrapping needs the same one.
 */
export interface Keyring {
  /** The id of the master key for new wrapping; `undefined` if there is none. */
  readonly master: string | undefined
  /** Whether clients can name this key in requests. */
  has(name: string): boolean
  /** Rejects if there is no such key. */
  wrap(key: KeyRef, secret: Uint8Array, context: string): Promise<Uint8Array>
  /** `undefined` if no key of this name wrapped it with this context. */
  unwrap(key: KeyRef, wrapped: Uint8Array, context: string): Promise<Uint8Array | undefined>
}

/** A key of the keyring: a master key by its name, or a named key of clients. */
export type KeyRef = { readonly master: string } | { readonly named: string }
