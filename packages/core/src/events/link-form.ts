/**
 * The binary form of the link to the event before. In a log that is read in order it is the hash that was computed last,
 * and to compare its bytes takes less time than to write them as text.
 */
import { fillFromBase64, urlBase64 } from '../bytes/base64.ts'
import { sameRange } from '../bytes/bytes.ts'
import type { Codec } from '../codec/codec.ts'
import { base64url } from '../codec/scalars.ts'

const hashBytes = 32
/** The first byte of the form of a hash: its number of bytes, which is odd because they are no text. */
const hashMark = hashBytes * 2 + 1

let lastHash = ''
const lastBytes = new Uint8Array(hashBytes)

/** Notes the hash of an event, which the next event probably has as its link. */
export function noteHash(hash: string): void {
  const isWhole = hash.length === 43 && fillFromBase64(urlBase64, lastBytes, 0, hash) === hashBytes
  lastHash = isWhole ? hash : ''
}

export const link: Codec<string> = {
  write: base64url.write,
  read(from) {
    const { bytes, at } = from
    const isLast = lastHash !== '' && bytes[at] === hashMark && sameRange(bytes, at + 1, at + 1 + hashBytes, lastBytes)
    if (!isLast) return base64url.read(from)
    from.take(1 + hashBytes)
    return lastHash
  },
}
