import type { ListedMarker, ListedVersion, VersionPage } from '@varve/core'
import type { Dialect } from '../contract/dialect.ts'
import { formatIsoTime } from '../headers/iso-time.ts'
import { element, escapeXml, markup, optionalElement, xmlText } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'
import { keyListing, textParam } from './list-parameters.ts'
import { contentText, heldPage, ownerText, prefixElements, storageClassElement } from './listing-elements.ts'
import { longXmlAnswer } from '../contract/long-answer.ts'
import type { BucketOperation } from '../contract/operation.ts'

/** Versions and delete markers are in one sequence. Clients that want two lists separate them. */
export const listObjectVersions: BucketOperation = async (context) => {
  const { bucket, store, query, dialect } = context
  const { type: encodingType, encode, prefix, delimiter, limit, page: requested } = keyListing(context, 'max-keys')
  const keyMarker = textParam(query, 'key-marker') ?? ''
  const versionIdMarker = textParam(query, 'version-id-marker') ?? ''
  const markers = dialect.versionMarkers === 'at' ? 'inclusive' : 'exclusive'
  const page = await heldPage(context, () =>
    store.versions.listPage(bucket, { ...requested, keyMarker, versionIdMarker, markers }),
  )
  const next = nextMarkers(page, dialect)
  const head = [
    element('Name', context.requestedName ?? bucket),
    element('Prefix', encode(prefix)),
    element('KeyMarker', encode(keyMarker)),
    element('VersionIdMarker', versionIdMarker),
    optionalElement('NextKeyMarker', next && encode(next.key)),
    optionalElement('NextVersionIdMarker', next?.versionId),
    element('MaxKeys', limit),
    optionalElement('Delimiter', delimiter && encode(delimiter)),
    optionalElement('EncodingType', encodingType),
    element('IsTruncated', page.isTruncated),
  ]
  return longXmlAnswer(context, 'ListVersionsResult', versions(head, page.entries, encode))
}

function* versions(
  head: readonly Xml[],
  entries: VersionPage['entries'],
  encode: (text: string) => string,
): Generator<Xml> {
  yield* head
  for (const entry of entries) if (entry.kind !== 'prefix') yield versionElement(entry, encode)
  yield* prefixElements(entries, encode)
}

function nextMarkers({ next, last }: VersionPage, { versionMarkers }: Dialect): VersionPage['last'] {
  return versionMarkers === 'at' ? next : last
}

function versionElement(entry: ListedVersion | ListedMarker, encode: (text: string) => string): Xml {
  const place =
    `<Key>${escapeXml(encode(entry.key))}</Key><VersionId>${escapeXml(entry.versionId)}</VersionId>` +
    `<IsLatest>${entry.isLatest}</IsLatest><LastModified>${formatIsoTime(entry.lastModified)}</LastModified>`
  const owner = ownerText(entry.owner)
  if (entry.kind === 'marker') return markup(`<DeleteMarker>${place}${owner}</DeleteMarker>`)
  return markup(`<Version>${place}${contentText(entry)}${xmlText(storageClassElement(entry))}${owner}</Version>`)
}
