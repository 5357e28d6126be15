/** Checks the arguments of `signRequest` and `presign`. */

import { schema } from '@varve/core'
import { expiresSecondsMax } from './query-claim.ts'

export type HeaderPairs = readonly (readonly [name: string, value: string])[]

/** A request before it is signed. */
export interface RequestToSign {
  readonly method: string
  /** Percent-encoded, as it will be sent: see `encodePath`. */
  readonly rawPath: string
  /** Without `?`. @default '' */
  readonly rawQuery?: string
  /**
   * All headers that will be sent and must not change on the way; `host` is required. Values one byte per character.
   */
  readonly headers: HeaderPairs
}

/** The key, the region and the time for a signature. */
export interface SigningOptions {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  readonly region: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

const { array, integer, Mismatch, objectWith, optional, pair, text } = schema

const name = text({ min: 1 })
/** The last moment of the year 9999, since dates of signatures have four digits for the year. */
const timeMax = 253_402_300_799_999

const pairs = array(pair(text()))
const headers: typeof pairs = {
  ...pairs,
  read(value) {
    const copy = pairs.read(value)
    if (copy.some(([header]) => header.toLowerCase() === 'host')) return copy
    throw new Mismatch('must hold a host header: a request cannot be signed without')
  },
}

/** A caller may pass a whole request: fields that are not signed are ignored. */
export const requestToSign = objectWith<RequestToSign>({
  method: name,
  rawPath: name,
  rawQuery: optional(text()),
  headers,
})

const signer: schema.FieldsOf<SigningOptions> = {
  accessKeyId: name,
  secretAccessKey: name,
  sessionToken: optional(name),
  region: name,
  now: integer({ min: 0, max: timeMax }),
}

/** A caller may spread credentials here, with a name or an expiry: other fields are ignored. */
export const headerSigning = objectWith<SigningOptions & { readonly payloadHash: string }>({
  ...signer,
  payloadHash: name,
})

export const urlSigning = objectWith<SigningOptions & { readonly expiresSeconds: number }>({
  ...signer,
  expiresSeconds: integer({ min: 1, max: expiresSecondsMax }),
})
