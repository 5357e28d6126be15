/** Encryption. Core implements none, because runtimes have it natively. Keys are 32 bytes. */
export interface Ciphers {
  /**
   * AES-256-GCM: returns as many bytes as `plain` has, followed by a tag of 16 bytes. The nonce has 12 bytes and is
   * never used twice with one key.
   */
  seal(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array): Uint8Array
  /** `undefined` if the bytes were not sealed with this key and nonce. */
  open(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array): Uint8Array | undefined
  /** HKDF with SHA-256: as many bytes as requested, derived from a key for one purpose. */
  derive(key: Uint8Array, salt: Uint8Array, purpose: string, length: number): Uint8Array
  /** Unpredictable random bytes. */
  random(length: number): Uint8Array
}
