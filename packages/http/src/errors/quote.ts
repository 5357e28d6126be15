/** Errors quote what a client has sent. Each quote is cut, so that an answer is not as long as what was sent. */

/** The most characters of a quote. A key of 1,024 bytes fits, because clients find the result of a key by the key. */
export const quoteMax = 1100

const signedMax = 16 * 1024

/** Names of what may be longer: people compare signed texts, and a resource is a key that may be escaped, after a bucket. */
const longQuotes: ReadonlyMap<string, number> = new Map([
  ['Resource', 4 * 1024],
  ['StringToSign', signedMax],
  ['CanonicalRequest', signedMax],
  // Each byte has two digits and a space.
  ['StringToSignBytes', 3 * signedMax],
])

/**
 * The text as an error may quote it. What was left out becomes an ellipsis.
 * @param name The element or field that has the text.
 */
export function quoted(text: string, name = ''): string {
  const max = longQuotes.get(name) ?? quoteMax
  if (text.length <= max) return text
  // Not between the halves of a surrogate pair.
  const isWithin = (text.codePointAt(max - 2) ?? 0) > 0xffff
  return `${text.slice(0, isWithin ? max - 2 : max - 1)}…`
}

/** The values of fields, each as an error may quote it. */
export const quotedFields = <V>(fields: Readonly<Record<string, V>>): Readonly<Record<string, V>> =>
  Object.values(fields).some((value) => typeof value === 'string' && value.length > quoteMax)
    ? Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, quotedValue(value, name)]))
    : fields

const quotedValue = <V>(value: V, name: string): V => (typeof value === 'string' ? (quoted(value, name) as V) : value)
