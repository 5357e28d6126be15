/** The facts of objects in answers. */
import {
  type AnnotatedVersion,
  type ByteRange,
  callArguments,
  contentHeaderFields,
  type CopyResult,
  type DeleteResult,
  type EncryptionInfo,
  type ObjectAttributes,
  type ObjectInfo,
  type ObjectPart,
  type ObjectPartPage,
  type PutResult,
  type Retention,
  schema,
} from '@varve/core'
import { actor, checksum, expiration, isoDate, position } from './common-fields.ts'

const { array, boolean, integer, literal, objectWith, optional, record, text } = schema

export const encryption = objectWith<Omit<EncryptionInfo, 'key'>>({
  mode: literal('AES256', 'aws:kms', 'aws:kms:dsse', 'SSE-C'),
  keyName: optional(text()),
  bucketKey: optional(boolean),
}) as schema.Schema<EncryptionInfo>

const facts: schema.FieldsOf<ObjectInfo> = {
  ...contentHeaderFields,
  bucket: text(),
  key: text(),
  versionId: text(),
  seq: position,
  etag: text(),
  size: integer({ min: 0 }),
  lastModified: isoDate,
  owner: actor,
  metadata: record(text()),
  checksum: optional(checksum),
  encryption: optional(encryption),
  partsCount: optional(integer({ min: 0 })),
  range: optional(objectWith<ByteRange>({ start: integer({ min: 0 }), end: integer({ min: 0 }) })),
  bucketVersioning: optional(literal('Enabled', 'Suspended')),
  tagCount: optional(integer({ min: 0 })),
  retention: optional(objectWith<Retention>({ mode: literal('GOVERNANCE', 'COMPLIANCE'), until: integer() })),
  legalHold: optional(literal('ON', 'OFF')),
  expiration: optional(expiration),
  storageClass: optional(text()),
}

export const objectInfo = objectWith<ObjectInfo>(facts)

export const objectAttributes = objectWith<ObjectAttributes>({
  ...facts,
  parts: optional(
    objectWith<ObjectPartPage>({
      entries: array(
        objectWith<ObjectPart>({ partNumber: integer(), size: integer({ min: 0 }), checksum: optional(checksum) }),
      ),
      isTruncated: boolean,
      last: integer(),
    }),
  ),
})

const { tags, acl, retention, legalHold } = callArguments.creationFields

export const annotatedVersion = objectWith<AnnotatedVersion>({
  versionId: text(),
  seq: position,
  owner: actor,
  tags,
  acl,
  retention,
  legalHold,
})

const written: schema.FieldsOf<PutResult> = {
  seq: position,
  lastModified: isoDate,
  versionId: text(),
  etag: text(),
  size: integer({ min: 0 }),
  expiration: optional(expiration),
  checksum: optional(checksum),
  encryption: optional(encryption),
  receipt: optional(text()),
}

export const putResult = objectWith<PutResult>(written)

export const copyResult = objectWith<CopyResult>({ ...written, sourceVersionId: text() })

export const deleteResult = objectWith<DeleteResult>({
  versionId: optional(text()),
  deleteMarker: boolean,
  receipt: optional(text()),
})
