/** The XML declaration and tags, one at a time, each by a pattern tried at one place only. */

import { malformed } from './malformed.ts'
import { decodeReferences } from './references.ts'

export interface OpenTag {
  /** As written, prefix and all. */
  readonly tag: string
  /** Just behind the tag. */
  readonly end: number
  /** `<a/>`: there will be no closing tag. */
  readonly isEmpty: boolean
}

/** Repetition is bounded throughout, so no tag costs more than a legitimate one. */
const name = '[A-Za-z_][A-Za-z0-9_.-]{0,63}(?::[A-Za-z_][A-Za-z0-9_.-]{0,63})?'
const space = '[ \\t\\n]{0,256}'
const value = `"[^"<]{0,4096}"|'[^'<]{0,4096}'`
const opening = new RegExp(`<(${name})`, 'y')
const closing = new RegExp(`</(${name})${space}>`, 'y')
const attribute = new RegExp(`[ \\t\\n]${space}(${name})${space}=${space}(${value})`, 'y')
const ending = new RegExp(`${space}(/?)>`, 'y')
const declaration =
  /^<\?xml[ \t\n]+version[ \t\n]*=[ \t\n]*(?:"1\.0"|'1\.0')(?:[ \t\n]+encoding[ \t\n]*=[ \t\n]*(?:"utf-8"|'utf-8'))?(?:[ \t\n]+standalone[ \t\n]*=[ \t\n]*(?:"yes"|"no"|'yes'|'no'))?[ \t\n]*\?>/i
const declarationMax = 256
const attributesMax = 16

/** Where the document begins behind its XML declaration, if it has one. @throws MalformedXML */
export function afterDeclaration(xml: string): number {
  if (!xml.startsWith('<?xml')) return 0
  const found = declaration.exec(xml.slice(0, declarationMax))
  if (found === null) throw malformed('the XML declaration must say version 1.0 and, if anything, encoding UTF-8')
  return found[0].length
}

/** @throws MalformedXML */
export function readOpenTag(xml: string, at: number): OpenTag {
  const tag = execAt(opening, xml, at)?.[1]
  if (tag === undefined) throw malformed('a tag has no name, or not one we know')
  const end = execAt(ending, xml, passAttributes(xml, at + 1 + tag.length))
  if (end === null) throw malformed('a tag is not closed, or holds something odd')
  return { tag, end: ending.lastIndex, isEmpty: end[1] !== '' }
}

/** @throws MalformedXML */
export function readCloseTag(xml: string, at: number): { readonly tag: string; readonly end: number } {
  const tag = execAt(closing, xml, at)?.[1]
  if (tag === undefined) throw malformed('a closing tag is not closed')
  return { tag, end: closing.lastIndex }
}

/** Namespaces, hints of schemas and the `xml:` attributes may be there and mean nothing to us; no other may. */
function passAttributes(xml: string, at: number): number {
  if (xml[at] === '>') return at
  const seen = new Set<string>()
  for (let end = at; ; end = attribute.lastIndex) {
    const found = execAt(attribute, xml, end)
    if (found === null) return end
    const [, attributeName = '', quoted = ''] = found
    if (!isHarmless(attributeName)) throw malformed('an attribute that is not a namespace')
    if (seen.has(attributeName) || seen.size === attributesMax) throw malformed('too many attributes, or one twice')
    seen.add(attributeName)
    decodeReferences(quoted)
  }
}

function isHarmless(attributeName: string): boolean {
  return attributeName === 'xmlns' || ['xmlns:', 'xsi:', 'xml:'].some((prefix) => attributeName.startsWith(prefix))
}

function execAt(pattern: RegExp, xml: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(xml)
}
