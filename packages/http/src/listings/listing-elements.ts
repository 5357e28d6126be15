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

let lastOwner: Actor | undefined
let lastOwnerText = ''

/** The `Owner` of an entry. Neighbours usually share one actor, so the last text is kept. */
export function ownerText(owner: Actor): string {
  if (owner !== lastOwner) {
    lastOwnerText = xmlText(personElement('Owner', owner))
    lastOwner = owner
  }
  return lastOwnerText
}

/** ISO 8601, UTC, with milliseconds. */
export function timeElement(name: string, time: Date): Xml {
  return element(name, formatIsoTime(time))
}

/** The ETag, checksum kind and size in listings. Entries are written as text: elements would take three times as long. */
export function contentText({ etag, checksum, size }: Pick<ListedObject, 'etag' | 'checksum' | 'size'>): string {
  const tag = `<ETag>&quot;${escapeXml(etag)}&quot;</ETag>`
  return checksum === undefined
    ? `${tag}<Size>${size}</Size>`
    : `${tag}<ChecksumAlgorithm>${escapeXml(checksum.algorithm)}</ChecksumAlgorithm>` +
        `<ChecksumType>${escapeXml(checksum.type)}</ChecksumType><Size>${size}</Size>`
}

function objectElement(object: ListedObject, encode: KeyEncoding['encode'], withOwner: boolean): Xml {
  return markup(
    `<Contents><Key>${escapeXml(encode(object.key))}</Key>` +
      `<LastModified>${formatIsoTime(object.lastModified)}</LastModified>${contentText(object)}` +
      `${withOwner ? ownerText(object.owner) : ''}${xmlText(storageClassElement(object))}</Contents>`,
  )
}

/** A listing of objects: its own elements, then the objects, then the common prefixes. */
export function* listed(
  head: readonly Xml[],
  entries: readonly (ListedObject | CommonPrefix)[],
  { encode, withOwner }: { readonly encode: KeyEncoding['encode']; readonly withOwner: boolean },
): Generator<Xml> {
  yield* head
  for (const entry of entries) if ('key' in entry) yield objectElement(entry, encode, withOwner)
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
