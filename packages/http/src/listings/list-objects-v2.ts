import { element, optionalElement } from '../xml/write.ts'
import { decodeToken, encodeToken } from './continuation-token.ts'
import { keyListing, textParam } from './list-parameters.ts'
import { heldPage, listed } from './listing-elements.ts'
import { longXmlAnswer } from '../contract/long-answer.ts'
import { otherVersionsParam } from './other-version.ts'
import type { BucketOperation } from '../contract/operation.ts'
import { regionHeader } from './region-header.ts'

export const listObjectsV2: BucketOperation = async (context) => {
  const { bucket, store, query } = context
  otherVersionsParam(query, 'marker')
  const { type: encodingType, encode, prefix, delimiter, limit, page } = keyListing(context, 'max-keys')
  const token = query.get('continuation-token')
  const startAfter = textParam(query, 'start-after')
  const withOwner = query.get('fetch-owner') === 'true'
  // A token contains the point that the listing has reached, so it takes precedence over `start-after`.
  const after = token ? decodeToken(token) : (startAfter ?? '')
  const { entries, isTruncated, nextAfter } = await heldPage(context, () =>
    store.objects.listPage(bucket, { ...page, after }),
  )
  const head = [
    element('Name', context.requestedName ?? bucket),
    element('Prefix', encode(prefix)),
    optionalElement('Delimiter', delimiter && encode(delimiter)),
    element('MaxKeys', limit),
    optionalElement('EncodingType', encodingType),
    element('KeyCount', entries.length),
    element('IsTruncated', isTruncated),
    optionalElement('ContinuationToken', token),
    optionalElement('NextContinuationToken', nextAfter === undefined ? undefined : encodeToken(nextAfter)),
    optionalElement('StartAfter', startAfter && encode(startAfter)),
  ]
  const children = listed(head, entries, { encode, withOwner })
  return longXmlAnswer(context, 'ListBucketResult', children, regionHeader(context))
}
