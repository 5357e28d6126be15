import { limits } from '@varve/core'
import type { PartInfo } from '@varve/core'
import { partChecksumElements } from '../objects/checksums.ts'
import { abortHeaders } from '../objects/expiration-header.ts'
import { quoteEtag } from '../headers/etags.ts'
import { uploadOf } from './upload-params.ts'
import { element, optionalElement } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'
import { xmlAnswer } from '../contract/answer.ts'
import { encodingParam, pageSizeParam, textParam } from '../listings/list-parameters.ts'
import { heldPage, personElement, storageClassElement, timeElement } from '../listings/listing-elements.ts'
import type { ObjectOperation } from '../contract/operation.ts'

export const listParts: ObjectOperation = async (context) => {
  const {
    store,
    bucket,
    key,
    query,
    options,
    client: { signal },
  } = context
  const limit = pageSizeParam(query, 'max-parts')
  const marker = textParam(query, 'part-number-marker')
  const after = marker === undefined ? 0 : pageSizeParam(query, 'part-number-marker', limits.partNumberMax)
  const encoding = encodingParam(query)

  const page = await heldPage(context, () => store.uploads.listPartsPage(uploadOf(context), { after, limit, signal }))

  const { upload, last, isTruncated, entries } = page
  const elements = [
    element('Bucket', bucket),
    element('Key', encoding.encode(key)),
    element('UploadId', upload.uploadId),
    personElement('Initiator', upload.initiator),
    personElement('Owner', upload.owner),
    storageClassElement(upload),
    element('PartNumberMarker', after),
    // S3 sends this element on the last page too, and then paginators that follow it never end.
    optionalElement('NextPartNumberMarker', isTruncated ? last : undefined),
    element('MaxParts', limit),
    optionalElement('EncodingType', encoding.type),
    element('IsTruncated', isTruncated),
    ...entries.map(partElement),
    optionalElement('ChecksumAlgorithm', upload.checksumAlgorithm),
    optionalElement('ChecksumType', upload.checksumType),
  ]
  return xmlAnswer('ListPartsResult', options.namespace, elements, { headers: abortHeaders(upload) })
}

function partElement(part: PartInfo): Xml {
  return element('Part', [
    element('PartNumber', part.partNumber),
    timeElement('LastModified', part.lastModified),
    element('ETag', quoteEtag(part.etag)),
    element('Size', part.size),
    ...partChecksumElements(part.checksum),
  ])
}
