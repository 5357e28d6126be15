/** Parses JSON from outside. Its depth is bounded, because the code that walks the result calls itself for each level. */

/** The most arrays and objects inside one another. A policy or a setting has about ten levels. */
export const jsonDepthMax = 64

/** The text may be JSON, and has too many levels. */
export class JsonTooDeep extends SyntaxError {}

/** @throws SyntaxError if the text is not JSON; JsonTooDeep */
export function parseJson(text: string): unknown {
  checkDepth(text)
  return JSON.parse(text) as unknown
}

const [quote, backslash, leftBracket, rightBracket, leftBrace, rightBrace] = [34, 92, 91, 93, 123, 125]

/** A text that is not JSON may pass: then the parser refuses it. */
function checkDepth(text: string): void {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === leftBracket || code === leftBrace) depth++
    else if (code === rightBracket || code === rightBrace) depth--
    if (depth > jsonDepthMax) throw new JsonTooDeep(`The JSON has more than ${jsonDepthMax} levels.`)
  }
}

/** The position of the quotation mark that ends a string, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0
    while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++
    if (backslashes % 2 === 0) return at
  }
  return text.length
}
