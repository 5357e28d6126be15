/** Elements that answers share. */

import type { Actor, CommonPrefix, ListedObject } from '@varve/core'
import { quoteEtag } from '../objects/etags.ts'
import { element, joined, optionalElement } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'
import type { KeyEncoding } from './list-parameters.ts'

const standard = element('StorageClass', 'STANDARD')

/** Of the class that nothing else is said of. */
export const storageClassElement = ({ storageClass }: { readonly storageClass?: string }): Xml =>
  storageClass === undefined ? standard : element('StorageClass', storageClass)

export function personElement(name: 'Owner' | 'Initiator', { id, name: displayName }: Actor): Xml {
  return element(name, [element('ID', id), element('DisplayName', displayName)])
}

/** ISO 8601, UTC, with milliseconds. */
export function timeElement(name: string, time: Date): Xml {
  return element(name, time.toISOString())
}

/** ETag, checksum kind and size, as every listing shows them. */
export function contentElements({ etag, checksum, size }: Pick<ListedObject, 'etag' | 'checksum' | 'size'>): Xml {
  return joined(
    element('ETag', quoteEtag(etag)),
    optionalElement('ChecksumAlgorithm', checksum?.algorithm),
    optionalElement('ChecksumType', checksum?.type),
    element('Size', size),
  )
}

export function objectElement(object: ListedObject, encode: KeyEncoding['encode'], withOwner: boolean): Xml {
  const content = joined(
    element('Key', encode(object.key)),
    timeElement('LastModified', object.lastModified),
    contentElements(object),
  )
  return element(
    'Contents',
    withOwner
      ? [content, personElement('Owner', object.owner), storageClassElement(object)]
      : [content, storageClassElement(object)],
  )
}

/** One `CommonPrefixes` each. S3 has them behind everything else. */
export function prefixElements(
  entries: readonly (CommonPrefix | { readonly kind: string })[],
  encode: KeyEncoding['encode'],
): readonly Xml[] {
  return entries.flatMap((entry) =>
    'prefix' in entry ? [element('CommonPrefixes', [element('Prefix', encode(entry.prefix))])] : [],
  )
}
