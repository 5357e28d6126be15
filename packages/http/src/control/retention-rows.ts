/** How many bytes the store has, and how long removed ones stay. */
import {
  type ByteRetention,
  type OfBucket,
  type RetentionBudget,
  retentionBudgetFields,
  type RetentionState,
  schema,
  type StoreUsage,
} from '@varve/core'
import { name } from './common-fields.ts'
import { valueRow } from './control-row.ts'
import { jsonBody, query } from './input.ts'

const { integer, literal, object, objectWith, optional } = schema

const ofBucket = query(object<OfBucket>({ bucket: optional(name) }))

export const getUsage = valueRow<OfBucket, StoreUsage>({
  name: 'GetUsage',
  summary: 'The stored bytes of the store, or of one bucket',
  method: 'GET',
  path: '/-/v1/usage',
  action: 'varve:ReadStatus',
  input: ofBucket,
  output: objectWith<StoreUsage>({
    live: integer({ min: 0 }),
    kept: integer({ min: 0 }),
    pinned: integer({ min: 0 }),
    free: optional(integer({ min: 0 })),
  }),
  run: ({ store, input }) => store.usage(input),
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
