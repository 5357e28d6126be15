/** Operations that bring bytes to the server. */

import type { Connection } from '../transport/connection.ts'
import type { ObjectReference } from './object-reference.ts'
import { callForXml, callS3, documentHeaders } from './s3.ts'
import { childrenOf, requiredText, textIn, xmlOf } from './xml.ts'

export interface UploadReference extends ObjectReference {
  readonly uploadId: string
}

export interface SentPart {
  readonly partNumber: number
  readonly etag: string
  readonly size: number
}

export interface ListedParts {
  readonly parts: readonly SentPart[]
  /** The algorithm of the checksums that each part needs; absent if parts need none. */
  readonly checksum?: string
}

export interface SendOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress: (bytesSent: number) => void
}

/** PutObject. */
export async function putObject(
  connection: Connection,
  object: ObjectReference,
  body: Blob,
  options: SendOptions,
): Promise<void> {
  await callS3(connection, 'PUT', { ...object, body, headers: typeHeader(body.type), ...options })
}

/** CreateMultipartUpload. */
export async function createUpload(
  connection: Connection,
  object: ObjectReference,
  contentType: string,
): Promise<string> {
  const { root } = await callForXml(connection, 'POST', {
    ...object,
    query: [['uploads', '']],
    headers: typeHeader(contentType),
  })
  return requiredText(root, 'UploadId')
}

const typeHeader = (type: string): Readonly<Record<string, string>> => (type === '' ? {} : { 'content-type': type })

/** UploadPart. */
export async function uploadPart(
  connection: Connection,
  { uploadId, partNumber, ...object }: UploadReference & { readonly partNumber: number },
  body: Blob,
  options: SendOptions,
): Promise<SentPart> {
  const { headers } = await callS3(connection, 'PUT', {
    ...object,
    query: [
      ['partNumber', String(partNumber)],
      ['uploadId', uploadId],
    ],
    body,
    ...options,
  })
  return { partNumber, etag: headers.get('etag') ?? '', size: body.size }
}

/** ListParts, to its end. */
export async function listParts(
  connection: Connection,
  { uploadId, ...object }: UploadReference,
): Promise<ListedParts> {
  const parts: SentPart[] = []
  let marker: string | undefined = '0'
  let checksum: string | undefined
  while (marker !== undefined) {
    const { root } = await callForXml(connection, 'GET', {
      ...object,
      query: [
        ['uploadId', uploadId],
        ['part-number-marker', marker],
      ],
    })
    for (const part of childrenOf(root, 'Part')) {
      parts.push({
        partNumber: Number(requiredText(part, 'PartNumber')),
        etag: requiredText(part, 'ETag'),
        size: Number(requiredText(part, 'Size')),
      })
    }
    checksum = checksumOfParts(textIn(root, 'ChecksumAlgorithm'), textIn(root, 'ChecksumType'))
    marker = textIn(root, 'IsTruncated') === 'true' ? textIn(root, 'NextPartNumberMarker') : undefined
  }
  return { parts, ...(checksum !== undefined && { checksum }) }
}

/** A checksum of the whole object needs none of the parts. Without a type, only CRC64NVME is one of the whole object. */
function checksumOfParts(algorithm: string | undefined, type: string | undefined): string | undefined {
  const isOfWhole = type === undefined ? algorithm === 'CRC64NVME' : type === 'FULL_OBJECT'
  return isOfWhole ? undefined : algorithm
}

/** CompleteMultipartUpload. */
export async function completeUpload(
  connection: Connection,
  { uploadId, ...object }: UploadReference,
  parts: readonly SentPart[],
): Promise<void> {
  const body = xmlOf('CompleteMultipartUpload', {
    Part: parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag })),
  })
  await callForXml(connection, 'POST', {
    ...object,
    query: [['uploadId', uploadId]],
    headers: documentHeaders(body),
    body,
  })
}

/** AbortMultipartUpload. */
export async function abortUpload(connection: Connection, { uploadId, ...object }: UploadReference): Promise<void> {
  await callS3(connection, 'DELETE', { ...object, query: [['uploadId', uploadId]] })
}
