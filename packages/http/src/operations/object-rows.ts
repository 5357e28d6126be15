/** Operations on an object, most specific first: the first row whose `when` holds is the operation. */

import type { OperationName } from '../access/permission-table.ts'
import { bypassHeader } from '../object-lock/bypass-governance.ts'
import { creationHeaders } from '../object-operations/creation-options.ts'
import { abortMultipartUpload } from '../multipart/abort-multipart-upload.ts'
import { completeMultipartUpload } from '../multipart/complete-multipart-upload.ts'
import { copyObject } from '../object-operations/copy-object.ts'
import { createMultipartUpload } from '../multipart/create-multipart-upload.ts'
import { deleteObject } from '../object-operations/delete-object.ts'
import { deleteObjectTagging } from '../tagging/delete-object-tagging.ts'
import { getObject } from '../object-operations/get-object.ts'
import { getObjectAcl } from '../acl/get-object-acl.ts'
import { getObjectAttributes } from '../object-operations/get-object-attributes.ts'
import { getObjectLegalHold } from '../object-lock/get-object-legal-hold.ts'
import { getObjectRetention } from '../object-lock/get-object-retention.ts'
import { getObjectTagging } from '../tagging/get-object-tagging.ts'
import { getObjectTorrent } from '../object-operations/get-object-torrent.ts'
import { headObject } from '../object-operations/head-object.ts'
import { listParts } from '../multipart/list-parts.ts'
import { customerKeyHeaders } from '../encryption/customer-key.ts'
import { chosenEncryptionHeaders, encryptionHeaders } from '../encryption/encryption-in.ts'
import type { CopyRow, ObjectRow, OperationRow, UnbuiltRow } from '../contract/operation.ts'
import { permissionsOf } from '../contract/permissions.ts'
import { checksumTypeHeader } from '../objects/checksums.ts'
import { receiptHeader } from '../objects/receipt-header.ts'
import { putObject } from '../object-operations/put-object.ts'
import { putObjectAcl } from '../acl/put-object-acl.ts'
import { putObjectLegalHold } from '../object-lock/put-object-legal-hold.ts'
import { putObjectRetention } from '../object-lock/put-object-retention.ts'
import { putObjectTagging } from '../tagging/put-object-tagging.ts'
import { attributesHeaders } from '../object-operations/attributes-in.ts'
import { deleteConditionHeaders, writeConditionHeaders } from '../objects/write-conditions.ts'
import { aclHeaderNames } from '../policies/permission-rule.ts'
import { unbuilt } from './unbuilt.ts'
import { uploadPart } from '../multipart/upload-part.ts'
import { uploadPartCopy } from '../multipart/upload-part-copy.ts'

const overrides = [
  'response-cache-control',
  'response-content-disposition',
  'response-content-encoding',
  'response-content-language',
  'response-content-type',
  'response-expires',
] as const

type Fields<R> = Omit<R, 'level' | 'copySource' | 'permissions' | 'name'> & { readonly name: OperationName }

const row = (fields: Fields<ObjectRow>): ObjectRow => ({
  level: 'object',
  permissions: permissionsOf(fields.name),
  ...fields,
})
const copyRow = (fields: Fields<CopyRow>): CopyRow => ({
  level: 'object',
  copySource: true,
  permissions: permissionsOf(fields.name),
  ...fields,
})
const no = (name: string, method: UnbuiltRow['method'], ...query: readonly string[]): UnbuiltRow =>
  unbuilt(name, method, 'object', { query })

