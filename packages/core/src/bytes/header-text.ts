/**
 * Text in HTTP headers, as bytes arrive: one character each. S3 writes user metadata beyond ASCII as encoded words of
 * RFC 2047, and other servers write it as bare UTF-8.
 */
import { base64Length, fillFromBase64, standardBase64 } from './base64.ts'
import { decodeUtf8 } from './utf8.ts'

const beyondAscii = /[^\t\u0020-\u007e]/
const beyondBytes = /[^\u0000-\u00ff]/
const encodedWord = /=\?([^?\s]+)\?([bq])\?([^?\s]*)\?=/gi
const betweenWords = /(=\?[^?\s]+\?[bq]\?[^?\s]*\?=)[ \t]+(?==\?[^?\s]+\?[bq]\?[^?\s]*\?=)/gi
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** A header value: as UTF-8 if its bytes are valid UTF-8, else as ISO 8859-1. */
export const decodeHeaderText = (raw: string): string => utf8In(raw) ?? raw

/**
 * The text to store for a header that S3 returns byte for byte, such as `Content-Disposition`: UTF-8 as text, and other
 * bytes as one encoded word in ISO 8859-1, which keeps them. A value that already looks like such a word is encoded too.
 */
export function textOfHeaderBytes(raw: string): string {
  const text = utf8In(raw)
  return text === undefined || bytesInWord(text) !== undefined ? wordOf(raw) : text
}

/** The bytes that `textOfHeaderBytes` stored as a word; `undefined` for other text. */
export function bytesInWord(text: string): string | undefined {
  const [, content] = latin1Word.exec(text) ?? []
  const bytes = content === undefined ? undefined : fromQuoted(content)
  if (bytes === undefined) return undefined
  const raw = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  if (wordOf(raw) !== text || control.test(raw)) return undefined
  return utf8In(raw) === undefined || bytesInWord(raw) !== undefined ? raw : undefined
}

const latin1Word = /^=\?ISO-8859-1\?Q\?([^?\s]*)\?=$/
const control = /[\u0000-\u0008\u000a-\u001f\u007f]/

const wordOf = (raw: string): string =>
  `=?ISO-8859-1?Q?${raw.replace(/[^!-~]|[=?_]/g, (character) => (character === ' ' ? '_' : quoted(character)))}?=`

const quoted = (character: string): string => `=${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

/** `undefined` if the bytes are not UTF-8. Text beyond bytes, as in the query of a URL, stays as it is. */
function utf8In(raw: string): string | undefined {
  if (!beyondAscii.test(raw) || beyondBytes.test(raw)) return raw
  try {
    return decodeUtf8(bytesIn(raw))
  } catch {
    return undefined
  }
}

/** Decodes encoded words. A word that cannot be decoded stays as it is. */
export function decodeWords(text: string): string {
  if (!text.includes('=?')) return text
  return text
    .replace(betweenWords, '$1')
    .replace(encodedWord, (word: string, charset: string, encoding: string, content: string) => {
      const bytes = encoding.toUpperCase() === 'B' ? fromBase64(content) : fromQuoted(content)
      return (bytes && decoded(bytes, charset)) ?? word
    })
}

function fromQuoted(content: string): Uint8Array | undefined {
  if (/=(?![0-9a-f]{2})/i.test(content) || beyondAscii.test(content)) return undefined
  return bytesIn(content.replaceAll('_', ' ').replace(/=([0-9a-f]{2})/gi, (_, hex: string) => byteOf(hex)))
}

const byteOf = (hex: string): string => String.fromCharCode(Number.parseInt(hex, 16))

/** Bits that remain behind the last byte are ignored, as other readers of mail and headers do. */
function fromBase64(content: string): Uint8Array | undefined {
  if (!base64.test(content)) return undefined
  const bytes = new Uint8Array(base64Length(standardBase64, content))
  fillFromBase64(standardBase64, bytes, 0, content)
  return bytes
}

/** `undefined` for an unknown character set, and for bytes that are invalid in it. */
function decoded(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const bytesIn = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))
