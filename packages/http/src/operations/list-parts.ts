import { limits } from '@varve/core'
import type { PartInfo } from '@varve/core'
import { S3Error } from '../errors.ts'
import { partChecksumElements } from '../objects/checksums.ts'
import { quoteEtag } from '../objects/etags.ts'
import { countParam, uploadOf } from '../objects/upload-params.ts'
import { urlEncode } from '../xml/url-encode.ts'
import { element, optionalElement } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'
import { xmlAnswer } from './answer.ts'
import type { ObjectContext, ObjectOperation } from './operation.ts'

export const listParts: ObjectOperation = async (context) => {
  const { store, bucket, key, options, signal } = context
  const after = countParam(context, 'part-number-marker') ?? 0
  const maxParts = Math.min(countParam(context, 'max-parts') ?? limits.pageMax, limits.pageMax)
  const encode = keyEncoding(context)

  const page = await store.uploads.listPartsPage(uploadOf(context), { after, limit: maxParts, signal })

  const { upload, last, isTruncated, entries } = page
  const children = [
    element('Bucket', bucket),
    element('Key', encode?.(key) ?? key),
    element('UploadId', upload.uploadId),
    element('Initiator', [element('ID', upload.owner.id), element('DisplayName', upload.owner.name)]),
    element('Owner', [element('ID', upload.owner.id), element('DisplayName', upload.owner.name)]),
    element('StorageClass', 'STANDARD'),
    element('PartNumberMarker', after),
    element('NextPartNumberMarker', last),
    element('MaxParts', maxParts),
    ...optionalElement('EncodingType', encode && 'url'),
    element('IsTruncated', isTruncated),
    ...entries.map(partElement),
    ...optionalElement('ChecksumAlgorithm', upload.checksumAlgorithm),
    ...optionalElement('ChecksumType', upload.checksumType),
  ]
  return xmlAnswer('ListPartsResult', options.namespace, children)
}

function partElement(part: PartInfo): Xml {
  return element('Part', [
    element('PartNumber', part.partNumber),
    element('LastModified', part.lastModified.toISOString()),
    element('ETag', quoteEtag(part.etag)),
    element('Size', part.size),
    ...partChecksumElements(part.checksum),
  ])
}

function keyEncoding({ query }: ObjectContext): ((text: string) => string) | undefined {
  const type = query.get('encoding-type')
  if (type === undefined) return undefined
  if (type === 'url') return urlEncode
  throw new S3Error('InvalidArgument', 'Invalid Encoding Method specified in Request', {
    details: { ArgumentName: 'encoding-type', ArgumentValue: type },
  })
}
