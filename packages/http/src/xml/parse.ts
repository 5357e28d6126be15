/**
 * A strict reader of the XML that S3's clients send: no DTD, hence no entities to expand and nothing to fetch. One pass,
 * linear in the bytes up to the first fault; limits are checked before anything is built, so hostile input is cheap.
 * Names become data in a string, never properties. Values are exact: nothing is trimmed or taken for a number.
 *
 * One fixed choice: comments are skipped, CDATA is text, processing instructions and DOCTYPE are refused.
 */

import { malformed } from './malformed.ts'
import { decodeReferences } from './references.ts'
import { afterDeclaration, readCloseTag, readOpenTag } from './tags.ts'

export interface XmlElement {
  /** Without its namespace prefix. */
  readonly name: string
  readonly children: readonly XmlElement[]
  /** All text directly inside, references decoded; pieces around comments and CDATA are joined. */
  readonly text: string
}

export interface XmlLimits {
  /** Elements inside one another, the root being 1. */
  readonly depthMax: number
  /** How many elements of each name, prefix aside, there can be at most. */
  readonly countMax: ReadonlyMap<string, number>
  /** How many elements beyond those together. */
  readonly othersMax: number
}

interface Building extends XmlElement {
  readonly tag: string
  readonly children: Building[]
  text: string
  rawText: number
}

interface Progress {
  readonly xml: string
  readonly limits: XmlLimits
  readonly open: Building[]
  readonly counts: Map<string, number>
  root: Building | undefined
  others: number
  skips: number
}

const whitespace = /^[ \t\n]*$/
/** In one element, as sent, indentation aside: room for a key of 1024 bytes, each spelled as the longest reference. */
const rawTextMax = 16 * 1024
/** Comments and CDATA sections together. */
const skipsMax = 10_000

/**
 * Returns the root element.
 * @throws MalformedXML
 */
export function parseXml(document: string, limits: XmlLimits): XmlElement {
  if (document.includes('\0')) throw malformed('a NUL character')
  const xml = document.includes('\r') ? document.replace(/\r\n?/g, '\n') : document
  const progress: Progress = { xml, limits, open: [], counts: new Map(), root: undefined, others: 0, skips: 0 }
  for (let at = afterDeclaration(xml); at < xml.length; ) {
    const markup = xml.indexOf('<', at)
    const end = markup === -1 ? xml.length : markup
    if (end > at) takeText(progress, at, end)
    at = markup === -1 ? end : takeMarkup(progress, markup)
  }
  if (progress.open.length > 0) throw malformed('an element is not closed')
  if (progress.root === undefined) throw malformed('there is no element')
  return progress.root
}

function takeText({ xml, open }: Progress, start: number, end: number): void {
  const parent = open.at(-1)
  const text = xml.slice(start, end)
  const isBlank = whitespace.test(text)
  if (parent === undefined) {
    if (!isBlank) throw malformed('text outside the root element')
    return
  }
  if (!isBlank) measure(parent, end - start)
  if (text.includes(']]>')) throw malformed('a CDATA end without its start')
  parent.text += decodeReferences(text)
}

/** Takes the markup at `at` and returns where it ends. */
function takeMarkup(progress: Progress, at: number): number {
  const next = progress.xml[at + 1]
  if (next === '/') return takeCloseTag(progress, at)
  if (next === '!') return takeCommentOrCdata(progress, at)
  return takeOpenTag(progress, at)
}

function takeCommentOrCdata(progress: Progress, at: number): number {
  const { xml, open } = progress
  progress.skips += 1
  if (progress.skips > skipsMax) throw malformed(`more than ${skipsMax} comments and CDATA sections`)
  if (xml.startsWith('<!--', at)) {
    const end = xml.indexOf('--', at + 4)
    if (end === -1 || xml[end + 2] !== '>') throw malformed('a comment does not end as it must')
    return end + 3
  }
  const parent = open.at(-1)
  if (parent === undefined || !xml.startsWith('<![CDATA[', at)) throw malformed('a document type or other declaration')
  const end = xml.indexOf(']]>', at + 9)
  if (end === -1) throw malformed('a CDATA section is not closed')
  measure(parent, end - at)
  parent.text += xml.slice(at + 9, end)
  return end + 3
}

function measure(parent: Building, length: number): void {
  parent.rawText += length
  if (parent.rawText > rawTextMax) throw malformed(`more than ${rawTextMax} characters of text in one element`)
}

function takeCloseTag({ xml, open }: Progress, at: number): number {
  const { tag, end } = readCloseTag(xml, at)
  if (tag !== open.pop()?.tag) throw malformed('a closing tag does not match')
  return end
}

function takeOpenTag(progress: Progress, at: number): number {
  const { xml, open, limits } = progress
  const { tag, end, isEmpty } = readOpenTag(xml, at)
  const element: Building = { tag, name: tag.slice(tag.indexOf(':') + 1), children: [], text: '', rawText: 0 }
  count(progress, element.name)
  if (open.length >= limits.depthMax) throw malformed(`more than ${limits.depthMax} levels of elements`)
  place(progress, element)
  if (!isEmpty) open.push(element)
  return end
}

/** So a flood of elements ends with the first that can have no place. */
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

function place(progress: Progress, element: Building): void {
  const parent = progress.open.at(-1)
  if (parent !== undefined) parent.children.push(element)
  else if (progress.root === undefined) progress.root = element
  else throw malformed('a second root element')
}
