/** Operations on an object, most specific first: the first row whose `when` holds is the operation. */

import { abortMultipartUpload } from './abort-multipart-upload.ts'
import { completeMultipartUpload } from './complete-multipart-upload.ts'
import { copyObject } from './copy-object.ts'
import { createMultipartUpload } from './create-multipart-upload.ts'
import { deleteObject } from './delete-object.ts'
import { getObject } from './get-object.ts'
import { getObjectAttributes } from './get-object-attributes.ts'
import { getObjectTagging } from './get-object-tagging.ts'
import { getObjectTorrent } from './get-object-torrent.ts'
import { headObject } from './head-object.ts'
import { listParts } from './list-parts.ts'
import type { CopyRow, ObjectRow, OperationRow, UnbuiltRow } from './operation.ts'
import { onAttributes, onCopy, onObject, onVersion } from './permissions.ts'
import { putObject } from './put-object.ts'
import { unbuilt } from './unbuilt.ts'
import { uploadPart } from './upload-part.ts'
import { uploadPartCopy } from './upload-part-copy.ts'

const overrides = [
  'response-cache-control',
  'response-content-disposition',
  'response-content-encoding',
  'response-content-language',
  'response-content-type',
  'response-expires',
] as const

const row = (fields: Omit<ObjectRow, 'level'>): ObjectRow => ({ level: 'object', ...fields })
const copyRow = (fields: Omit<CopyRow, 'level' | 'copySource'>): CopyRow => ({
  level: 'object',
  copySource: true,
  ...fields,
})
const no = (name: string, method: UnbuiltRow['method'], query: string): UnbuiltRow =>
  unbuilt(name, method, 'object', { query: [query] })

export const objectRows: readonly OperationRow[] = [
  no('DeleteObjectTagging', 'DELETE', 'tagging'),
  row({
    name: 'AbortMultipartUpload',
    method: 'DELETE',
    when: { query: ['uploadId'] },
    permissions: onObject('s3:AbortMultipartUpload'),
    handler: abortMultipartUpload,
  }),
  row({
    name: 'DeleteObject',
    method: 'DELETE',
    when: {},
    permissions: onVersion('s3:DeleteObject', 's3:DeleteObjectVersion'),
    params: ['versionId'],
    handler: deleteObject,
  }),

  no('GetObjectAcl', 'GET', 'acl'),
  row({
    name: 'GetObjectAttributes',
    method: 'GET',
    when: { query: ['attributes'] },
    permissions: onAttributes,
    params: ['versionId'],
    handler: getObjectAttributes,
  }),
  no('GetObjectLegalHold', 'GET', 'legal-hold'),
  no('GetObjectRetention', 'GET', 'retention'),
  row({
    name: 'GetObjectTagging',
    method: 'GET',
    when: { query: ['tagging'] },
    permissions: onVersion('s3:GetObjectTagging', 's3:GetObjectVersionTagging'),
    params: ['versionId'],
    handler: getObjectTagging,
  }),
  row({
    name: 'GetObjectTorrent',
    method: 'GET',
    when: { query: ['torrent'] },
    permissions: onObject('s3:GetObjectTorrent'),
    handler: getObjectTorrent,
  }),
  row({
    name: 'ListParts',
    method: 'GET',
    when: { query: ['uploadId'] },
    permissions: onObject('s3:ListMultipartUploadParts'),
    params: ['encoding-type', 'max-parts', 'part-number-marker'],
    handler: listParts,
  }),
  row({
    name: 'GetObject',
    method: 'GET',
    when: {},
    permissions: onVersion('s3:GetObject', 's3:GetObjectVersion'),
    params: ['partNumber', 'versionId', ...overrides],
    handler: getObject,
  }),
  row({
    name: 'HeadObject',
    method: 'HEAD',
    when: {},
    permissions: onVersion('s3:GetObject', 's3:GetObjectVersion'),
    params: ['partNumber', 'versionId', ...overrides],
    handler: headObject,
  }),

  no('RestoreObject', 'POST', 'restore'),
  no('SelectObjectContent', 'POST', 'select'),
  row({
    name: 'CreateMultipartUpload',
    method: 'POST',
    when: { query: ['uploads'] },
    permissions: onObject('s3:PutObject'),
    understands: ['x-amz-website-redirect-location'],
    handler: createMultipartUpload,
  }),
  row({
    name: 'CompleteMultipartUpload',
    method: 'POST',
    when: { query: ['uploadId'] },
    permissions: onObject('s3:PutObject'),
    body: 'completion',
    handler: completeMultipartUpload,
  }),

  no('PutObjectAcl', 'PUT', 'acl'),
  no('PutObjectLegalHold', 'PUT', 'legal-hold'),
  no('PutObjectRetention', 'PUT', 'retention'),
  no('PutObjectTagging', 'PUT', 'tagging'),
  no('UpdateObjectEncryption', 'PUT', 'encryption'),
  no('RenameObject', 'PUT', 'renameObject'),
  copyRow({
    name: 'UploadPartCopy',
    method: 'PUT',
    when: { query: ['partNumber', 'uploadId'], header: ['x-amz-copy-source'] },
    permissions: onCopy,
    handler: uploadPartCopy,
  }),
  row({
    name: 'UploadPart',
    method: 'PUT',
    when: { query: ['partNumber', 'uploadId'] },
    permissions: onObject('s3:PutObject'),
    body: 'bytes',
    handler: uploadPart,
  }),
  copyRow({
    name: 'CopyObject',
    method: 'PUT',
    when: { header: ['x-amz-copy-source'] },
    permissions: onCopy,
    understands: ['x-amz-website-redirect-location'],
    handler: copyObject,
  }),
  row({
    name: 'PutObject',
    method: 'PUT',
    when: {},
    permissions: onObject('s3:PutObject'),
    understands: ['x-amz-website-redirect-location'],
    body: 'bytes',
    handler: putObject,
  }),
]
