/**
 * Signing keys, one per secret, day, region and service. They are `KeyObject`s, so that logging or serialising an
 * object that contains one does not reveal it.
 */

import { createHmac, createSecretKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** The scope that a signing key is valid for. */
export interface CredentialScope {
  /** `YYYYMMDD`. */
  readonly date: string
  readonly region: string
  /** `s3`, except in test vectors. */
  readonly service: string
}

/** Caches the keys of recent scopes, so that a verified client costs one HMAC instead of five. */
export interface SigningKeys {
  derive(secretAccessKey: string, scope: CredentialScope): KeyObject
  /**
   * Call this after verifying a signature: requests of strangers must not push the keys of clients out of the cache.
   */
  remember(secretAccessKey: string, scope: CredentialScope, key: KeyObject): void
}

/** @param capacity The number of cached scopes; the least recently used is dropped first. @default 256 */
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
      // Mostly the same client comes again.
      if (key === newest?.key) return
      newest = { secret, scope, key }
      const name = nameOf(secret, scope)
      keys.delete(name)
      keys.set(name, key)
      if (keys.size > capacity) keys.delete(keys.keys().next().value ?? name)
    },
  }
}

/** Derives the key of one scope, without the cache. */
export function deriveSigningKey(secretAccessKey: string, { date, region, service }: CredentialScope): KeyObject {
  const steps = [date, region, service, 'aws4_request']
  const first: Buffer = Buffer.from(`AWS4${secretAccessKey}`, 'utf8')
  return createSecretKey(steps.reduce((key, text) => createHmac('sha256', key).update(text, 'utf8').digest(), first))
}

/** `YYYYMMDD/region/service/aws4_request`: the scope in strings to sign. */
export function scopeText({ date, region, service }: CredentialScope): string {
  return `${date}/${region}/${service}/aws4_request`
}
