/**
 * The paths of contents in an archive. A path is the key wherever every file system can have it. What it cannot have is
 * written as `%` and two hexadecimal digits for each byte, or as one of four marks that no byte gives:
 *
 * - `%_` is an empty part of a key, as in `a//b` and `a/`
 * - `%d` follows a part that is a directory here and a file too, as with the keys `a` and `a/b`
 * - `%v` follows the last part of a key, for the directory of its older versions
 * - `%~` and 32 digits follow a part that was cut because it is too long: the first half of its SHA-256
 *
 * Different keys have different paths, and no path is a directory of another one. The key itself stands in the metadata.
 */
import { createHash } from 'node:crypto'

const partMax = 240
const positionDigits = 16
const encoder = new TextEncoder()

/** Control characters, and those that have a meaning in the paths of some system. */
const special = /[\u0000-\u001f\u007f%\\:*?"<>|]/g
/** Names that mean a directory, and those that Windows keeps for devices or cuts. */
const reserved = /^(\.{1,2}|(con|prn|aux|nul|com\d|lpt\d)(\..*)?)$/i
const cutAtEnd = /[. ]$/

/** Keys have to come in the order of their bytes; one key may come again. */
export class MemberPaths {
  /** The keys so far that the present key begins with: each is a beginning of the next one. */
  #beginnings: string[] = []

  /** The path of the newest content of a key. */
  newest(key: string): string {
    return `objects/${this.#parts(key).join('/')}`
  }

  /** The path of the content of an older version. */
  older(key: string, seq: number): string {
    return `versions/${this.#parts(key).join('/')}%v/${String(seq).padStart(positionDigits, '0')}`
  }

  #parts(key: string): string[] {
    const beginnings = this.#beginnings
    while (beginnings.length > 0 && !key.startsWith(beginnings.at(-1) as string)) beginnings.pop()
    const parts: string[] = []
    let end = 0
    for (const part of key.split('/')) {
      end += part.length
      const isDirectory = end < key.length
      parts.push(escaped(part) + (isDirectory && beginnings.includes(key.slice(0, end)) ? '%d' : ''))
      end++
    }
    if (beginnings.at(-1) !== key) beginnings.push(key)
    return parts
  }
}

function escaped(part: string): string {
  if (part === '') return '%_'
  let safe = part.replace(special, hexOf)
  if (reserved.test(safe)) safe = hexOf(safe.charAt(0)) + safe.slice(1)
  if (cutAtEnd.test(safe)) safe = safe.slice(0, -1) + hexOf(safe.slice(-1))
  return encoder.encode(safe).length <= partMax ? safe : `${cut(safe)}%~${half(part)}`
}

const hexOf = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

/** Whole characters and whole escapes. */
function cut(safe: string): string {
  let [kept, bytes] = ['', 0]
  for (const [unit] of safe.matchAll(/%[0-9A-F]{2}|./gsu)) {
    bytes += encoder.encode(unit).length
    if (bytes > partMax - 40) return kept
    kept += unit
  }
  return kept
}

const half = (part: string): string => createHash('sha256').update(part).digest('hex').slice(0, 32)
