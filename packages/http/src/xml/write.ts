/**
 * Writes all XML output. Text is escaped so that a strict parser reads back exactly what was written, with exceptions
 * that XML 1.0 does not allow to avoid. Control characters and U+FFFE, U+FFFF are written as references (`&#x1;`), as
 * S3 writes them, though strict parsers refuse those (clients can use `encoding-type=url`). Half a surrogate pair
 * becomes U+FFFD.
 */

/** Finished markup. Its own type prevents using text as markup, and escaping markup twice. */
export interface Xml {
  readonly [isXml]: true
}

declare const isXml: unique symbol

/** Text to escape, or finished elements. */
export type XmlContent = string | number | boolean | readonly Xml[]

export type XmlAttributes = Readonly<Record<string, string>>

/** The XML namespace of S3's answers. */
export const s3Namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'

/** The beginning of every XML answer. It is sent before the white space that keeps a slow answer alive. */
export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8"?>\n'

const escapes = new Map([
  [0x26, '&amp;'],
  [0x3c, '&lt;'],
  [0x3e, '&gt;'],
  [0x22, '&quot;'],
  [0x27, '&apos;'],
])

/** `<name attr="value">content</name>`. Names and attribute names come from the server and are not escaped. */
export function element(name: string, content: XmlContent = '', attributes?: XmlAttributes): Xml {
  return asXml(`<${name}${attributes === undefined ? '' : attributeText(attributes)}>${contentText(content)}</${name}>`)
}

/**
 * An element with a message in which quotation marks are not escaped, as S3 writes it. Some programs search for `["eq",
 * "$key", …]` in an answer without parsing it.
 */
export function messageElement(name: string, text: string): Xml {
  return asXml(`<${name}>${escapeXml(text).replaceAll('&quot;', '"').replaceAll('&apos;', "'")}</${name}>`)
}

/** The element, or nothing without a value. */
export function optionalElement(name: string, content: XmlContent | undefined): Xml {
  return content === undefined ? nothing : element(name, content)
}

const nothing = asXml('')

/** A whole document: the declaration, the root with its namespace (none for `''`), and its children. */
export function xmlDocument(rootName: string, namespace: string, children: XmlContent): string {
  return xmlDeclaration + xmlRoot(rootName, namespace, children)
}

/** `xmlDocument` without the declaration, for use when the declaration was already sent. */
export function xmlRoot(rootName: string, namespace: string, children: XmlContent): string {
  return xmlText(element(rootName, children, namespace === '' ? undefined : { xmlns: namespace }))
}

/** Markup that the caller wrote as text: a tag of an element that is written piece by piece, or one of many entries. */
export const markup = (tag: string): Xml => asXml(tag)

/** The first and the last tag of a document that is written piece by piece. */
export function rootTags(rootName: string, namespace: string): { readonly opening: string; readonly closing: string } {
  const attributes = namespace === '' ? '' : attributeText({ xmlns: namespace })
  return { opening: `<${rootName}${attributes}>`, closing: `</${rootName}>` }
}

/** Finished markup as a string, for an answer that is written piece by piece. */
export function xmlText(xml: Xml): string {
  return xml as unknown as string
}

/** Escapes text for use between tags and in quoted attributes. Listings spend much of their time here. */
export function escapeXml(text: string): string {
  let markup = ''
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isPlain(code)) continue
    if (isHigh(code) && isLow(text.charCodeAt(at + 1))) {
      at++
      continue
    }
    markup += text.slice(from, at) + escapeOf(code)
    from = at + 1
  }
  return from === 0 ? text : markup + text.slice(from)
}

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff

/** Characters below 0x40 that need no escape. Digits are among them, and keys, dates and ETags contain many digits. */
const plainBelow = Uint8Array.from({ length: 0x40 }, (_, code) => (code < 0x20 || escapes.has(code) ? 0 : 1))

function isPlain(code: number): boolean {
  if (code < plainBelow.length) return plainBelow[code] === 1
  return code < 0xd800 || (code > 0xdfff && code < 0xfffe)
}

function escapeOf(code: number): string {
  const known = escapes.get(code)
  if (known !== undefined) return known
  if (isHigh(code) || isLow(code)) return '\ufffd'
  const isSpace = code === 0x09 || code === 0x0a || code === 0x0d
  return isSpace ? `&#${code};` : `&#x${code.toString(16).toUpperCase()};`
}

function asXml(markup: string): Xml {
  return markup as unknown as Xml
}

function contentText(content: XmlContent): string {
  if (typeof content === 'string') return escapeXml(content)
  if (typeof content === 'number' || typeof content === 'boolean') return String(content)
  let markup = ''
  for (const child of content) markup += xmlText(child)
  return markup
}

function attributeText(attributes: XmlAttributes): string {
  let markup = ''
  for (const [name, value] of Object.entries(attributes)) markup += ` ${name}="${escapeXml(value)}"`
  return markup
}
