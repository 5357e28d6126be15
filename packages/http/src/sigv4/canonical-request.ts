/**
 * The canonical request, which client and server must write alike. S3's variant: the path is encoded once and never
 * normalised; header values are bytes, one per character.
 */

import { canonicalPath, percentEncode } from '../target/percent.ts'
import { sha256Hex } from './digests.ts'

/** The only algorithm of signatures that this store creates and accepts. */
export const algorithm = 'AWS4-HMAC-SHA256'

export interface CanonicalRequestInput {
  readonly method: string
  /** As sent, undecoded. */
  readonly rawPath: string
  /** Decoded pairs, without the signature itself. */
  readonly query: readonly (readonly [name: string, value: string])[]
  /** Lower-case names, sorted. */
  readonly signedHeaders: readonly string[]
  /** The values of a header in the order sent. Empty when the header is absent; then the text has no line for it. */
  readonly values: (name: string) => readonly string[]
  /** Hex SHA-256 of the body, or the word that replaces it. */
  readonly payloadHash: string
}

export function canonicalRequest(input: CanonicalRequestInput): string {
  const { method, rawPath, query, signedHeaders, values, payloadHash } = input
  let headers = ''
  for (const name of signedHeaders) {
    const sent = values(name)
    if (sent.length > 0) headers += `${name}:${canonicalValues(sent)}\n`
  }
  const resource = `${method}\n${canonicalPath(rawPath)}\n${canonicalQuery(query)}`
  return `${resource}\n${headers}\n${listOf(signedHeaders)}\n${payloadHash}`
}

/** Lists of clients are parsed once, so they are also written once. */
const knownLists = new WeakMap<readonly string[], string>()

function listOf(names: readonly string[]): string {
  let list = knownLists.get(names)
  if (list === undefined) knownLists.set(names, (list = names.join(';')))
  return list
}

const canonicalValues = (values: readonly string[]): string =>
  values.length === 1 ? canonicalValue(values[0] as string) : values.map(canonicalValue).join(',')

/** Pairs, encoded once and sorted by encoded name, then by encoded value. */
export function canonicalQuery(query: CanonicalRequestInput['query']): string {
  if (query.length === 0) return ''
  return query
    .map(([name, value]) => [percentEncode(name), percentEncode(value)] as const)
    .sort((a, b) => compareAscii(a[0], b[0]) || compareAscii(a[1], b[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

/** The string to sign for a request; `canonical` comes from `canonicalRequest`. */
export function stringToSign(amzDate: string, scope: string, canonical: string): string {
  return `${algorithm}\n${amzDate}\n${scope}\n${sha256Hex(canonical)}`
}

/**
 * Replaces runs of blanks by one space and removes those at the ends. Only space and tab are blanks: JavaScript also
 * counts a no-break space, but here 0xA0 may be one byte of a letter.
 */
function canonicalValue(value: string): string {
  return blanks.test(value) ? value.replace(/[ \t]+/g, ' ').replace(/^ | $/g, '') : value
}

const blanks = /[ \t]{2}|\t|^ | $/

function compareAscii(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
