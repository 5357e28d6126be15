import type { ListedMarker, ListedVersion, VersionPage } from '@varve/core'
import type { Dialect } from '../contract/dialect.ts'
import { formatIsoTime } from '../headers/iso-time.ts'
import { element, escapeXml, markup, optionalElement } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'
import { keyListing, textParam } from './list-parameters.ts'
import { contentText, entryEnd, heldPage, prefixElements, textMin } from './listing-elements.ts'
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
  let text = ''
  for (const entry of entries) {
    if (entry.kind !== 'prefix') text += versionText(entry, encode)
    if (text.length < textMin) continue
    yield markup(text)
    text = ''
  }
  yield markup(text)
  yield* prefixElements(entries, encode)
}

function nextMarkers({ next, last }: VersionPage, { versionMarkers }: Dialect): VersionPage['last'] {
  return versionMarkers === 'at' ? next : last
}

const versionEnd = entryEnd((owner, storageClass) => ['</Size>', storageClass, owner, '</Version>'])
const markerEnd = entryEnd((owner) => [owner, '</DeleteMarker>'])
/** From the version id to the time, for the latest version and for others. */
const [beforeLatestTime, beforeTime] = [true, false].map(
  (isLatest) => `</VersionId><IsLatest>${isLatest}</IsLatest><LastModified>`,
) as [string, string]

function versionText(entry: ListedVersion | ListedMarker, encode: (text: string) => string): string {
  const { key, versionId, isLatest, lastModified, owner } = entry
  const place =
    `<Key>${escapeXml(encode(key))}</Key><VersionId>${escapeXml(versionId)}` +
    `${isLatest ? beforeLatestTime : beforeTime}${formatIsoTime(lastModified)}</LastModified>`
  if (entry.kind === 'marker') return `<DeleteMarker>${place}${markerEnd(owner)}`
  return `<Version>${place}${contentText(entry)}${versionEnd(owner, entry)}`
}
