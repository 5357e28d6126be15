import { accessDenied } from '../errors/errors.ts'
import { defaultChecksumAlgorithm } from '@varve/core'
import { uploadChecksum } from '../objects/checksums.ts'
import { creationOptions } from '../object-operations/creation-options.ts'
import { encryptionAnswer } from '../encryption/encryption-headers.ts'
import { abortHeaders } from '../objects/expiration-header.ts'
import { metadataOptions } from '../objects/metadata-in.ts'
import { element } from '../xml/write.ts'
import { xmlAnswer } from '../contract/answer.ts'
import type { ObjectOperation } from '../contract/operation.ts'

export const createMultipartUpload: ObjectOperation = async (context) => {
  // S3 never lets an anonymous request create an upload, even where everybody may write.
  if (context.identity === undefined) throw accessDenied()
  const {
    store,
    bucket,
    key,
    headers,
    options,
    client: { signal },
  } = context
  const metadata = metadataOptions(headers)
  const checksum = uploadChecksum(headers)
  const creation = creationOptions(context)

  const upload = await store.uploads.create(bucket, key, {
    ...metadata,
    ...creation,
    ...checksum,
    ...(checksum.checksumAlgorithm === undefined && { defaultChecksumAlgorithm }),
    signal,
  })
  const { uploadId, checksumAlgorithm, checksumType } = upload

  const children = [element('Bucket', bucket), element('Key', key), element('UploadId', uploadId)]
  return xmlAnswer('InitiateMultipartUploadResult', options.namespace, children, {
    headers: {
      ...(checksumAlgorithm !== undefined && { 'x-amz-checksum-algorithm': checksumAlgorithm }),
      ...(checksumType !== undefined && { 'x-amz-checksum-type': checksumType }),
      ...encryptionAnswer(upload, headers),
      ...abortHeaders(upload),
    },
  })
}
