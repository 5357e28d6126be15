/** Uploads of objects in parts. */
import {
  type ByteChecks,
  callArguments,
  type Cancelable,
  type CompletedPart,
  type CompleteOptions,
  type CreateUploadOptions,
  type PartCopySource,
  type PartPage,
  type PartPageOptions,
  type PartResult,
  type PutResult,
  type ReadsEncrypted,
  type ReceivingOptions,
  schema,
  type UploadInfo,
  type UploadPage,
  type UploadPartOptions,
  type UploadPlace,
  type UploadRef,
} from '@varve/core'
import { anyNumber, bytesText, creationFields } from './call-values.ts'
import { done, name, type Place, place } from './common-fields.ts'
import { valueRow } from './control-row.ts'
import { flagForm, jsonBody, jsonForm, numberForm, query } from './input.ts'
import { type PageInput, pageFields, pageForms } from './page-rows.ts'
import { putResult } from './object-shapes.ts'
import { type CopiedPart, copiedPart, partPage, partResult, uploadInfo, uploadPage } from './upload-shapes.ts'
import { checkFields, type ChecksInput, checksOf, sourceFields } from './write-rows.ts'

const { boolean, integer, literal, object, objectWith, optional, text } = schema

const upload: schema.FieldsOf<UploadRef> = { ...place, uploadId: text() }

/** The query of an upload. */
const oneUpload = query(object<UploadRef>(upload))

/** A new upload. */
export type NewUpload = Place & Omit<CreateUploadOptions, keyof Cancelable>

export const createUpload = valueRow<NewUpload, UploadInfo>({
  name: 'CreateUpload',
  summary: 'Begins an upload of an object in parts',
  method: 'POST',
  path: '/-/v1/uploads',
  input: jsonBody(
    object<NewUpload>({
      ...place,
      ...callArguments.metadataFields,
      ...creationFields,
      checksumAlgorithm: optional(callArguments.checksumAlgorithm),
      defaultChecksumAlgorithm: optional(literal('CRC64NVME')),
      checksumType: optional(literal('FULL_OBJECT', 'COMPOSITE')),
    }),
  ),
  output: uploadInfo,
  run: ({ store, input: { bucket, key, ...options }, signal }) =>
    store.uploads.create(bucket, key, { ...options, signal }),
})

/** The id of an upload. */
export interface UploadName {
  readonly uploadId: string
}

export const getUploadId = valueRow<UploadPlace, UploadName>({
  name: 'GetUploadId',
  summary: 'The id of an upload, from the position of its UploadStarted',
  method: 'GET',
  path: '/-/v1/upload/id',
  input: query(object<UploadPlace>({ ...place, upload: integer({ min: 0 }), epoch: optional(callArguments.epoch) }), {
    upload: numberForm,
  }),
  output: objectWith<UploadName>({ uploadId: text() }),
  run: async ({ store, input }) => ({ uploadId: await store.uploads.idOf(input) }),
})

export const headUpload = valueRow<UploadRef, UploadInfo>({
  name: 'HeadUpload',
  summary: 'The facts of an upload',
  method: 'GET',
  path: '/-/v1/upload',
  input: oneUpload,
  output: uploadInfo,
  run: ({ store, input }) => store.uploads.head(input),
})

export const abortUpload = valueRow<UploadRef, object>({
  name: 'AbortUpload',
  summary: 'Ends an upload without an object',
  method: 'DELETE',
  path: '/-/v1/upload',
  input: oneUpload,
  output: done,
  async run({ store, input, signal }) {
    await store.uploads.abort(input, { signal })
    return {}
  },
})

/** A part of an upload. */
export interface OnePart extends UploadRef {
  readonly partNumber: number
}

const onePart: schema.FieldsOf<OnePart> = { ...upload, partNumber: anyNumber }

const refOf = ({ bucket, key, uploadId }: UploadRef): UploadRef => ({ bucket, key, uploadId })

/** A new part, whose bytes are the body of the request. */
export type NewPart = OnePart &
  ChecksInput &
  Omit<UploadPartOptions, keyof ByteChecks | keyof ReceivingOptions | keyof Cancelable>

