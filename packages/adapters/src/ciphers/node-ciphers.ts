/** Ciphers from the runtime. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Ciphers } from '@varve/core'
import { plainBytes } from '../hashing/plain-bytes.ts'

const algorithm = 'aes-256-gcm'
const tagLength = 16

/** AES-256-GCM, HKDF-SHA-256 and random bytes from `node:crypto`. */
export const nodeCiphers: Ciphers = {
  seal(key, nonce, plain) {
    const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagLength })
    const sealed = new Uint8Array(plain.length + tagLength)
    sealed.set(cipher.update(plain))
    cipher.final()
    sealed.set(cipher.getAuthTag(), plain.length)
    return sealed
  },

  open(key, nonce, sealed) {
    if (sealed.length < tagLength) return undefined
    const end = sealed.length - tagLength
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength })
    decipher.setAuthTag(sealed.subarray(end))
    const plain = decipher.update(sealed.subarray(0, end))
    try {
      decipher.final()
    } catch {
      return undefined
    }
    return plainBytes(plain)
  },

  derive: (key, salt, purpose, length) => new Uint8Array(hkdfSync('sha256', key, salt, purpose, length)),

  random: (length) => plainBytes(randomBytes(length)),
}
