const leftBare = /[!'()*]/g
const slash = /%2F/g
const halfPair = /[\ud800-\udfff]/gu

/**
 * Text as a listing with `encoding-type=url` shows it: UTF-8, percent-encoded in upper case. Bare stay the unreserved
 * characters of RFC 3986 (letters, digits, `-._~`) and `/`; a space is `%20` and a plus `%2B`, so that decoders that
 * take `+` for a space and decoders that do not agree. Half a surrogate pair is encoded as U+FFFD.
 */
export function urlEncode(text: string): string {
  return encodeURIComponent(text.replace(halfPair, '\ufffd'))
    .replace(leftBare, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(slash, '/')
}
