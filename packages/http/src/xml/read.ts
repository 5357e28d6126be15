/**
 * Reads all XML input: takes bytes, the root's name and a schema, and returns a typed value or throws `MalformedXML`.
 * The schema limits how many elements there can be. Namespaces and prefixes are accepted and ignored.
 */

import { Gate } from '@varve/core'
import { shareOf } from '../addresses/share-of.ts'
import { inTurns } from '../turns/in-turns.ts'
import { turn } from '../turns/turn.ts'
import { malformed } from './malformed.ts'
import type { Infer, One } from './schema.ts'
import { parseLongXml, parseXml } from './parse.ts'
import type { XmlLimits } from './screen.ts'
import type { XmlElement } from './xml-element.ts'

export interface ReadXmlOptions {
  /** @default 64 KiB */
  readonly bytesMax?: number
  /** The greatest depth of nested elements; the root has depth 1. @default 8 */
  readonly depthMax?: number
  /** The most elements that the schema does not name, where it ignores some. @default 1000 */
  readonly unknownMax?: number
  /** The address of the client, for documents that take several turns. */
  readonly holder?: string | undefined
}

const defaults = { bytesMax: 64 * 1024, depthMax: 8, unknownMax: 1000 } as const
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads one document of UTF-8, with or without its byte order mark.
 * @throws MalformedXML
 */
export function readXml<S extends One<unknown>>(
  bytes: Uint8Array,
  root: string,
  schema: S,
  options: ReadXmlOptions = {},
): Infer<S> {
  const element = parseXml(decode(bytes, options), limitsOf(root, schema, options))
  return typed(element, root, schema)
}

/**
 * `readXml` for documents that may be long: other requests get turns in between.
 * @throws MalformedXML, by rejecting
 */
export async function readLongXml<S extends One<unknown>>(
  bytes: Uint8Array,
  root: string,
  schema: S,
  options: ReadXmlOptions = {},
): Promise<Infer<S>> {
  if (bytes.byteLength <= defaults.bytesMax) return readXml(bytes, root, schema, options)
  const { holder } = options
  return parsing.pass(shareOf(holder), async () => {
    turn.spend(bytes.byteLength)
    const element = await inTurns(parseLongXml(decode(bytes, options), limitsOf(root, schema, options)), inParsing)
    return typed(element, root, schema)
  })
}

/** Limits how many long documents are parsed at once: their elements take many times as much memory as their text. */
const parsing = new Gate(2)
/** Turns inside the gate have their own key, so no place in it is held while other work of the address takes turns. */
const inParsing = 'long documents'

function limitsOf(root: string, schema: One<unknown>, options: ReadXmlOptions): XmlLimits {
  const { depthMax, unknownMax } = { ...defaults, ...options }
  const countMax = new Map(schema.countMax).set(root, (schema.countMax.get(root) ?? 0) + 1)
  return { depthMax, countMax, othersMax: schema.open ? unknownMax : 0 }
}

function typed<S extends One<unknown>>(element: XmlElement, root: string, schema: S): Infer<S> {
  if (element.name !== root) throw malformed(`the root element must be ${root}`)
  return schema.read(element) as Infer<S>
}

function decode(bytes: Uint8Array, { bytesMax = defaults.bytesMax }: ReadXmlOptions): string {
  if (bytes.byteLength > bytesMax) throw malformed(`more than ${bytesMax} bytes`)
  try {
    return utf8.decode(bytes)
  } catch {
    throw malformed('it is not UTF-8')
  }
}
