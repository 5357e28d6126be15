/** The facts of uploads and parts in answers. */
import {
  type CommonPrefix,
  checksumAlgorithms,
  type ListedUpload,
  type PartInfo,
  type PartPage,
  type PartResult,
  schema,
  type UploadInfo,
  type UploadPage,
} from '@varve/core'
import { actor, checksum, expiration, isoDate } from './common-fields.ts'
import { commonPrefix } from './listing-rows.ts'
import { encryption } from './object-shapes.ts'

const { array, boolean, either, integer, literal, objectWith, optional, text } = schema

const facts: schema.FieldsOf<UploadInfo> = {
  bucket: text(),
  key: text(),
  uploadId: text(),
  initiated: isoDate,
  owner: actor,
  initiator: actor,
  checksumAlgorithm: optional(literal(...checksumAlgorithms)),
  checksumType: optional(literal('COMPOSITE', 'FULL_OBJECT')),
  storageClass: optional(text()),
  encryption: optional(encryption),
  expiration: optional(expiration),
}

export const uploadInfo = objectWith<UploadInfo>(facts)

const listedUpload = either<ListedUpload | CommonPrefix>(
  'an entry of a listing',
  objectWith<ListedUpload>({ kind: literal('upload'), ...facts }),
  commonPrefix,
)

export const uploadPage = objectWith<UploadPage>({
  entries: array<ListedUpload | CommonPrefix>(listedUpload),
  isTruncated: boolean,
  last: optional(objectWith<NonNullable<UploadPage['last']>>({ key: text(), uploadId: optional(text()) })),
})

const part: schema.FieldsOf<PartInfo> = {
  partNumber: integer({ min: 0 }),
  etag: text(),
  size: integer({ min: 0 }),
  lastModified: isoDate,
  checksum: optional(checksum),
}

export const partPage = objectWith<PartPage>({
  upload: uploadInfo,
  entries: array(objectWith<PartInfo>(part)),
  isTruncated: boolean,
  last: integer(),
})

const result: schema.FieldsOf<PartResult> = { ...part, encryption: optional(encryption) }

export const partResult = objectWith<PartResult>(result)

/** A part that was copied. */
export interface CopiedPart extends PartResult {
  readonly sourceVersionId: string
}

export const copiedPart = objectWith<CopiedPart>({ ...result, sourceVersionId: text() })
