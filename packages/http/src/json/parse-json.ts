/**
 * Parses JSON from outside. Its depth is bounded, because the code that walks the result calls itself for each level. A name
 * that an object has twice is refused: parsers differ in which of the values they take (RFC 8259, section 4), so a policy
 * could have another effect than its reader saw.
 */

/** The most arrays and objects inside one another. A policy or a setting has about ten levels. */
export const jsonDepthMax = 64

/** The text may be JSON, and has too many levels. */
export class JsonTooDeep extends SyntaxError {}

/** @throws SyntaxError if the text is not JSON, or has a name twice in one object; JsonTooDeep */
export function parseJson(text: string): unknown {
  checkStructure(text)
  return JSON.parse(text) as unknown
}

const [quote, backslash, leftBracket, rightBracket, leftBrace, rightBrace] = [34, 92, 91, 93, 123, 125]

/** A text that is not JSON may pass: then the parser refuses it. */
function checkStructure(text: string): void {
  /** The names of the objects that are open; nothing for an array. */
  const open: (Set<string> | undefined)[] = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at)
      const names = open.at(-1)
      if (names !== undefined && isColonAfter(text, end)) takeName(names, text.slice(at, end + 1))
      at = end
    } else if (code === leftBracket) open.push(undefined)
    else if (code === leftBrace) open.push(new Set())
    else if (code === rightBracket || code === rightBrace) open.pop()
    if (open.length > jsonDepthMax) throw new JsonTooDeep(`The JSON has more than ${jsonDepthMax} levels.`)
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

const spaces = new Set([9, 10, 13, 32])

function isColonAfter(text: string, end: number): boolean {
  let at = end + 1
  while (spaces.has(text.charCodeAt(at))) at++
  return text[at] === ':'
}

/** `spelled`: the name with its quotation marks and escapes. */
function takeName(names: Set<string>, spelled: string): void {
  const name = String(JSON.parse(spelled))
  if (names.has(name)) throw new SyntaxError('The JSON has a name twice in one object.')
  names.add(name)
}
