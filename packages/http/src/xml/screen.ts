/**
 * Checks XML before the parser reads it, and refuses documents that the parser would accept wrongly or parse slowly. It
 * is one pass over the markup, in linear time up to the first error. It checks which markup may occur where and how
 * often; the parser checks names, attributes and values.
 *
 * One fixed choice: comments are skipped, CDATA is text, processing instructions and DOCTYPE are refused.
 */

import type { Pieces } from '../turns/in-turns.ts'
import { malformed } from './malformed.ts'
import { walkMarkup } from './walk-markup.ts'

export interface XmlLimits {
  /** The greatest depth of nested elements; the root has depth 1. */
  readonly depthMax: number
  /** The most elements of each name, without its prefix. */
  readonly countMax: ReadonlyMap<string, number>
  /** The most elements of all other names together. */
  readonly othersMax: number
}

interface Progress {
  readonly xml: string
  readonly limits: XmlLimits
  readonly counts: Map<string, number>
  /** Open tags, as written. */
  readonly open: string[]
  others: number
  /** Characters since the last tag: text, CDATA and comments, but not the white space around the root. */
  run: number
}

const space = '[ \\t\\r\\n]'
const name = '(?:[A-Za-z_][\\w.-]*:)?[A-Za-z_][\\w.-]*'
const attribute = `${space}+${name}${space}*=${space}*(?:"[^"<]*"|'[^'<]*')`
const tag = new RegExp(`^<(?:/(${name})${space}*|(${name})(?:${attribute})*${space}*(/?))>`)
const declaration =
  /^<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"1\.0"|'1\.0')(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"utf-8"|'utf-8'))?(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:"yes"|"no"|'yes'|'no'))?[ \t\r\n]*\?>/i
/** An ampersand that may not begin a reference to a common character. */
const remarkable = /&(?!(?:lt|gt|amp|quot|apos|#[1-9]\d{0,3}|#x[1-9A-Fa-f][\dA-Fa-f]{0,2});)/g
const numeric = /&#(?:x([\dA-Fa-f]{1,8})|(\d{1,8}));/y
const solid = /[^ \t\r\n]/
const declarationMax = 256
const tagMax = 4096
/** The most characters between two tags: a key of 1024 bytes, each written as the longest reference. */
const runMax = 16 * 1024

/**
 * Returns the document without its declaration and the white space around it.
 * @throws MalformedXML
 */
export function* screenXml(document: string, limits: XmlLimits): Pieces<string> {
  if (document.includes('\0')) throw malformed('a NUL character')
  const xml = document.slice(declarationLength(document))
  const progress: Progress = { xml, limits, counts: new Map(), open: [], others: 0, run: 0 }
  yield* walkMarkup(xml, {
    text: (text) => passText(progress, text),
    markup: (at) => passMarkup(progress, at),
  })
  if (progress.open.length > 0) throw malformed('an element is not closed')
  return xml.trim()
}

function declarationLength(document: string): number {
  if (!document.startsWith('<?xml')) return 0
  const found = declaration.exec(document.slice(0, declarationMax))
  if (found === null) throw malformed('the XML declaration must say version 1.0 and, if anything, encoding UTF-8')
  return found[0].length
}

function passText(progress: Progress, text: string): void {
  if (progress.open.length === 0) {
    if (solid.test(text)) throw malformed('text outside the root element')
    return
  }
  measure(progress, text.length)
  if (text.includes(']]>')) throw malformed('a CDATA end without its start')
  checkReferences(text)
}

function measure(progress: Progress, length: number): void {
  progress.run += length
  if (progress.run > runMax) throw malformed(`more than ${runMax} characters between two tags`)
}

/**
 * Accepts the number of every Unicode scalar value except NUL. Numbers that XML 1.0 forbids are accepted on purpose:
 * keys may contain control characters and U+FFFE, and clients send back the keys of a listing.
 */
function checkReferences(text: string): void {
  if (!text.includes('&')) return
  for (remarkable.lastIndex = 0; remarkable.test(text); ) checkReference(text, remarkable.lastIndex - 1)
}

function checkReference(text: string, at: number): void {
  numeric.lastIndex = at
  const [, hex, decimal] = numeric.exec(text) ?? []
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  const isScalar = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  if (!isScalar) throw malformed('a reference is not one we know')
}

/** Checks the markup at `at` and returns the position after it. */
function passMarkup(progress: Progress, at: number): number {
  const { xml, open: unclosed } = progress
  if (xml[at + 1] === '!') return passCommentOrCdata(progress, at)
  const closing = `</${unclosed.at(-1)}>`
  if (xml.startsWith(closing, at)) {
    unclosed.pop()
    progress.run = 0
    return at + closing.length
  }
  const found = tag.exec(xml.slice(at, at + tagMax))
  if (found === null) throw malformed('a tag is not closed, or holds something odd')
  const [whole, closed, opened = '', slash] = found
  if (closed === undefined) open(progress, opened, slash !== '')
  else if (unclosed.pop() !== closed) throw malformed('a closing tag does not match')
  checkReferences(whole)
  progress.run = 0
  return at + whole.length
}

function passCommentOrCdata(progress: Progress, at: number): number {
  const { xml } = progress
  const end = xml.startsWith('<!--', at) ? commentEnd(xml, at) : cdataEnd(progress, at)
  measure(progress, end - at)
  return end
}

function commentEnd(xml: string, at: number): number {
  const end = xml.indexOf('--', at + 4)
  if (end === -1 || xml[end + 2] !== '>') throw malformed('a comment does not end as it must')
  return end + 3
}

function cdataEnd({ xml, open }: Progress, at: number): number {
  const isCdata = xml.startsWith('<![CDATA[', at) && open.length > 0
  if (!isCdata) throw malformed('a document type or other declaration')
  const end = xml.indexOf(']]>', at + 9)
  if (end === -1) throw malformed('a CDATA section is not closed')
  return end + 3
}

function open(progress: Progress, opened: string, isEmpty: boolean): void {
  const isSecondRoot = progress.open.length === 0 && progress.counts.size + progress.others > 0
  if (isSecondRoot) throw malformed('a second root element')
  count(progress, opened.slice(opened.indexOf(':') + 1))
  if (progress.open.length >= progress.limits.depthMax) {
    throw malformed(`more than ${progress.limits.depthMax} levels of elements`)
  }
  if (!isEmpty) progress.open.push(opened)
}

/** Counts the element, so that a flood of elements is refused at the first one beyond the limit. */
function count(progress: Progress, element: string): void {
  const { counts, limits } = progress
  const seen = (counts.get(element) ?? 0) + 1
  if (seen <= (limits.countMax.get(element) ?? 0)) {
    counts.set(element, seen)
    return
  }
  progress.others += 1
  if (progress.others > limits.othersMax) throw malformed('an element that cannot be there, or one too many')
}
