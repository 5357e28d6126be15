/** Objects and their bytes. */
import {
  contentHeaderFields,
  type ContentHeaders,
  type CopyResult,
  type CopySource,
  type DeleteOptions,
  type DeleteResult,
  type ObjectInfo,
  type PutOptions,
  type PutResult,
  schema,
} from '@varve/core'
import { asOf, type Place, place } from './common-fields.ts'
import { type AsOf, bytesRow, valueRow } from './control-row.ts'
import { flagForm, jsonBody, jsonForm, momentForm, query } from './input.ts'
import { copyResult, deleteResult, objectInfo, putResult } from './object-shapes.ts'

const { boolean, literal, object, optional, record, text } = schema

/** A version of an object. */
export interface OneVersion extends Place, AsOf {
  /** @default the newest */
  readonly versionId?: string
}

const oneVersion = query(object<OneVersion>({ ...place, versionId: optional(text()), ...asOf }), {
  at: momentForm,
})

const chosen = ({ versionId }: OneVersion) => (versionId === undefined ? {} : { versionId })

export const headObject = valueRow<OneVersion, ObjectInfo>({
  name: 'HeadObject',
  summary: 'The facts of an object',
  method: 'GET',
  path: '/-/v1/object',
  input: oneVersion,
  output: objectInfo,
  run: ({ view, input, signal }) => view.objects.head(input.bucket, input.key, { ...chosen(input), signal }),
})

export const getContent = bytesRow<OneVersion>({
  name: 'GetContent',
  summary: 'The bytes of an object',
  method: 'GET',
  path: '/-/v1/content',
  input: oneVersion,
  run: ({ view, input, signal }) => view.objects.get(input.bucket, input.key, { ...chosen(input), signal }),
})

type Written = ContentHeaders & Pick<PutOptions, 'metadata' | 'storageClass' | 'ifMatch' | 'ifNoneMatch'>

const written: schema.FieldsOf<Written> = {
  ...contentHeaderFields,
  metadata: optional(record(text())),
  storageClass: optional(text()),
  ifMatch: optional(text()),
  ifNoneMatch: optional(literal('*')),
}

/** A new object, whose bytes are the body of the request. */
export type NewContent = Place & Written

export const putContent = valueRow<NewContent, PutResult>({
  name: 'PutContent',
  summary: 'Stores the bytes of the body as an object',
  method: 'PUT',
  path: '/-/v1/content',
  input: query(object<NewContent>({ ...place, ...written }), { metadata: jsonForm }),
  output: putResult,
  run: ({ store, input: { bucket, key, ...options }, body, signal }) =>
    store.objects.put(bucket, key, body, { ...options, signal }),
})

type Source = Pick<CopySource, 'bucket' | 'key' | 'versionId' | 'at'>

/** A copy of an object. */
export interface Copy extends Place {
  readonly source: Source
}

export const copyObject = valueRow<Copy, CopyResult>({
  name: 'CopyObject',
  summary: 'Copies an object, without moving its bytes',
  method: 'POST',
  path: '/-/v1/copy',
  input: jsonBody(
    object<Copy>({ ...place, source: object<Source>({ ...place, versionId: optional(text()), ...asOf }) }),
  ),
  output: copyResult,
  run: ({ store, input: { source, bucket, key }, signal }) => store.objects.copy(source, bucket, key, { signal }),
})

/** What is deleted: an object, or one version of it. */
export type Deleted = Place & Pick<DeleteOptions, 'versionId' | 'ifMatch' | 'bypassGovernance'>

export const deleteObject = valueRow<Deleted, DeleteResult>({
  name: 'DeleteObject',
  summary: 'Deletes an object, or removes a version',
  method: 'DELETE',
  path: '/-/v1/object',
  input: query(
    object<Deleted>({
      ...place,
      versionId: optional(text()),
      ifMatch: optional(text()),
      bypassGovernance: optional(boolean),
    }),
    { bypassGovernance: flagForm },
  ),
  output: deleteResult,
  run: ({ store, input: { bucket, key, ...options }, signal }) =>
    store.objects.delete(bucket, key, { ...options, signal }),
})
