/** Buckets. */
import { type BucketInfo, type CreateBucketOptions, schema, type VersioningStatus } from '@varve/core'
import { actor, asOf, isoDate, name } from './common-fields.ts'
import { type AsOf, linesRow, valueRow } from './control-row.ts'
import { jsonBody, momentForm, query } from './input.ts'

const { integer, literal, object, objectWith, optional, record, text } = schema

const versioning: schema.Schema<VersioningStatus> = literal('Enabled', 'Suspended')

const bucketInfo = objectWith<BucketInfo>({
  name: text(),
  owner: actor,
  region: text(),
  createdAt: isoDate,
  versioning: optional(versioning),
  settings: optional(record(integer()) as schema.Schema<NonNullable<BucketInfo['settings']>>),
})

export const listBuckets = linesRow<AsOf, BucketInfo>({
  name: 'ListBuckets',
  summary: 'The buckets',
  method: 'GET',
  path: '/-/v1/buckets',
  input: query(object<AsOf>(asOf), { at: momentForm }),
  output: bucketInfo,
  run: ({ view, signal }) => view.buckets.list({ signal }),
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
  input: query(object<OneBucket & AsOf>({ bucket: name, ...asOf }), { at: momentForm }),
  output: bucketInfo,
  run: ({ view, input: { bucket }, signal }) => view.buckets.head(bucket, { signal }),
})

/** A new bucket. */
export type NewBucket = OneBucket & Pick<CreateBucketOptions, 'region' | 'versioning'>

export const createBucket = valueRow<NewBucket, BucketInfo>({
  name: 'CreateBucket',
  summary: 'Makes a bucket',
  method: 'POST',
  path: '/-/v1/buckets',
  input: jsonBody(
    object<NewBucket>({ bucket: name, region: optional(text({ min: 1 })), versioning: optional(versioning) }),
  ),
  output: bucketInfo,
  run: ({ store, input: { bucket, ...options }, signal }) => store.buckets.create(bucket, { ...options, signal }),
})

export const deleteBucket = valueRow<OneBucket, object>({
  name: 'DeleteBucket',
  summary: 'Removes an empty bucket',
  method: 'DELETE',
  path: '/-/v1/bucket',
  input: query(object<OneBucket>({ bucket: name })),
  output: objectWith<object>({}),
  async run({ store, input: { bucket }, signal }) {
    await store.buckets.delete(bucket, { signal })
    return {}
  },
})
