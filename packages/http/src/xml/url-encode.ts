const leftBare = /[!'()*]/g
const slash = /%2F/g
const halfPair = /[\ud800-\udfff]/gu

/**
 * Encodes text for a listing with `encoding-type=url`: UTF-8, percent-encoded in upper case. The unreserved characters
 * of RFC 3986 (letters, digits, `-._~`) and `/` stay. A space becomes `%20` and a plus `%2B`, so that decoders agree
 * whether or not they read `+` as a space. Half a surrogate pair is encoded as U+FFFD.
 */
export function urlEncode(text: string): string {
  return encodeURIComponent(text.replace(halfPair, '\ufffd'))
    .replace(leftBare, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(slash, '/')
}
