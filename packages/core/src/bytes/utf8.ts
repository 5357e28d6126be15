/** Strict UTF-8: malformed text is refused, never silently replaced. Encoding expects text that was checked. */
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text)

/** Writes the text and returns the number of bytes. There must be room for all of it. */
export const encodeUtf8Into = (text: string, room: Uint8Array): number => encoder.encodeInto(text, room).written

/** @throws TypeError when the bytes are not valid UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes)

/** False for text with half a surrogate pair, which UTF-8 cannot encode. */
export const isWellFormed = (text: string): boolean => text.isWellFormed()
