/**
 * A pattern: text in which `*` and `?` mean others, or, where some of it came from elsewhere and means itself, its units
 * one by one, as `literally` spells them.
 */
export type Pattern = string | readonly string[]

/** Text that stands for itself as a part of a pattern. */
export function literally(text: string): readonly string[] {
  return text.split('').map((unit) => (unit === '*' || unit === '?' ? `\\${unit}` : unit))
}

/**
 * Does the whole of `text` match `pattern`, where `*` is any run of characters, slashes and none included, and `?` any
 * one (a code point)? Only the last `*` is ever reconsidered, so the worst case is the product of the two lengths and
 * nothing grows beyond that, whatever the pattern.
 */
export function matchesWildcard(pattern: Pattern, text: string): boolean {
  let inPattern = 0
  let inText = 0
  let star = -1
  let resume = 0
  while (inText < text.length) {
    const wanted = pattern[inPattern]
    if (wanted === '*') {
      star = inPattern
      resume = inText
      inPattern += 1
    } else if (wanted === '?') {
      inPattern += 1
      inText += widthAt(text, inText)
    } else if (wanted !== undefined && isUnit(wanted, text[inText])) {
      inPattern += 1
      inText += 1
    } else if (star !== -1) {
      resume += widthAt(text, resume)
      inPattern = star + 1
      inText = resume
    } else {
      return false
    }
  }
  while (pattern[inPattern] === '*') inPattern += 1
  return inPattern === pattern.length
}

const isUnit = (wanted: string, unit: string | undefined): boolean =>
  wanted === unit || (wanted.length > 1 && wanted[1] === unit)

function widthAt(text: string, at: number): number {
  const code = text.codePointAt(at)
  return code !== undefined && code > 0xffff ? 2 : 1
}
