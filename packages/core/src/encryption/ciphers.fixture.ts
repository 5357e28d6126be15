/** The ciphers and a keyring in a few lines, for tests of the core. Adapters that people use are in other packages. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Ciphers, Keyring, KeyRef } from '../ports/index.ts'
import { unwrap, wrap } from './wrapping.ts'

export const ciphers: Ciphers = {
  seal(key, nonce, plain) {
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    return Uint8Array.from(Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]))
  },
  open(key, nonce, sealed) {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 })
    decipher.setAuthTag(sealed.subarray(-16))
    try {
      return Uint8Array.from(Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]))
    } catch {
      return undefined
    }
  },
  derive: (key, salt, purpose, length) => new Uint8Array(hkdfSync('sha256', key, salt, purpose, length)),
  random: (length) => Uint8Array.from(randomBytes(length)),
}

export interface TestKeyring extends Keyring {
  master: string | undefined
  readonly keys: Map<string, Uint8Array>
}

/** With a key for each name; `master` names one of them. */
export function testKeyring(...names: string[]): TestKeyring {
  const keys = new Map(names.map((name) => [name, ciphers.random(32)]))
  const keyOf = (ref: KeyRef) => keys.get('master' in ref ? ref.master : ref.named)
  return {
    master: names[0],
    keys,
    has: (name) => keys.has(name),
    async wrap(ref, secret, context) {
      const key = keyOf(ref)
      if (key === undefined) throw new Error('No such key.')
      return wrap(ciphers, key, secret, context)
    },
    async unwrap(ref, wrapped, context) {
      const key = keyOf(ref)
      return key && unwrap(ciphers, key, wrapped, context)
    },
  }
}
