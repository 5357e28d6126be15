import { element, optionalElement } from '../xml/write.ts'
import { xmlAnswer } from './answer.ts'
import { decodeToken, encodeToken } from './continuation-token.ts'
import { encodingParam, pageSizeParam, textParam } from './list-parameters.ts'
import { objectElement, prefixElements } from './listing-elements.ts'
import { otherVersionsParam } from './other-version.ts'
import type { BucketOperation } from './operation.ts'

export const listObjectsV2: BucketOperation = async ({
  bucket,
  prefix = '',
  store,
  query,
  options,
  client: { signal },
}) => {
  otherVersionsParam(query, 'marker')
  const { type: encodingType, encode } = encodingParam(query)
  const delimiter = textParam(query, 'delimiter')
  const token = query.get('continuation-token')
  const startAfter = textParam(query, 'start-after')
  const limit = pageSizeParam(query, 'max-keys')
  const withOwner = query.get('fetch-owner') === 'true'
  const { entries, isTruncated, nextAfter } = await store.objects.listPage(bucket, {
    prefix,
    limit,
    signal,
    // A token is where the listing got to; where it began no longer counts.
    after: token ? decodeToken(token) : (startAfter ?? ''),
    ...(delimiter !== undefined && { delimiter }),
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
