/** Encryption. Core owns none: runtimes have it natively. Keys are 32 bytes. */
export interface Ciphers {
  /**
   * AES-256-GCM: as many bytes as there were, and a tag of 16 behind them. The nonce has 12 bytes; with one key, none is ever
   * used for two things.
   */
  seal(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array): Uint8Array
  /** `undefined` when this is not what was sealed with this key and nonce. */
  open(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array): Uint8Array | undefined
  /** HKDF with SHA-256: as many bytes as requested, derived from a key for one purpose. */
  derive(key: Uint8Array, salt: Uint8Array, purpose: string, length: number): Uint8Array
  /** Random bytes that cannot be guessed. */
  random(length: number): Uint8Array
}
