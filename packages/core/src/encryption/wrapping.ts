/**
 * Wraps small secrets in a key. Each wrapping derives its own key from the given key and a random salt, so no nonce is
 * used twice. A commitment to the key is stored with it, because AES-GCM alone does not commit to a key: a wrong key is
 * always detected, and no ciphertext opens under two keys.
 *
 *     salt (16 bytes), commitment (32), sealed secret, tag (16)
 */
import { concatBytes, sameBytes } from '../bytes/bytes.ts'
import type { Ciphers } from '../ports/index.ts'

export const keyLength = 32
const saltLength = 16
const commitmentLength = 32
const tagLength = 16
const soleNonce = new Uint8Array(12)

/** Encrypts `secret` with `key`. Only the same key and context can decrypt it. */
export function wrap(ciphers: Ciphers, key: Uint8Array, secret: Uint8Array, context: string): Uint8Array {
  const salt = ciphers.random(saltLength)
  const { own, commitment } = derived(ciphers, key, salt, context)
  return concatBytes([salt, commitment, ciphers.seal(own, soleNonce, secret)])
}

/** `undefined` unless it was wrapped with this key and this context. */
export function unwrap(
  ciphers: Ciphers,
  key: Uint8Array,
  wrapped: Uint8Array,
  context: string,
): Uint8Array | undefined {
  const head = saltLength + commitmentLength
  if (wrapped.length < head + tagLength) return undefined
  const { own, commitment } = derived(ciphers, key, wrapped.subarray(0, saltLength), context)
  // Needs no constant time: the commitment was derived from the caller's own key and reveals nothing about another.
  if (!sameBytes(commitment, wrapped.subarray(saltLength, head))) return undefined
  return ciphers.open(own, soleNonce, wrapped.subarray(head))
}

function derived(ciphers: Ciphers, key: Uint8Array, salt: Uint8Array, context: string) {
  const bytes = ciphers.derive(key, salt, `varve wrap 1 ${context}`, keyLength + commitmentLength)
  return { own: bytes.subarray(0, keyLength), commitment: bytes.subarray(keyLength) }
}
