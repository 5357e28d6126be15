/** Forks: buckets that begin as others were. */
import { type BucketInfo, type Moment, schema } from '@varve/core'
import { bucketInfo, type OneBucket } from './bucket-rows.ts'
import { asOf, name } from './common-fields.ts'
import { valueRow } from './control-row.ts'
import { jsonBody, query } from './input.ts'

const { object, objectWith } = schema

/** A new fork. */
export interface NewFork extends OneBucket {
  /** The name of the fork. */
  readonly name: string
  /** @default as the bucket is now */
  readonly at?: Moment
}

export const forkBucket = valueRow<NewFork, BucketInfo>({
  name: 'ForkBucket',
  summary: 'Makes a bucket that begins as another one is, or was',
  method: 'POST',
  path: '/-/v1/forks',
  action: 'varve:ForkBucket',
  alsoNeeds: ({ at }) => (at === undefined ? [] : ['varve:ReadHistory']),
  input: jsonBody(object<NewFork>({ bucket: name, name, ...asOf })),
  output: bucketInfo,
  run: ({ store, input: { bucket, name: given, ...options }, signal }) =>
    store.buckets.fork(bucket, given, { ...options, signal }),
})

export const dropFork = valueRow<OneBucket, object>({
  name: 'DropFork',
  summary: 'Removes a fork with everything in it',
  method: 'DELETE',
  path: '/-/v1/fork',
  action: 'varve:DropFork',
  input: query(object<OneBucket>({ bucket: name })),
  output: objectWith<object>({}),
  async run({ store, input: { bucket }, signal }) {
    await store.buckets.drop(bucket, { signal })
    return {}
  },
})