export const putPart = valueRow<NewPart, PartResult>({
  name: 'PutPart',
  summary: 'Stores the bytes of the body as a part of an upload',
  method: 'PUT',
  path: '/-/v1/part',
  input: query(
    object<NewPart>({
      ...onePart,
      ...checkFields,
      customerKey: optional(bytesText),
      everyPartChecksum: optional(boolean),
    }),
    { partNumber: numberForm, checksum: jsonForm, size: numberForm, everyPartChecksum: flagForm },
  ),
  output: partResult,
  run({ store, input, body, trailer, signal }) {
    const { partNumber, bucket: _b, key: _k, uploadId: _u, checksum, contentMD5, sha256, ...options } = input
    const checks = checksOf({ checksum, contentMD5, sha256 } as ChecksInput, trailer)
    return store.uploads.uploadPart(refOf(input), partNumber, body, { ...options, ...checks, signal })
  },
})

/** A part that is copied. */
export interface PartCopy extends OnePart, ReadsEncrypted {
  readonly source: PartCopySource
}

export const copyPart = valueRow<PartCopy, CopiedPart>({
  name: 'CopyPart',
  summary: 'Copies stored bytes as a part of an upload',
  method: 'POST',
  path: '/-/v1/part/copy',
  input: jsonBody(
    object<PartCopy>({
      ...onePart,
      source: object<PartCopySource>({ ...sourceFields, range: optional(callArguments.byteRange) }),
      customerKey: optional(bytesText),
    }),
  ),
  output: copiedPart,
  run: ({ store, input: { partNumber, source, customerKey, ...ref }, signal }) =>
    store.uploads.copyPart(ref, partNumber, source, { ...(customerKey && { customerKey }), signal }),
})

/** The end of an upload. */
export type Completion = UploadRef &
  Omit<CompleteOptions, keyof Cancelable> & { readonly parts: readonly CompletedPart[] }

const completionBytesMax = 4 * 1024 * 1024

export const completeUpload = valueRow<Completion, PutResult>({
  name: 'CompleteUpload',
  summary: 'Makes an object of the parts',
  method: 'POST',
  path: '/-/v1/upload/complete',
  input: jsonBody(
    object<Completion>({
      ...upload,
      ...callArguments.completionFields,
      customerKey: optional(bytesText),
      parts: callArguments.completedParts,
    }),
    completionBytesMax,
  ),
  output: putResult,
  run: ({ store, input: { parts, bucket, key, uploadId, ...options }, signal }) =>
    store.uploads.complete({ bucket, key, uploadId }, parts, { ...options, signal }),
})

/** A page of uploads. */
export interface UploadPageInput extends Omit<PageInput, 'at'> {
  readonly keyMarker?: string
  readonly uploadIdMarker?: string
}

const { at: _at, ...uploadPageFields } = pageFields

export const pageUploads = valueRow<UploadPageInput, UploadPage>({
  name: 'PageUploads',
  summary: 'A page of uploads in progress and common prefixes',
  method: 'GET',
  path: '/-/v1/uploads/page',
  input: query(
    object<UploadPageInput>({
      ...uploadPageFields,
      bucket: name,
      keyMarker: optional(text()),
      uploadIdMarker: optional(text()),
    }),
    { limit: pageForms.limit },
  ),
  output: uploadPage,
  run: ({ store, input: { bucket, ...page }, signal }) => store.uploads.listPage(bucket, { ...page, signal }),
})

/** A page of the parts of an upload. */
export type PartPageInput = UploadRef & Omit<PartPageOptions, keyof Cancelable>

export const pageParts = valueRow<PartPageInput, PartPage>({
  name: 'PageParts',
  summary: 'A page of the parts of an upload',
  method: 'GET',
  path: '/-/v1/parts/page',
  input: query(object<PartPageInput>({ ...upload, after: optional(integer()), limit: optional(anyNumber) }), {
    after: jsonForm,
    limit: numberForm,
  }),
  output: partPage,
  run: ({ store, input: { bucket, key, uploadId, ...page }, signal }) =>
    store.uploads.listPartsPage({ bucket, key, uploadId }, { ...page, signal }),
})
