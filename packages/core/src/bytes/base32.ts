/** Base 32 in the digits of ids, in which texts sort like the numbers that they express. */

/** The digits in order. The letters i, l, o and u are left out. */
export const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** All pairs of digits in order. The table makes ids fast, because listings make one for every row. */
export const pairs: readonly string[] = Array.from(
  { length: 1024 },
  (_, i) => alphabet.charAt(i >> 5) + alphabet.charAt(i & 31),
)

/** Encodes twenty bits as four digits. */
const twenty = (bits: number): string => `${pairs[bits >> 10]}${pairs[bits & 1023]}`

/** Encodes the five bytes at `at` as eight digits. */
export function digitsOfBytes(bytes: Uint8Array, at: number): string {
  const [a, b, c, d, e] = bytes.subarray(at, at + 5) as unknown as readonly [number, number, number, number, number]
  return twenty((a << 12) | (b << 4) | (c >> 4)) + twenty(((c & 15) << 16) | (d << 8) | e)
}

/** The five bytes that eight digits encode. */
export function bytesOfDigits(digits: string): Uint8Array {
  let [upper, lower] = [0, 0]
  for (let i = 0; i < 4; i++) {
    upper = upper * 32 + alphabet.indexOf(digits.charAt(i))
    lower = lower * 32 + alphabet.indexOf(digits.charAt(i + 4))
  }
  return Uint8Array.of(upper >> 12, upper >> 4, ((upper & 15) << 4) | (lower >> 16), lower >> 8, lower)
}
