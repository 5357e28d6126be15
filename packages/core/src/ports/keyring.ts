/**
 * The keys that a store is lent and never keeps. They do not leave the keyring, which may be elsewhere: it wraps
 * small secrets and unwraps them. `context` states the purpose of a secret, and unwrapping needs the same one.
 */
export interface Keyring {
  /** Which master key wraps from now on; `undefined` where there is none. */
  readonly master: string | undefined
  /** Whether there is a key that requests can name so. */
  has(name: string): boolean
  /** Rejects when there is no such key. */
  wrap(key: KeyRef, secret: Uint8Array, context: string): Promise<Uint8Array>
  /** `undefined` when no key that goes by this name wrapped it so. */
  unwrap(key: KeyRef, wrapped: Uint8Array, context: string): Promise<Uint8Array | undefined>
}

/** A key of the keyring: a master key by its name, or a named key of clients. */
export type KeyRef = { readonly master: string } | { readonly named: string }
