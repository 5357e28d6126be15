/** Metadata beyond ASCII crosses HTTP headers as encoded words of RFC 2047, as in S3. */

const word = /=\?utf-8\?([bq])\?([^?\s]*)\?=(?:[ \t]+(?==\?utf-8\?))?/gi
const bytesInWord = 45

export function decodeWords(text: string): string {
  const bytes: number[] = []
  let decoded = ''
  let from = 0
  // A character may be cut between two words that follow each other, so their bytes are joined first.
  for (const match of text.matchAll(word)) {
    const [whole, encoding = '', content = ''] = match
    if (match.index !== from) decoded += flushed(bytes) + text.slice(from, match.index)
    from = match.index + whole.length
    bytes.push(...(encoding.toUpperCase() === 'B' ? fromBase64(content) : fromQuoted(content)))
  }
  return decoded + flushed(bytes) + text.slice(from)
}

export function encodeWords(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  const pieces: number[][] = [[]]
  for (const character of text.toWellFormed()) {
    const bytes = new TextEncoder().encode(character)
    const piece = pieces.at(-1) ?? []
    if (piece.length + bytes.length > bytesInWord) pieces.push([...bytes])
    else piece.push(...bytes)
  }
  return pieces.map((piece) => `=?UTF-8?B?${btoa(String.fromCharCode(...piece))}?=`).join(' ')
}

function flushed(bytes: number[]): string {
  const text = new TextDecoder().decode(new Uint8Array(bytes))
  bytes.length = 0
  return text
}

function fromBase64(content: string): readonly number[] {
  try {
    return bytesIn(atob(content))
  } catch {
    return []
  }
}

function fromQuoted(content: string): readonly number[] {
  const text = content
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return bytesIn(text)
}

const bytesIn = (text: string): readonly number[] => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