export const objectRows: readonly OperationRow[] = [
  no('DeleteObjectAnnotation', 'DELETE', 'annotation'),
  no('GetObjectAnnotation', 'GET', 'annotation', 'annotationName'),
  { ...no('ListObjectAnnotations', 'GET', 'annotation'), params: ['annotation-prefix', 'max-annotation-results'] },
  no('PutObjectAnnotation', 'PUT', 'annotation'),
  row({
    name: 'DeleteObjectTagging',
    method: 'DELETE',
    when: { query: ['tagging'] },
    params: ['versionId'],
    ofVersion: true,
    handler: deleteObjectTagging,
  }),
  row({
    name: 'AbortMultipartUpload',
    method: 'DELETE',
    when: { query: ['uploadId'] },
    handler: abortMultipartUpload,
  }),
  row({
    name: 'DeleteObject',
    method: 'DELETE',
    when: {},
    params: ['versionId'],
    understands: [bypassHeader, receiptHeader, ...deleteConditionHeaders],
    handler: deleteObject,
  }),

  row({
    name: 'GetObjectAcl',
    method: 'GET',
    when: { query: ['acl'] },
    params: ['versionId'],
    handler: getObjectAcl,
  }),
  row({
    name: 'GetObjectAttributes',
    method: 'GET',
    when: { query: ['attributes'] },
    understands: [...customerKeyHeaders, ...attributesHeaders],
    params: ['versionId'],
    handler: getObjectAttributes,
  }),
  row({
    name: 'GetObjectLegalHold',
    method: 'GET',
    when: { query: ['legal-hold'] },
    params: ['versionId'],
    handler: getObjectLegalHold,
  }),
  row({
    name: 'GetObjectRetention',
    method: 'GET',
    when: { query: ['retention'] },
    params: ['versionId'],
    handler: getObjectRetention,
  }),
  row({
    name: 'GetObjectTagging',
    method: 'GET',
    when: { query: ['tagging'] },
    params: ['versionId'],
    handler: getObjectTagging,
  }),
  row({
    name: 'GetObjectTorrent',
    method: 'GET',
    when: { query: ['torrent'] },
    handler: getObjectTorrent,
  }),
  row({
    name: 'ListParts',
    method: 'GET',
    when: { query: ['uploadId'] },
    params: ['encoding-type', 'max-parts', 'part-number-marker'],
    handler: listParts,
  }),
  row({
    name: 'GetObject',
    method: 'GET',
    when: {},
    understands: encryptionHeaders,
    params: ['partNumber', 'versionId', ...overrides],
    handler: getObject,
  }),
  row({
    name: 'HeadObject',
    method: 'HEAD',
    when: {},
    understands: encryptionHeaders,
    params: ['partNumber', 'versionId', ...overrides],
    handler: headObject,
  }),

  no('RestoreObject', 'POST', 'restore'),
  { ...no('SelectObjectContent', 'POST', 'select'), params: ['select-type'] },
  row({
    name: 'CreateMultipartUpload',
    method: 'POST',
    when: { query: ['uploads'] },
    understands: [...creationHeaders, checksumTypeHeader],
    handler: createMultipartUpload,
  }),
  row({
    name: 'CompleteMultipartUpload',
    method: 'POST',
    when: { query: ['uploadId'] },
    understands: [
      ...chosenEncryptionHeaders,
      ...customerKeyHeaders,
      ...writeConditionHeaders,
      checksumTypeHeader,
      receiptHeader,
      'x-amz-mp-object-size',
    ],
    body: 'completion',
    handler: completeMultipartUpload,
  }),

  row({
    name: 'PutObjectAcl',
    method: 'PUT',
    when: { query: ['acl'] },
    params: ['versionId'],
    understands: aclHeaderNames,
    body: 'document',
    ofVersion: true,
    handler: putObjectAcl,
  }),
  row({
    name: 'PutObjectLegalHold',
    method: 'PUT',
    when: { query: ['legal-hold'] },
    params: ['versionId'],
    body: 'document',
    ofVersion: true,
    handler: putObjectLegalHold,
  }),
  row({
    name: 'PutObjectRetention',
    method: 'PUT',
    when: { query: ['retention'] },
    params: ['versionId'],
    understands: [bypassHeader],
    body: 'document',
    ofVersion: true,
    handler: putObjectRetention,
  }),
  row({
    name: 'PutObjectTagging',
    method: 'PUT',
    when: { query: ['tagging'] },
    params: ['versionId'],
    body: 'document',
    ofVersion: true,
    handler: putObjectTagging,
  }),
  no('UpdateObjectEncryption', 'PUT', 'encryption'),
  no('RenameObject', 'PUT', 'renameObject'),
  copyRow({
    name: 'UploadPartCopy',
    method: 'PUT',
    when: { query: ['partNumber', 'uploadId'], header: ['x-amz-copy-source'] },
    understands: [...customerKeyHeaders, 'x-amz-copy-source-range'],
    handler: uploadPartCopy,
  }),
  row({
    name: 'UploadPart',
    method: 'PUT',
    when: { query: ['partNumber', 'uploadId'] },
    understands: [...customerKeyHeaders, ...chosenEncryptionHeaders],
    body: 'bytes',
    handler: uploadPart,
  }),
  copyRow({
    name: 'CopyObject',
    method: 'PUT',
    when: { header: ['x-amz-copy-source'] },
    understands: [
      ...creationHeaders,
      ...writeConditionHeaders,
      'x-amz-metadata-directive',
      'x-amz-tagging-directive',
      receiptHeader,
    ],
    handler: copyObject,
  }),
  row({
    name: 'PutObject',
    method: 'PUT',
    when: {},
    understands: [...creationHeaders, ...writeConditionHeaders, receiptHeader],
    body: 'bytes',
    handler: putObject,
  }),
]
