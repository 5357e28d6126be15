/** The fields of a signature, before any of them is verified. */

import type { S3Error } from '../errors/errors.ts'
import { isLowerCaseName } from '../target/lower-case-name.ts'
import type { CredentialScope } from './signing-keys.ts'

export interface SignatureClaim {
  readonly presigned: boolean
  readonly accessKeyId: string
  readonly scope: CredentialScope
  /** `YYYYMMDDTHHMMSSZ`, as in the string to sign. */
  readonly amzDate: string
  /** The time of `amzDate`, in milliseconds. */
  readonly time: number
  /** Lower-case names, sorted, each once. */
  readonly signedHeaders: readonly string[]
  /** As sent; it may not even be hex. */
  readonly signature: string
  /** The last line of the canonical request. */
  readonly payloadHash: string
  readonly sessionToken: string | undefined
  /** Decoded pairs that the signature covers. */
  readonly query: readonly (readonly [name: string, value: string])[]
  /** Presigned URLs only: seconds from `time`. */
  readonly expires: number | undefined
}

/** Creates the error in the words of the place of the claim: the header or the query. */
export type ClaimError = (reason: string, details?: Readonly<Record<string, string>>) => S3Error

/** Regions that a scope may name: any, or those of a list. The error for another region names the first one. */
export type AcceptedRegions = 'any' | readonly [string, ...string[]]

/**
 * Reads `AKID/YYYYMMDD/region/s3/aws4_request`. Access key ids may hold slashes.
 * @throws S3Error made by `refuse`.
 */
export function parseCredential(
  text: string,
  regions: AcceptedRegions,
  refuse: ClaimError,
  expected: Service = 's3',
): Credential {
  const credential = knownCredentials.get(text) ?? readCredential(text, refuse)
  const { region, service } = credential.scope
  if (service !== expected) throw refuse(`incorrect service "${service}". This endpoint belongs to "${expected}".`)
  if (regions !== 'any' && !regions.includes(region)) {
    throw refuse(`the region '${region}' is wrong; expecting '${regions[0]}'`, { Region: regions[0] })
  }
  return credential
}

/** The services that a scope can name here. */
export type Service = 's3' | 'sts'

interface Credential {
  readonly accessKeyId: string
  readonly scope: CredentialScope
}

function readCredential(text: string, refuse: ClaimError): Credential {
  const parts = text.split('/')
  const [date = '', region = '', service = '', terminator = ''] = parts.slice(-4)
  const accessKeyId = parts.slice(0, -4).join('/')
  if (parts.length < 5 || accessKeyId === '') {
    throw refuse('the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".')
  }
  if (!/^\d{8}$/.test(date)) {
    throw refuse(`incorrect date format "${date}". This date in the credential must be in the format "yyyyMMdd".`)
  }
  if (terminator !== 'aws4_request') {
    throw refuse(`incorrect terminal "${terminator}". This endpoint uses "aws4_request".`)
  }
  const credential = { accessKeyId, scope: { date, region, service } }
  if (text.length <= knownCharactersMax) remember(knownCredentials, text, credential)
  return credential
}

/** Lower-case header names between semicolons, each once; sorted. @throws S3Error made by `refuse`. */
export function parseSignedHeaders(text: string, refuse: ClaimError): readonly string[] {
  const known = knownLists.get(text)
  if (known !== undefined) return known
  const names = text.split(';')
  if (!names.every(isLowerCaseName) || new Set(names).size !== names.length) {
    throw refuse('SignedHeaders must be lower-case header names, each once, between semicolons.')
  }
  names.sort()
  remember(knownLists, text, names)
  return names
}

/** Caches of parsed texts: a client signs the same headers, day, region and service in many requests. */
const knownLists = new Map<string, readonly string[]>()
const knownCredentials = new Map<string, Credential>()
const knownMax = 256
const knownCharactersMax = 256

function remember<T>(known: Map<string, T>, text: string, value: T): void {
  if (known.size >= knownMax) known.clear()
  known.set(text, value)
}

/** Checks that the day of the scope is the day of the request. @throws S3Error made by `refuse`. */
export function checkScopeDay(scope: CredentialScope, amzDate: string, refuse: ClaimError): void {
  const day = amzDate.slice(0, 8)
  if (scope.date === day) return
  throw refuse(`Invalid credential date "${scope.date}". This date is not the same as X-Amz-Date: "${day}".`)
}
