/**
 * Keys that LevelDB returns as text. To make a string takes a third of the time of making a `Buffer`, and listings read
 * thousands of keys. Bytes that are not UTF-8 become U+FFFD, so a text with that character may stand for other bytes.
 */
import { rowKeyOf } from '../journal-kit/key-spaces.ts'
import type { KeyEncoding } from './level-database.ts'

export type LevelKey = Uint8Array | string

export const textKeys: KeyEncoding = {
  name: 'varve-text-keys',
  format: 'utf8',
  encode: (key) => key,
  decode: (text) => text,
}

const encoder = new TextEncoder()
const replacement = '\ufffd'

/** The bytes of a key; `undefined` if its text does not determine them. */
export function bytesOf(key: LevelKey): Uint8Array | undefined {
  if (typeof key !== 'string') return key
  return key.includes(replacement) ? undefined : encoder.encode(key)
}

/**
 * Replaces each key by that of its row, without the prefix. False if the text of a key does not determine its bytes: the
 * entries are then useless.
 */
export function fillRowKeys(entries: [LevelKey, Uint8Array][]): entries is [Uint8Array, Uint8Array][] {
  let length = 0
  for (const [key] of entries) if (typeof key === 'string') length += key.length
  // One buffer for all of them costs less than one for each.
  const { buffer } = new Uint8Array(length)
  const page = new Uint8Array(buffer)
  let start = 0
  for (const entry of entries) {
    const [key] = entry
    const end = typeof key === 'string' ? fillIfAscii(page, start, key) : -1
    const bytes = end < 0 ? bytesOf(key) : undefined
    if (end < 0 && bytes === undefined) return false
    entry[0] = bytes === undefined ? new Uint8Array(buffer, start + 1, end - start - 1) : rowKeyOf(bytes)
    if (end >= 0) start = end
  }
  return true
}

/** Writes the text if it is ASCII, and returns the end offset; -1 if it is not. */
function fillIfAscii(page: Uint8Array, start: number, text: string): number {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > 0x7f) return -1
    page[start + i] = unit
  }
  return start + text.length
}
