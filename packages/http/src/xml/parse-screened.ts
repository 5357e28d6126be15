/**
 * A parser for all screened XML, which can be paused: tags with attributes and prefixes, text with references, CDATA
 * and comments. The screen has checked that tags match and that every reference names a known entity or a valid number.
 */
import type { Pieces } from '../turns/in-turns.ts'
import { malformed } from './malformed.ts'
import { walkMarkup } from './walk-markup.ts'
import type { XmlElement } from './xml-element.ts'

interface OpenElement {
  readonly name: string
  readonly type?: string
  readonly children: XmlElement[]
  text: string
}

const tag = /<(\/?)([^\s/>]+)([^>"']*(?:(?:"[^"]*"|'[^']*')[^>"']*)*)>/y
const attribute = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g
const reference = /&(?:#x([\dA-Fa-f]+)|#(\d+)|(\w+));/g
const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Returns the root element. @throws MalformedXML for attributes other than namespaces, `xsi:` and `xml:` */
export function* parseScreened(xml: string): Pieces<XmlElement> {
  const document: OpenElement = { name: '', children: [], text: '' }
  const open = [document]
  yield* walkMarkup(xml, {
    text: (text) => void (innermost(open).text += decoded(text)),
    markup: (at) => passMarkup(xml, at, open),
  })
  const [root] = document.children
  if (root === undefined) throw malformed('there is no element')
  return root
}

const innermost = (open: readonly OpenElement[]): OpenElement => open.at(-1) as OpenElement

/** Reads the markup at `at` and returns the position after it. */
function passMarkup(xml: string, at: number, open: OpenElement[]): number {
  if (xml[at + 1] === '!') return passOver(xml, at, innermost(open))
  tag.lastIndex = at
  const [whole, slash, name = '', rest = ''] = tag.exec(xml) ?? []
  if (whole === undefined) throw malformed('it is not well formed')
  if (slash === '/') open.pop()
  else {
    const element = opened(name, rest)
    innermost(open).children.push(element)
    if (!whole.endsWith('/>')) open.push(element)
  }
  return at + whole.length
}

/** Skips a comment, or reads CDATA as text. Returns the position after it. */
function passOver(xml: string, at: number, current: OpenElement): number {
  if (xml.startsWith('<!--', at)) return xml.indexOf('-->', at + 4) + 3
  const end = xml.indexOf(']]>', at)
  current.text += oneLineEnd(xml.slice(at + '<![CDATA['.length, end))
  return end + 3
}

function opened(name: string, rest: string): OpenElement {
  let type: string | undefined
  const seen = new Set<string>()
  for (const [, key = '', double, single] of rest.matchAll(attribute)) {
    if (!isHarmless(key)) throw malformed('an attribute that is not a namespace')
    if (seen.has(key)) throw malformed('it is not well formed')
    seen.add(key)
    if (key === 'xsi:type') type = decoded(double ?? single ?? '')
  }
  const local = name.slice(name.indexOf(':') + 1)
  return { name: local, ...(type !== undefined && { type }), children: [], text: '' }
}

/** Accepts namespaces, schema hints and `xml:` attributes, and no other attribute. */
export function isHarmless(name: string): boolean {
  return name === 'xmlns' || ['xmlns:', 'xsi:', 'xml:'].some((prefix) => name.startsWith(prefix))
}

function decoded(text: string): string {
  const lines = oneLineEnd(text)
  if (!lines.includes('&')) return lines
  return lines.replace(reference, (_, hex?: string, decimal?: string, name = '') => {
    const code = hex === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(hex, 16)
    return Number.isNaN(code) ? (named[name] ?? '') : String.fromCodePoint(code)
  })
}

const oneLineEnd = (text: string): string => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)
