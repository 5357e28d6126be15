/**
 * User metadata in headers, which may contain only ASCII: other text becomes encoded words, as in RFC 2047. S3 reads
 * them in requests and writes them in answers.
 */

const beyondAscii = /[^\t\u0020-\u007e]/
const everyAscii = /[\t\u0020-\u007e]/g
const everyBeyondAscii = /[^\t\u0020-\u007e]/gu
const encodedWord = /=\?([^?\s]+)\?([bq])\?([^?\s]*)\?=/gi
const betweenWords = /(=\?[^?\s]+\?[bq]\?[^?\s]*\?=)[ \t]+(?==\?[^?\s]+\?[bq]\?[^?\s]*\?=)/gi
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
/** The characters between `=?UTF-8?Q?` and `?=`, within the 75 that RFC 2047 allows for a word. */
const wordTextMax = 63

/** Leaves ASCII text unchanged. Encodes other text in Q, or in base64 if at least half of it is not ASCII. */
export function encodeWords(text: string): string {
  if (!beyondAscii.test(text)) return text
  const own = text.match(everyAscii)?.length ?? 0
  const foreign = text.match(everyBeyondAscii)?.length ?? 0
  const encoding = foreign < own ? 'Q' : 'B'
  const wordMax = encoding === 'Q' ? wordTextMax : Math.floor(wordTextMax / 4) * 3
  const size = encoding === 'Q' ? (piece: string) => quoted(piece).length : (piece: string) => Buffer.byteLength(piece)
  const write = encoding === 'Q' ? quoted : (piece: string) => Buffer.from(piece, 'utf8').toString('base64')
  return pieces(text, size, wordMax)
    .map((piece) => `=?UTF-8?${encoding}?${write(piece)}?=`)
    .join(' ')
}

/** Decodes encoded words. A word that cannot be decoded stays as it is. */
export function decodeWords(text: string): string {
  if (!text.includes('=?')) return text
  return text
    .replace(betweenWords, '$1')
    .replace(encodedWord, (word, charset: string, encoding: string, content: string) => {
      const bytes = encoding.toUpperCase() === 'B' ? fromBase64(content) : fromQuoted(content)
      return (bytes && decoded(bytes, charset)) ?? word
    })
}

/** Splits the text into pieces of as many whole characters as fit. */
function pieces(text: string, size: (character: string) => number, max: number): readonly string[] {
  const all: string[] = []
  let piece = ''
  let filled = 0
  for (const character of text) {
    const more = size(character)
    if (filled + more > max) {
      all.push(piece)
      piece = ''
      filled = 0
    }
    piece += character
    filled += more
  }
  return [...all, piece]
}

function quoted(text: string): string {
  let written = ''
  for (const byte of Buffer.from(text, 'utf8')) {
    if (byte === 0x20) written += '_'
    else if (byte > 0x20 && byte < 0x7f && !'=?_'.includes(String.fromCharCode(byte)))
      written += String.fromCharCode(byte)
    else written += `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return written
}

function fromQuoted(content: string): Uint8Array | undefined {
  if (/=(?![0-9a-f]{2})/i.test(content) || beyondAscii.test(content)) return undefined
  const text = content.replaceAll('_', ' ').replace(/=([0-9a-f]{2})/gi, (_, hex: string) => byteOf(hex))
  return Buffer.from(text, 'latin1')
}

const byteOf = (hex: string): string => String.fromCharCode(Number.parseInt(hex, 16))

function fromBase64(content: string): Uint8Array | undefined {
  return base64.test(content) ? Buffer.from(content, 'base64') : undefined
}

/** `undefined` for an unknown character set, and for bytes that are invalid in it. */
function decoded(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
