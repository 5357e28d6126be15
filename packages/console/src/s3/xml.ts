/**
 * XML as S3 uses it: elements and text. The parser of the browser refuses references to control characters (`&#x1;`),
 * which S3 writes into keys, so this one reads them.
 */

export interface XmlElement {
  readonly name: string
  readonly text: string
  readonly children: readonly XmlElement[]
}

/** A document that is not what S3 writes. */
export class InvalidXml extends Error {}

interface OpenElement {
  readonly name: string
  text: string
  readonly children: XmlElement[]
}

const token = /<(?:\?[^>]*\?|!--[\s\S]*?--|(\/)?([^\s/<>!?]+)(?:\s[^<>]*?)?(\/)?)>|([^<]+)/y

/** @throws InvalidXml */
export function readXml(document: string): XmlElement {
  const open: OpenElement[] = [{ name: '', text: '', children: [] }]
  const pattern = new RegExp(token)
  const text = document.replace(/^\ufeff/, '')
  while (pattern.lastIndex < text.length) {
    const found = pattern.exec(text)
    if (found === null) throw new InvalidXml('The answer of the server is not XML.')
    const [, closing, name, empty, content] = found
    if (content !== undefined) last(open).text += unescapeXml(content)
    else if (name !== undefined) step(open, { name: name.replace(/^.*:/, ''), closing, empty })
  }
  const [root, ...more] = last(open).children
  if (open.length !== 1 || root === undefined || more.length > 0) {
    throw new InvalidXml('The answer of the server is not a whole XML document.')
  }
  return root
}

function step(
  open: OpenElement[],
  { name, closing, empty }: { name: string; closing: string | undefined; empty: string | undefined },
): void {
  if (closing === undefined) {
    open.push({ name, text: '', children: [] })
    if (empty === undefined) return
  }
  const done = open.pop()
  const parent = open.at(-1)
  if (done === undefined || parent === undefined || done.name !== name) {
    throw new InvalidXml(`The answer of the server closes an element ${name} that is not open.`)
  }
  parent.children.push(done.children.length > 0 ? { ...done, text: '' } : done)
}

function last(open: readonly OpenElement[]): OpenElement {
  const element = open.at(-1)
  if (element === undefined) throw new InvalidXml('The answer of the server is not XML.')
  return element
}

const named: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

function unescapeXml(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(#x[0-9a-fA-F]+|#\d+|\w+);/g, (whole, reference: string) => {
    if (!reference.startsWith('#')) return named.get(reference) ?? whole
    const code = reference.startsWith('#x') ? Number.parseInt(reference.slice(2), 16) : Number(reference.slice(1))
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

export const childrenOf = (element: XmlElement | undefined, name: string): readonly XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? []

export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((child) => child.name === name)

/** The text of a child, if there is one. */
export const textIn = (element: XmlElement | undefined, name: string): string | undefined =>
  childOf(element, name)?.text

/** @throws InvalidXml if there is no such child */
export function requiredText(element: XmlElement, name: string): string {
  const text = textIn(element, name)
  if (text === undefined) throw new InvalidXml(`The answer of the server has no ${name} in ${element.name}.`)
  return text
}

/** What `xmlOf` writes: text, or elements by name; an array repeats the element. */
export type XmlContent =
  | string
  | number
  | boolean
  | { readonly [name: string]: XmlContent | readonly XmlContent[] | undefined }

/** `<name>content</name>`; fields that are undefined are left out. */
export function xmlOf(name: string, content: XmlContent): string {
  if (typeof content !== 'object') return `<${name}>${escapeXml(String(content))}</${name}>`
  const inner = Object.entries(content).map(([child, value]) => {
    if (value === undefined) return ''
    return Array.isArray(value)
      ? (value as readonly XmlContent[]).map((one) => xmlOf(child, one)).join('')
      : xmlOf(child, value as XmlContent)
  })
  return `<${name}>${inner.join('')}</${name}>`
}

function escapeXml(text: string): string {
  // oxlint ranges: everything that XML cannot hold as it is.
  return text
    .toWellFormed()
    .replace(
      /[\0-\x1f&<>"'\x7f\ufffe\uffff]/g,
      (character) => `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`,
    )
}
