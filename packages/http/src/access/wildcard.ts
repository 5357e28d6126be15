/**
 * Does the whole of `text` match `pattern`, where `*` is any run of characters, slashes and none included, and `?` any
 * one (a code point)? Only the last `*` is ever reconsidered, so the worst case is the product of the two lengths and
 * nothing grows beyond that, whatever the pattern.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
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
    } else if (wanted !== undefined && wanted === text[inText]) {
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

function widthAt(text: string, at: number): number {
  const code = text.codePointAt(at)
  return code !== undefined && code > 0xffff ? 2 : 1
}
