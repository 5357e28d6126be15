/** Buckets. */
import { type BucketInfo, callArguments, type CreateBucketOptions, schema, type VersioningStatus } from '@varve/core'
import { actor, asOf, done, isoDate, name, settingsBytesMax } from './common-fields.ts'
import { type AsOf, linesRow, valueRow } from './control-row.ts'
import { jsonBody, momentForm, query } from './input.ts'

const { integer, literal, object, objectWith, optional, record, text } = schema

const versioning: schema.Schema<VersioningStatus> = literal('Enabled', 'Suspended')

export const bucketInfo = objectWith<BucketInfo>({
  name: text(),
  seq: integer(),
  owner: actor,
  region: text(),
  createdAt: isoDate,
  versioning: optional(versioning),
  settings: optional(record(integer()) as schema.Schema<NonNullable<BucketInfo['settings']>>),
  base: optional(object<NonNullable<BucketInfo['base']>>({ bucket: text(), seq: integer() })),
})

/** Which buckets are listed. */
export interface ListedBuckets extends AsOf {
  readonly prefix?: string
}

export const listBuckets = linesRow<ListedBuckets, BucketInfo>({
  name: 'ListBuckets',
  summary: 'The buckets',
  method: 'GET',
  path: '/-/v1/buckets',
  isTransactional: true,
  input: query(object<ListedBuckets>({ prefix: optional(text()), ...asOf }), { at: momentForm }),
  output: bucketInfo,
  run: ({ view, input: { at: _at, ...options }, signal }) => view.buckets.list({ ...options, signal }),
})

/** A bucket. */
export interface OneBucket {
  readonly bucket: string
}

export const headBucket = valueRow<OneBucket & AsOf, BucketInfo>({
  name: 'HeadBucket',
  summary: 'The facts of a bucket',
  method: 'GET',
  path: '/-/v1/bucket',
  isTransactional: true,
  input: query(object<OneBucket & AsOf>({ bucket: name, ...asOf }), { at: momentForm }),
  output: bucketInfo,
  run: ({ view, input: { bucket }, signal }) => view.buckets.head(bucket, { signal }),
})

/** A new bucket. */
export type NewBucket = OneBucket & Pick<CreateBucketOptions, 'region' | 'versioning' | 'settings' | 'owner'>

export const createBucket = valueRow<NewBucket, BucketInfo>({
  name: 'CreateBucket',
  summary: 'Makes a bucket',
  method: 'POST',
  path: '/-/v1/buckets',
  isTransactional: true,
  input: jsonBody(
    object<NewBucket>({
      bucket: name,
      region: optional(text({ min: 1 })),
      versioning: optional(versioning),
      settings: optional(callArguments.bucketSettings),
      owner: optional(actor),
    }),
    settingsBytesMax,
  ),
  output: bucketInfo,
  run: ({ acting, input: { bucket, ...options }, signal }) => acting.buckets.create(bucket, { ...options, signal }),
})

/** The versioning of a bucket. */
export interface NewVersioning extends OneBucket {
  readonly status: VersioningStatus
}

export const setVersioning = valueRow<NewVersioning, object>({
  name: 'SetVersioning',
  summary: 'Enables or suspends the versioning of a bucket',
  method: 'PUT',
  path: '/-/v1/versioning',
  isTransactional: true,
  input: jsonBody(object<NewVersioning>({ bucket: name, status: versioning })),
  output: done,
  async run({ acting, input: { bucket, status }, signal }) {
    await acting.buckets.setVersioning(bucket, status, { signal })
    return {}
  },
})

export const deleteBucket = valueRow<OneBucket, object>({
  name: 'DeleteBucket',
  summary: 'Removes an empty bucket',
  method: 'DELETE',
  path: '/-/v1/bucket',
  isTransactional: true,
  input: query(object<OneBucket>({ bucket: name })),
  output: done,
  async run({ acting, input: { bucket }, signal }) {
    await acting.buckets.delete(bucket, { signal })
    return {}
  },
})
