import type { CommonPrefix, ListedUpload } from '@varve/core'
import { element, optionalElement } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'
import { keyListing, textParam } from '../listings/list-parameters.ts'
import {
  heldPage,
  personElement,
  prefixElements,
  storageClassElement,
  timeElement,
} from '../listings/listing-elements.ts'
import { longXmlAnswer } from '../contract/long-answer.ts'
import type { BucketOperation } from '../contract/operation.ts'

export const listMultipartUploads: BucketOperation = async (context) => {
  const { bucket, store, query } = context
  const { type: encodingType, encode, prefix, delimiter, limit, page } = keyListing(context, 'max-uploads')
  const keyMarker = textParam(query, 'key-marker') ?? ''
  const uploadIdMarker = textParam(query, 'upload-id-marker') ?? ''
  const { entries, isTruncated, last } = await heldPage(context, () =>
    store.uploads.listPage(bucket, {
      ...page,
      keyMarker,
      // This marker has no meaning without a key marker: S3 ignores it.
      uploadIdMarker: keyMarker === '' ? '' : uploadIdMarker,
    }),
  )
  const head = [
    element('Bucket', bucket),
    element('KeyMarker', encode(keyMarker)),
    element('UploadIdMarker', uploadIdMarker),
    element('NextKeyMarker', encode(last?.key ?? '')),
    element('NextUploadIdMarker', last?.uploadId ?? ''),
    element('Prefix', encode(prefix)),
    optionalElement('Delimiter', delimiter && encode(delimiter)),
    optionalElement('EncodingType', encodingType),
    element('MaxUploads', limit),
    element('IsTruncated', isTruncated),
  ]
  return longXmlAnswer(context, 'ListMultipartUploadsResult', uploads(head, entries, encode))
}

function* uploads(
  head: readonly Xml[],
  entries: readonly (ListedUpload | CommonPrefix)[],
  encode: (text: string) => string,
): Generator<Xml> {
  yield* head
  for (const entry of entries) if (entry.kind === 'upload') yield uploadElement(entry, encode)
  yield* prefixElements(entries, encode)
}

function uploadElement(upload: ListedUpload, encode: (text: string) => string): Xml {
  return element('Upload', [
    element('Key', encode(upload.key)),
    element('UploadId', upload.uploadId),
    personElement('Initiator', upload.initiator),
    personElement('Owner', upload.owner),
    storageClassElement(upload),
    timeElement('Initiated', upload.initiated),
    optionalElement('ChecksumAlgorithm', upload.checksumAlgorithm),
    optionalElement('ChecksumType', upload.checksumType),
  ])
}
