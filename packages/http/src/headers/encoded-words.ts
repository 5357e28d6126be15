/**
 * User metadata in answers, which may contain only ASCII: other text becomes encoded words, as in RFC 2047. Core has the
 * decoding, because imports need it too.
 */

const beyondAscii = /[^\t\u0020-\u007e]/
const everyAscii = /[\t\u0020-\u007e]/g
const everyBeyondAscii = /[^\t\u0020-\u007e]/gu
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
