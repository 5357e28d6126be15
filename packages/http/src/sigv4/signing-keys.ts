/**
 * Signing keys: one per secret, day, region and service. They are `KeyObject`s, so that logging or serialising whatever
 * holds one shows nothing.
 */

import { createHmac, createSecretKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** What a signing key is bound to. */
export interface CredentialScope {
  /** `YYYYMMDD`. */
  readonly date: string
  readonly region: string
  /** `s3`, except in test vectors. */
  readonly service: string
}

/** Remembers the keys of recent scopes, so that a verified client costs one HMAC instead of five. */
export interface SigningKeys {
  derive(secretAccessKey: string, scope: CredentialScope): KeyObject
  /** Call once a signature was found good: what strangers send must not push out the keys of clients. */
  remember(secretAccessKey: string, scope: CredentialScope, key: KeyObject): void
}

/** @param capacity Scopes kept; the one unused for longest goes first. @default 256 */
export function createSigningKeys(capacity = 256): SigningKeys {
  const keys = new Map<string, KeyObject>()
  let newest: { readonly secret: string; readonly scope: CredentialScope; readonly key: KeyObject } | undefined
  const nameOf = (secret: string, scope: CredentialScope) =>
    [secret, scope.date, scope.region, scope.service].join('\0')
  return {
    derive(secret, scope) {
      if (newest?.scope === scope && newest.secret === secret) return newest.key
      return keys.get(nameOf(secret, scope)) ?? deriveSigningKey(secret, scope)
    },
    remember(secret, scope, key) {
      // One client after another is rare beside one client again.
      if (key === newest?.key) return
      newest = { secret, scope, key }
      const name = nameOf(secret, scope)
      keys.delete(name)
      keys.set(name, key)
      if (keys.size > capacity) keys.delete(keys.keys().next().value ?? name)
    },
  }
}

/** The key of one scope, afresh. */
export function deriveSigningKey(secretAccessKey: string, { date, region, service }: CredentialScope): KeyObject {
  const steps = [date, region, service, 'aws4_request']
  const first: Buffer = Buffer.from(`AWS4${secretAccessKey}`, 'utf8')
  return createSecretKey(steps.reduce((key, text) => createHmac('sha256', key).update(text, 'utf8').digest(), first))
}

/** `YYYYMMDD/region/service/aws4_request`: the scope as it stands in strings to sign. */
export function scopeText({ date, region, service }: CredentialScope): string {
  return `${date}/${region}/${service}/aws4_request`
}
