/** XML elements that several answers use. */

import { shareOf } from '../addresses/share-of.ts'
import type { Actor, CommonPrefix, ListedObject } from '@varve/core'
import { formatIsoTime } from '../headers/iso-time.ts'
import { element, escapeXml, markup, xmlText } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'
import type { KeyEncoding } from './list-parameters.ts'
import { turn } from '../turns/turn.ts'
import type { ServiceContext } from '../contract/operation.ts'

const standard = element('StorageClass', 'STANDARD')

/** The storage class of a version. Without a name it is the standard class. */
export const storageClassElement = ({ storageClass }: { readonly storageClass?: string }): Xml =>
  storageClass === undefined ? standard : element('StorageClass', storageClass)

/** The memory of one entry of a page, without its name. */
const entryBytes = 500

/**
 * Reads a page when it is this client's turn, and reserves memory for it until the answer has ended. @throws S3Error
 * `SlowDown`
 */
export async function heldPage<P extends { readonly entries: readonly object[] }>(
  { budget, client }: Pick<ServiceContext, 'budget' | 'client'>,
  read: () => Promise<P>,
): Promise<P> {
  if (turn.isOver) await turn.next(shareOf(client.address))
  const page = await budget.page(read)
  let bytes = 0
  for (const entry of page.entries) bytes += entryBytes + 2 * nameOf(entry as Named).length
  turn.spend(page.entries.length * stepsOfEntry)
  if (bytes > 0) budget.holdAnswer(bytes)
  return page
}

/** The steps of reading a row and making its entry. */
const stepsOfEntry = 500

interface Named {
  readonly key?: string
  readonly prefix?: string
  readonly name?: string
}

const nameOf = ({ key, prefix, name }: Named): string => key ?? prefix ?? name ?? ''

export function personElement(name: 'Owner' | 'Initiator', { id, name: displayName }: Actor): Xml {
  return element(name, [element('ID', id), element('DisplayName', displayName)])
}

/** The end of an entry by its owner, `undefined` if it shows none, and its storage class. */
type EntryEnd = (owner: Actor | undefined, entry?: { readonly storageClass?: string }) => string

const noClass = {}

/** `pieces`: the texts of the end, in order. Neighbours usually share them, so the last end is kept. */
export function entryEnd(pieces: (owner: string, storageClass: string) => readonly string[]): EntryEnd {
  let last: { readonly owner: Actor | undefined; readonly storageClass: string | undefined } | undefined
  let text = ''
  return (owner, entry = noClass) => {
    const { storageClass } = entry
    if (last === undefined || owner !== last.owner || storageClass !== last.storageClass) {
      const ownerText = owner === undefined ? '' : xmlText(personElement('Owner', owner))
      text = pieces(ownerText, xmlText(storageClassElement(entry))).join('')
      last = { owner, storageClass }
    }
    return text
  }
}

/** So much text of entries becomes one `Xml`: to go on in a generator takes long. */
export const textMin = 4096

/** ISO 8601, UTC, with milliseconds. */
export function timeElement(name: string, time: Date): Xml {
  return element(name, formatIsoTime(time))
}

/**
 * The ETag, checksum kind and size of an entry, without the closing tag of the size. Entries are written as text, because
 * elements would take three times as long, and of few pieces, because each costs time again when the text becomes bytes.
 */
export const contentText = ({ etag, checksum, size }: ListedContent): string =>
  `<ETag>&quot;${escapeXml(etag)}${textBeforeSize(checksum)}${size}`

type ListedContent = Pick<ListedObject, 'etag' | 'checksum' | 'size'>

let lastChecksum: ListedObject['checksum']
let lastBeforeSize = '&quot;</ETag><Size>'

function textBeforeSize(checksum: ListedObject['checksum']): string {
  if (checksum !== lastChecksum) {
    lastBeforeSize = [
      '&quot;</ETag>',
      checksum && `<ChecksumAlgorithm>${escapeXml(checksum.algorithm)}</ChecksumAlgorithm>`,
      checksum && `<ChecksumType>${escapeXml(checksum.type)}</ChecksumType>`,
      '<Size>',
    ].join('')
    lastChecksum = checksum
  }
  return lastBeforeSize
}

const objectEnd = entryEnd((owner, storageClass) => ['</Size>', owner, storageClass, '</Contents>'])

function objectText(object: ListedObject, encode: KeyEncoding['encode'], withOwner: boolean): string {
  const { key, lastModified, owner } = object
  const place = `<Contents><Key>${escapeXml(encode(key))}</Key><LastModified>${formatIsoTime(lastModified)}`
  return `${place}</LastModified>${contentText(object)}${objectEnd(withOwner ? owner : undefined, object)}`
}

/** A listing of objects: its own elements, then the objects, then the common prefixes. */
export function* listed(
  head: readonly Xml[],
  entries: readonly (ListedObject | CommonPrefix)[],
  { encode, withOwner }: { readonly encode: KeyEncoding['encode']; readonly withOwner: boolean },
): Generator<Xml> {
  yield* head
  let text = ''
  for (const entry of entries) {
    if ('key' in entry) text += objectText(entry, encode, withOwner)
    if (text.length < textMin) continue
    yield markup(text)
    text = ''
  }
  yield markup(text)
  yield* prefixElements(entries, encode)
}

/** One `CommonPrefixes` element each. S3 puts them after all other elements. */
export function* prefixElements(
  entries: readonly (CommonPrefix | { readonly kind: string })[],
  encode: KeyEncoding['encode'],
): Generator<Xml> {
  for (const entry of entries) {
    if ('prefix' in entry) yield element('CommonPrefixes', [element('Prefix', encode(entry.prefix))])
  }
}
