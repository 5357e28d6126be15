/** Compares object keys in the order of listings, which is the order of their UTF-8 bytes. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [one, other] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (one !== other) return rank(one) - rank(other)
  }
  return a.length - b.length
}

/** Characters beyond U+FFFF are pairs of units from U+D800 to U+DFFF, and come last in UTF-8. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)
