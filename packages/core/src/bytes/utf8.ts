/** UTF-8, strict both ways: text that is not well formed is refused, never silently replaced. Encoding takes what was checked. */
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text)

/** Writes the text where there is room for three bytes for each of its units, and returns how many it took. */
export const encodeUtf8Into = (text: string, room: Uint8Array): number => encoder.encodeInto(text, room).written

/** @throws TypeError when the bytes are not valid UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes)

/** False for text holding half of a surrogate pair, which UTF-8 cannot carry. */
export const isWellFormed = (text: string): boolean => text.isWellFormed()
