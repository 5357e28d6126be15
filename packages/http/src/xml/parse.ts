/**
 * Parses XML to plain elements. fast-xml-parser is configured to leave every value as it is: it trims nothing and
 * converts nothing to a number. `screen.ts` runs first and refuses what that parser accepts wrongly or parses slowly.
 * Names from the document are kept in strings, never used as keys of objects.
 */

import { XMLParser } from 'fast-xml-parser'
import { atOnce, type Pieces } from '../turns/in-turns.ts'
import { malformed } from './malformed.ts'
import { parsePlain } from './parse-plain.ts'
import { isHarmless, parseScreened } from './parse-screened.ts'
import { screenXml, type XmlLimits } from './screen.ts'
import type { XmlElement } from './xml-element.ts'

/** A node as the parser returns it: `{ [tag]: nodes inside, ':@'?: attributes }`, or `{ '#text': text }`. */
type ParsedNode = Readonly<Record<string, unknown>>

const textName = '#text'
const attributesName = ':@'
const parser = new XMLParser({
  preserveOrder: true,
  textNodeName: textName,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  ignoreDeclaration: true,
  jPath: false,
  // The type says boolean, but an object turns on numeric references without the entity names of HTML.
  htmlEntities: { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" } as unknown as boolean,
})

/** Under XML 1.0 the parser silently drops references to control characters, and `a&#1;` would name the key `a`. */
const declaration = '<?xml version="1.1"?>'

/**
 * Returns the root element.
 * @throws MalformedXML
 */
export function parseXml(document: string, limits: XmlLimits): XmlElement {
  const screened = atOnce(screenXml(document, limits))
  const plain = parsePlain(screened)
  if (plain !== undefined) return plain
  const [root] = parse(declaration + screened)
  if (root === undefined) throw malformed('there is no element')
  return toElement(root)
}

/**
 * `parseXml` for documents that may be long: it returns the same, and can be paused. A document that is not plain is
 * read by our own parser, since fast-xml-parser cannot be paused.
 */
export function* parseLongXml(document: string, limits: XmlLimits): Pieces<XmlElement> {
  return yield* parseScreened(yield* screenXml(document, limits))
}

function parse(xml: string): readonly ParsedNode[] {
  try {
    return parser.parse(xml, true)
  } catch (cause) {
    throw malformed('it is not well formed', cause)
  }
}

function toElement(node: ParsedNode): XmlElement {
  const tag = Object.keys(node).find((key) => key !== attributesName) ?? ''
  const attributes = (node[attributesName] ?? {}) as Readonly<Record<string, unknown>>
  if (!Object.keys(attributes).every(isHarmless)) throw malformed('an attribute that is not a namespace')
  const type = attributes['xsi:type']
  const children: XmlElement[] = []
  let text = ''
  for (const inside of node[tag] as readonly ParsedNode[]) {
    if (textName in inside) text += String(inside[textName])
    else children.push(toElement(inside))
  }
  const name = tag.slice(tag.indexOf(':') + 1)
  return typeof type === 'string' ? { name, type, children, text } : { name, children, text }
}
