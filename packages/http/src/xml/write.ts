/**
 * The one way XML goes out. Text is escaped so that a strict parser reads back exactly what was written, with three
 * exceptions XML 1.0 has no way around: control characters and U+FFFE, U+FFFF go out as references (`&#x1;`), as S3 sends
 * them, though strict parsers refuse those (`encoding-type=url` is the remedy); half a surrogate pair becomes U+FFFD.
 */

/** Finished markup. A type of its own, so that text cannot be taken for markup, nor markup be escaped twice. */
export interface Xml {
  readonly [isXml]: true
}

declare const isXml: unique symbol

/** Text to escape, or finished elements. */
export type XmlContent = string | number | boolean | readonly Xml[]

export type XmlAttributes = Readonly<Record<string, string>>

/** The namespace of S3's own answers. */
export const s3Namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'

/** What an answer must begin with: to be sent ahead of the white space that keeps a slow answer alive. */
export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8"?>\n'

const unsafe = /[&<>"'\u0000-\u001f\ud800-\udfff\ufffe\uffff]/gu
const escapes = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&apos;'],
  ['\t', '&#9;'],
  ['\n', '&#10;'],
  ['\r', '&#13;'],
])

/** `<name attr="value">content</name>`. Names and attribute names are ours and not escaped. */
export function element(name: string, content: XmlContent = '', attributes?: XmlAttributes): Xml {
  return asXml(`<${name}${attributes === undefined ? '' : attributeText(attributes)}>${contentText(content)}</${name}>`)
}

/** The element, or nothing when there is nothing to say: for elements that are present only sometimes. */
export function optionalElement(name: string, content: XmlContent | undefined): readonly Xml[] {
  return content === undefined ? [] : [element(name, content)]
}

/** A whole answer: declaration, root with its namespace (none when `''`), children. */
export function xmlDocument(rootName: string, namespace: string, children: XmlContent): string {
  return xmlDeclaration + xmlRoot(rootName, namespace, children)
}

/** `xmlDocument` without the declaration, for when that has gone out already. */
export function xmlRoot(rootName: string, namespace: string, children: XmlContent): string {
  return xmlText(element(rootName, children, namespace === '' ? undefined : { xmlns: namespace }))
}

/** Finished markup as a string, for whoever writes an answer piece by piece. */
export function xmlText(xml: Xml): string {
  return xml as unknown as string
}

/** Text as it may stand between tags and inside a quoted attribute. */
export function escapeXml(text: string): string {
  return text.replace(unsafe, (char) => {
    const known = escapes.get(char)
    if (known !== undefined) return known
    const code = char.charCodeAt(0)
    return code >= 0xd800 && code <= 0xdfff ? '\ufffd' : `&#x${code.toString(16).toUpperCase()};`
  })
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
