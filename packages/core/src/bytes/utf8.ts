/** Strict UTF-8: malformed text is refused, never silently replaced. Encoding expects text that was checked. */
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text)

/** Writes the text and returns the number of bytes. There must be room for all of it. */
export const encodeUtf8Into = (text: string, room: Uint8Array): number => encoder.encodeInto(text, room).written

/** @throws TypeError when the bytes are not valid UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes)

/** Up to this length, copying bytes takes less than making a view of them, which is also collected later. */
const shortMax = 64
const shortRooms = Array.from({ length: shortMax + 1 }, (_, length) => new Uint8Array(length))

/** Room for so many bytes that are decoded at once. It is shared if it is short. */
export const roomFor = (length: number): Uint8Array => shortRooms[length] ?? new Uint8Array(length)

/** Decodes the bytes from `from` up to `to`. @throws TypeError when they are not valid UTF-8. */
export function decodeUtf8Range(bytes: Uint8Array, from: number, to: number): string {
  const room = shortRooms[to - from]
  if (room === undefined) return decoder.decode(bytes.subarray(from, to))
  for (let at = from; at < to; at++) room[at - from] = bytes[at] as number
  return decoder.decode(room)
}

/** False for text with half a surrogate pair, which UTF-8 cannot encode. */
export const isWellFormed = (text: string): boolean => text.isWellFormed()
