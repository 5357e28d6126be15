/**
 * Percent-encoding as in S3: request targets are decoded exactly once, as bytes of strict UTF-8; signed text is encoded
 * exactly once, except for the unreserved characters of RFC 3986.
 */

import { S3Error } from '../errors/errors.ts'

/**
 * Decodes raw text once. `raw` holds one byte per character, as Node passes request lines and headers. Bytes beyond
 * ASCII are treated as if they were escaped; `+` stays a plus.
 * @throws S3Error `InvalidURI` for `%zz`, a lone `%`, and bytes that are not UTF-8.
 */
export function percentDecode(raw: string): string {
  if (plain.test(raw)) return raw
  if (beyondBytes.test(raw)) throw invalidUri()
  const bytes = Buffer.from(raw, 'latin1')
  let length = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === percent) {
      bytes[length++] = hexByte(bytes[at + 1], bytes[at + 2])
      at += 2
    } else {
      bytes[length++] = byte
    }
  }
  try {
    return utf8.decode(bytes.subarray(0, length))
  } catch {
    throw invalidUri()
  }
}

/** Encodes everything but `A-Z a-z 0-9 - . _ ~`. */
export function percentEncode(text: string): string {
  if (unreserved.test(text)) return text
  return encodeURIComponent(text).replace(leftByEncodeUriComponent, (character) => escapes[character] ?? character)
}

/** Encodes a path like `percentEncode`, but leaves `/`. Nothing is normalised: `..`, `.` and `//` are part of a key. */
export function encodePath(path: string): string {
  if (unreservedPath.test(path)) return path
  return percentEncode(path).replaceAll('%2F', '/')
}

/** The path for signatures: the raw path decoded once and encoded once. */
export function canonicalPath(rawPath: string): string {
  return encodePath(percentDecode(rawPath))
}

const plain = /^[\x00-\x24\x26-\x7f]*$/
const beyondBytes = /[^\x00-\xff]/
const unreserved = /^[A-Za-z0-9\-._~]*$/
const unreservedPath = /^[A-Za-z0-9\-._~/]*$/
const leftByEncodeUriComponent = /[!'()*]/g
const escapes: Readonly<Record<string, string>> = { '!': '%21', "'": '%27', '(': '%28', ')': '%29', '*': '%2A' }
const percent = 0x25
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The value of two hexadecimal digits, given as ASCII. @throws S3Error `InvalidURI` */
function hexByte(high: number | undefined, low: number | undefined): number {
  return hexDigit(high) * 16 + hexDigit(low)
}

function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  if (letter >= 0x61 && letter <= 0x66) return letter - 0x61 + 10
  throw invalidUri()
}

function invalidUri(): S3Error {
  return new S3Error('InvalidURI', "Couldn't parse the specified URI.")
}
