/** How many bytes the store has, and how long removed ones stay. */
import {
  type ByteRetention,
  callArguments,
  type OfBucket,
  type PrefixUsage,
  type PrefixUsageOptions,
  type PrefixUsagePage,
  type RetentionBudget,
  type RetentionChange,
  type RetentionPlan,
  retentionBudgetFields,
  type RetentionState,
  schema,
  type StoreUsage,
} from '@varve/core'
import { isoDate, name } from './common-fields.ts'
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

const budget = { budget: optional(object<RetentionBudget>(retentionBudgetFields)) }

const state = objectWith<RetentionState>({
  keepMs: integer({ min: 0 }),
  ...budget,
  statedBy: literal('bucket', 'store', 'opening'),
  since: optional(integer({ min: 1 })),
  before: optional(
    objectWith<NonNullable<RetentionState['before']>>({ keepMs: integer({ min: 0 }), ...budget, until: isoDate }),
  ),
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

const change = { bucket: optional(name), graceMs: optional(integer({ min: 0 })) }

/** A retention, the bucket that it is for, and how it begins to count. */
export type NewRetention = ByteRetention & OfBucket & RetentionChange

export const setRetention = valueRow<NewRetention, RetentionState>({
  name: 'SetRetention',
  summary: 'States how long removed bytes stay; only over the local socket',
  method: 'PUT',
  path: '/-/v1/retention',
  // A shorter one erases the past, which a stolen key must not do.
  isLocalOnly: true,
  input: jsonBody(object<NewRetention>({ ...change, keepMs: integer({ min: 0 }), ...budget })),
  output: state,
  run: ({ store, input: { bucket, graceMs, ...retention } }) =>
    store.retention.set(retention, { ...(bucket !== undefined && { bucket }), ...(graceMs && { graceMs }) }),
})

/** The bucket, and how the retention of the store begins to count for it. */
export type RemovedRetention = Required<OfBucket> & RetentionChange

export const removeRetention = valueRow<RemovedRetention, RetentionState>({
  name: 'RemoveRetention',
  summary: 'Lets a bucket follow the store again; only over the local socket',
  method: 'DELETE',
  path: '/-/v1/retention',
  isLocalOnly: true,
  input: query(object<RemovedRetention>({ bucket: name, graceMs: change.graceMs }), { graceMs: numberForm }),
  output: state,
  run: ({ store, input }) => store.retention.remove(input),
})

/** A retention that is planned. Without `keepMs`, the bucket follows the store again. */
export type PlannedRetention = Partial<ByteRetention> & OfBucket & RetentionChange

export const planRetention = valueRow<PlannedRetention, RetentionPlan>({
  name: 'PlanRetention',
  summary: 'What a change of the retention would let go',
  method: 'POST',
  path: '/-/v1/retention/plan',
  action: 'varve:ReadStatus',
  input: jsonBody(object<PlannedRetention>({ ...change, keepMs: optional(integer({ min: 0 })), ...budget })),
  output: objectWith<RetentionPlan>({
    isShorter: boolean,
    erases: objectWith<RetentionPlan['erases']>({ contents: integer({ min: 0 }), bytes: integer({ min: 0 }) }),
  }),
  run: ({ store, input: { bucket, graceMs, keepMs, budget: room } }) =>
    store.retention.plan(keepMs === undefined ? null : { keepMs, ...(room && { budget: room }) }, {
      ...(bucket !== undefined && { bucket }),
      ...(graceMs && { graceMs }),
    }),
})
