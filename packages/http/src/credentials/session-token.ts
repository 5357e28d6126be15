/**
 * Session tokens: what temporary credentials are, sealed for the servers of the store. A token is the only place where a session is kept, so
 * it works in every worker and after a restart.
 */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { schema } from '@varve/core'

const { checked, integer, object, optional, text } = schema

/** The role that a session has assumed. */
export interface AssumedRole {
  readonly id: string
  readonly sessionName: string
}

/** What a session is, besides what its identity may do at the time of a request. */
export interface Session {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  /** Milliseconds since the epoch. Tokens of older releases do not have it. */
  readonly issuedAt?: number
  /** The access key that requested it. The session ends with that key. */
  readonly parentKeyId: string
  /** The identity of that key. */
  readonly parentId: string
  readonly role?: AssumedRole
  /** The text of a policy, beyond which the session may do nothing. */
  readonly policy?: string
}

const session = object<Session>({
  accessKeyId: text(),
  secretAccessKey: text(),
  expiresAt: integer({ min: 0 }),
  issuedAt: optional(integer({ min: 0 })),
  parentKeyId: text(),
  parentId: text(),
  role: optional(object<AssumedRole>({ id: text(), sessionName: text() })),
  policy: optional(text()),
})

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
/** The first byte of a token: its form. */
const form = 1
const tokenMax = 8192

/** @param key 32 bytes that only the servers of the store have. */
export function sealSession(key: Uint8Array, given: Session): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  const sealed = Buffer.concat([cipher.update(JSON.stringify(given), 'utf8'), cipher.final()])
  return Buffer.concat([Uint8Array.of(form), nonce, sealed, cipher.getAuthTag()]).toString('base64')
}

/** `undefined` for what was not sealed with this key. */
export function openSession(key: Uint8Array, token: string): Session | undefined {
  if (token.length > tokenMax) return undefined
  const bytes = Buffer.from(token, 'base64')
  // Decoding skips characters that are not base64, so only one spelling of the bytes is the token.
  if (bytes.toString('base64') !== token) return undefined
  const sealedFrom = 1 + nonceBytes
  const sealedTo = bytes.length - tagBytes
  if (bytes[0] !== form || sealedTo <= sealedFrom) return undefined
  try {
    const nonce = bytes.subarray(1, sealedFrom)
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
    decipher.setAuthTag(bytes.subarray(sealedTo))
    const opened = Buffer.concat([decipher.update(bytes.subarray(sealedFrom, sealedTo)), decipher.final()])
    return checked('session', session, JSON.parse(opened.toString('utf8')))
  } catch {
    return undefined
  }
}
