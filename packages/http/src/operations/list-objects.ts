import type { ObjectPage } from '@varve/core'
import { S3Error } from '../errors.ts'
import { element, optionalElement } from '../xml/write.ts'
import { xmlAnswer } from './answer.ts'
import { encodingParam, pageSizeParam, textParam } from './list-parameters.ts'
import { objectElement, prefixElements } from './listing-elements.ts'
import { otherVersionsParam } from './other-version.ts'
import type { BucketOperation } from './operation.ts'

/** The first version of the listing: markers are keys, and the next one is told only with a delimiter. */
export const listObjects: BucketOperation = async ({
  bucket,
  prefix = '',
  store,
  query,
  options,
  client: { signal },
}) => {
  const type = query.get('list-type')
  if (type !== undefined && type !== '1') {
    throw new S3Error('InvalidArgument', 'Invalid List Type specified in Request', {
      details: { ArgumentName: 'list-type', ArgumentValue: type },
    })
  }
  otherVersionsParam(query, 'continuation-token')
  otherVersionsParam(query, 'start-after')
  const { type: encodingType, encode } = encodingParam(query)
  const delimiter = textParam(query, 'delimiter')
  const marker = textParam(query, 'marker') ?? ''
  const limit = pageSizeParam(query, 'max-keys')
  const page = await store.objects.listPage(bucket, {
    prefix,
    after: marker,
    limit,
    signal,
    ...(delimiter !== undefined && { delimiter }),
  })
  const next = delimiter === undefined ? undefined : page.nextAfter
  return xmlAnswer('ListBucketResult', options.namespace, [
    element('Name', bucket),
    // As it is: clients that decode what they asked to be encoded leave this one out here, and not in V2.
    element('Prefix', prefix),
    element('Marker', encode(marker)),
    optionalElement('NextMarker', next && encode(next)),
    element('MaxKeys', limit),
    optionalElement('Delimiter', delimiter && encode(delimiter)),
    optionalElement('EncodingType', encodingType),
    element('IsTruncated', page.isTruncated),
    ...contents(page, encode),
    ...prefixElements(page.entries, encode),
  ])
}

function contents({ entries }: ObjectPage, encode: (text: string) => string) {
  return entries.flatMap((entry) => (entry.kind === 'object' ? [objectElement(entry, encode, true)] : []))
}
