import { S3Error } from '../errors/errors.ts'
import { element, optionalElement } from '../xml/write.ts'
import { keyListing, textParam } from './list-parameters.ts'
import { heldPage, listed } from './listing-elements.ts'
import { longXmlAnswer } from '../contract/long-answer.ts'
import { otherVersionsParam } from './other-version.ts'
import type { BucketOperation } from '../contract/operation.ts'
import { regionHeader } from './region-header.ts'

/** ListObjects, the first version of the listing: markers are keys, and the next one is sent only with a delimiter. */
export const listObjects: BucketOperation = async (context) => {
  const { bucket, store, query } = context
  const type = query.get('list-type')
  if (type !== undefined && type !== '1') {
    throw new S3Error('InvalidArgument', 'Invalid List Type specified in Request', {
      details: { ArgumentName: 'list-type', ArgumentValue: type },
    })
  }
  otherVersionsParam(query, 'continuation-token')
  otherVersionsParam(query, 'start-after')
  const { type: encodingType, encode, prefix, delimiter, limit, page } = keyListing(context, 'max-keys')
  const marker = textParam(query, 'marker') ?? ''
  const { entries, isTruncated, nextAfter } = await heldPage(context, () =>
    store.objects.listPage(bucket, { ...page, after: marker }),
  )
  const next = delimiter === undefined ? undefined : nextAfter
  const head = [
    element('Name', context.requestedName ?? bucket),
    // Not encoded: clients decode this field only in V2.
    element('Prefix', prefix),
    element('Marker', encode(marker)),
    optionalElement('NextMarker', next && encode(next)),
    element('MaxKeys', limit),
    optionalElement('Delimiter', delimiter && encode(delimiter)),
    optionalElement('EncodingType', encodingType),
    element('IsTruncated', isTruncated),
  ]
  const children = listed(head, entries, { encode, withOwner: true })
  return longXmlAnswer(context, 'ListBucketResult', children, regionHeader(context))
}
