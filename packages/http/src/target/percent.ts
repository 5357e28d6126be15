/**
 * Percent-encoding as S3 means it: request targets are decoded exactly once, over bytes, as strict UTF-8; what is signed
 * is encoded exactly once, with only RFC 3986's unreserved characters left as they are.
 */

import { S3Error } from '../errors.ts'

/**
 * Decodes raw text once. `raw` holds one byte per character (as Node hands request lines and headers). Bytes beyond
 * ASCII count as if they had been escaped; `+` stays a plus.
 * @throws S3Error `InvalidURI` for `%zz`, a lone `%`, and bytes that are not UTF-8.
 */
export function percentDecode(raw: string): string {
  if (plain.test(raw)) return raw
  if (beyondBytes.test(raw)) throw invalidUri()
  try {
    return decodeURIComponent(raw.replace(beyondAscii, escapeCharacter))
  } catch {
    throw invalidUri()
  }
}

/** Encodes everything but `A-Z a-z 0-9 - . _ ~`. */
export function percentEncode(text: string): string {
  if (unreserved.test(text)) return text
  return encodeURIComponent(text).replace(leftByEncodeUriComponent, escapeCharacter)
}

/** Encodes a path: like `percentEncode`, and `/` stays. Nothing is normalised: `..`, `.` and `//` are bytes of a key. */
export function encodePath(path: string): string {
  return percentEncode(path).replaceAll('%2F', '/')
}

/** The path that signatures are made over: the raw path decoded once and encoded once. */
export function canonicalPath(rawPath: string): string {
  return encodePath(percentDecode(rawPath))
}

const plain = /^[\x00-\x24\x26-\x7f]*$/
const beyondAscii = /[\x80-\xff]/g
const beyondBytes = /[^\x00-\xff]/
const unreserved = /^[A-Za-z0-9\-._~]*$/
const leftByEncodeUriComponent = /[!'()*]/g

function escapeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

function invalidUri(): S3Error {
  return new S3Error('InvalidURI', "Couldn't parse the specified URI.")
}
