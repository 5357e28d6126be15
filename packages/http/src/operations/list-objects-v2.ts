import { element, optionalElement } from '../xml/write.ts'
import { xmlAnswer } from './answer.ts'
import { decodeToken, encodeToken } from './continuation-token.ts'
import { keyListing, textParam } from './list-parameters.ts'
import { objectElement, prefixElements } from './listing-elements.ts'
import { otherVersionsParam } from './other-version.ts'
import type { BucketOperation } from './operation.ts'

export const listObjectsV2: BucketOperation = async (context) => {
  const { bucket, store, query, options } = context
  otherVersionsParam(query, 'marker')
  const { type: encodingType, encode, prefix, delimiter, limit, page } = keyListing(context, 'max-keys')
  const token = query.get('continuation-token')
  const startAfter = textParam(query, 'start-after')
  const withOwner = query.get('fetch-owner') === 'true'
  const { entries, isTruncated, nextAfter } = await store.objects.listPage(bucket, {
    ...page,
    // A token is where the listing got to; where it began no longer counts.
    after: token ? decodeToken(token) : (startAfter ?? ''),
  })
  return xmlAnswer('ListBucketResult', options.namespace, [
    element('Name', bucket),
    element('Prefix', encode(prefix)),
    optionalElement('Delimiter', delimiter && encode(delimiter)),
    element('MaxKeys', limit),
    optionalElement('EncodingType', encodingType),
    element('KeyCount', entries.length),
    element('IsTruncated', isTruncated),
    optionalElement('ContinuationToken', token),
    optionalElement('NextContinuationToken', nextAfter === undefined ? undefined : encodeToken(nextAfter)),
    optionalElement('StartAfter', startAfter && encode(startAfter)),
    ...entries.flatMap((entry) => (entry.kind === 'object' ? [objectElement(entry, encode, withOwner)] : [])),
    ...prefixElements(entries, encode),
  ])
}
