import type { ObjectAttributes, ObjectPart, ObjectPartPage } from '@varve/core'
import { readObjectAttributes } from './attributes-in.ts'
import type { ObjectAttribute } from './attributes-in.ts'
import { partChecksumElements } from '../objects/checksums.ts'
import { refuseEncryption } from '../encryption/encryption-in.ts'
import { asCustomerKey, readKey } from '../encryption/customer-key.ts'
import { encryptionAnswer } from '../encryption/encryption-headers.ts'
import { formatHttpDate } from '../headers/http-date.ts'
import { explainReadError } from '../objects/read-errors.ts'
import { versionHeaders } from '../objects/shown-version.ts'
import { element } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'
import { xmlAnswer } from '../contract/answer.ts'
import { storageClassElement } from '../listings/listing-elements.ts'
import type { ObjectOperation } from '../contract/operation.ts'

/** The requested attributes, in S3's order. */
export const getObjectAttributes: ObjectOperation = async (context) => {
  const { store, bucket, key, versionId, headers, options, client } = context
  const { wanted, parts } = readObjectAttributes(headers)
  refuseEncryption(headers)

  const found = await store.objects
    .attributes(bucket, key, {
      ...(versionId !== undefined && { versionId }),
      ...(wanted.has('ObjectParts') && { parts }),
      ...asCustomerKey(readKey(headers)),
      needsKey: true,
      signal: client.signal,
    })
    .catch(explainReadError(context))

  const children = attributes.flatMap(([name, write]) => (wanted.has(name) ? write(found, parts) : []))
  return xmlAnswer('GetObjectAttributesResponse', options.namespace, children, {
    headers: {
      'last-modified': formatHttpDate(found.lastModified),
      ...versionHeaders(found.bucketVersioning === undefined ? undefined : found.versionId),
      ...encryptionAnswer(found, headers),
    },
  })
}

type RequestedParts = ReturnType<typeof readObjectAttributes>['parts']
type Write = (found: ObjectAttributes, requested: RequestedParts) => readonly Xml[]

const attributes: readonly (readonly [ObjectAttribute, Write])[] = [
  ['ETag', ({ etag }) => [element('ETag', etag)]],
  ['Checksum', checksumElement],
  ['ObjectParts', partsElement],
  ['StorageClass', (found) => [storageClassElement(found)]],
  ['ObjectSize', ({ size }) => [element('ObjectSize', size)]],
]

/** This element shows a composite value without the number of its parts. */
function checksumElement({ checksum }: ObjectAttributes): readonly Xml[] {
  if (checksum === undefined) return []
  const value = checksum.value.replace(/-\d+$/, '')
  return [
    element('Checksum', [...partChecksumElements({ ...checksum, value }), element('ChecksumType', checksum.type)]),
  ]
}

/** S3 shows the parts only where the checksum of the whole is computed from theirs; otherwise only their number. */
function partsElement({ partsCount, parts, checksum }: ObjectAttributes, requested: RequestedParts): readonly Xml[] {
  if (partsCount === undefined) return []
  const shown = parts !== undefined && checksum?.type === 'COMPOSITE' ? pageElements(parts, requested) : []
  return [element('ObjectParts', [...shown, element('PartsCount', partsCount)])]
}

const pageElements = (
  { entries, isTruncated, last }: ObjectPartPage,
  { after, limit }: RequestedParts,
): readonly Xml[] => [
  element('IsTruncated', isTruncated),
  element('MaxParts', limit),
  element('NextPartNumberMarker', last),
  element('PartNumberMarker', after),
  ...entries.map(partElement),
]

const partElement = ({ partNumber, size, checksum }: ObjectPart): Xml =>
  element('Part', [...partChecksumElements(checksum), element('PartNumber', partNumber), element('Size', size)])
