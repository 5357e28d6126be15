/** How many bytes the store has, and how long removed ones stay. */
import {
  type ByteRetention,
  callArguments,
  type OfBucket,
  type PrefixUsage,
  type PrefixUsageOptions,
  type PrefixUsagePage,
  type RetentionBudget,
  retentionBudgetFields,
  type RetentionState,
  schema,
  type StoreUsage,
} from '@varve/core'
import { name } from './common-fields.ts'
import { valueRow } from './control-row.ts'
import { jsonBody, numberForm, query } from './input.ts'

const { array, boolean, integer, literal, object, objectWith, optional, text } = schema

const ofBucket = query(object<OfBucket>({ bucket: optional(name) }))

export const getUsage = valueRow<OfBucket, StoreUsage>({
  name: 'GetUsage',
  summary: 'The stored bytes, versions and uploads of the store, or of one bucket',
  method: 'GET',
  path: '/-/v1/usage',
  action: 'varve:ReadStatus',
  input: ofBucket,
  output: objectWith<StoreUsage>({
    live: integer({ min: 0 }),
    kept: integer({ min: 0 }),
    pinned: integer({ min: 0 }),
    versions: integer({ min: 0 }),
    uploads: integer({ min: 0 }),
    shared: optional(integer({ min: 0 })),
    free: optional(integer({ min: 0 })),
  }),
  run: ({ store, input }) => store.usage(input),
})

/** A bucket, and how its objects are counted. */
export type CountObjects = Omit<PrefixUsageOptions, 'signal'> & Required<OfBucket>

export const getPrefixUsage = valueRow<CountObjects, PrefixUsagePage>({
  name: 'GetPrefixUsage',
  summary: 'The objects and bytes beneath the prefixes of a bucket',
  method: 'GET',
  path: '/-/v1/usage/prefixes',
  action: 'varve:ReadUsage',
  input: query(object<CountObjects>({ bucket: name, ...callArguments.prefixUsageFields }), { limit: numberForm }),
  output: objectWith<PrefixUsagePage>({
    entries: array(
      objectWith<PrefixUsage>({ prefix: text(), objects: integer({ min: 0 }), bytes: integer({ min: 0 }) }),
    ),
    isTruncated: boolean,
    next: optional(text()),
  }),
  run: ({ store, input: { bucket, ...options }, signal }) => store.prefixUsage(bucket, { ...options, signal }),
})

const state = objectWith<RetentionState>({
  keepMs: integer({ min: 0 }),
  budget: optional(objectWith<RetentionBudget>(retentionBudgetFields)),
  statedBy: literal('bucket', 'store', 'opening'),
  since: optional(integer({ min: 1 })),
})

export const getRetention = valueRow<OfBucket, RetentionState>({
  name: 'GetRetention',
  summary: 'How long removed bytes stay, in the store or in one bucket',
  method: 'GET',
  path: '/-/v1/retention',
  action: 'varve:ReadStatus',
  input: ofBucket,
  output: state,
  run: ({ store, input }) => store.retention.get(input),
})

/** A retention, and the bucket that it is for. */
export type NewRetention = ByteRetention & OfBucket

export const setRetention = valueRow<NewRetention, RetentionState>({
  name: 'SetRetention',
  summary: 'States how long removed bytes stay; only over the local socket',
  method: 'PUT',
  path: '/-/v1/retention',
  // A shorter one erases the past, which a stolen key must not do.
  isLocalOnly: true,
  input: jsonBody(
    object<NewRetention>({
      bucket: optional(name),
      keepMs: integer({ min: 0 }),
      budget: optional(object<RetentionBudget>(retentionBudgetFields)),
    }),
  ),
  output: state,
  run: ({ store, input: { bucket, ...retention } }) =>
    store.retention.set(retention, bucket === undefined ? {} : { bucket }),
})

export const removeRetention = valueRow<Required<OfBucket>, RetentionState>({
  name: 'RemoveRetention',
  summary: 'Lets a bucket follow the store again; only over the local socket',
  method: 'DELETE',
  path: '/-/v1/retention',
  isLocalOnly: true,
  input: query(object<Required<OfBucket>>({ bucket: name })),
  output: state,
  run: ({ store, input }) => store.retention.remove(input),
})
