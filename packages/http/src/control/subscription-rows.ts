/** Subscriptions in another process: the batches of a subscription, and their acknowledgements. */
import {
  callArguments,
  type Cancelable,
  type RecordedEvent,
  schema,
  type Store,
  StorageError,
  type SubscriptionBatch,
  type SubscriptionOptions,
} from '@varve/core'
import { done, moment, name, position } from './common-fields.ts'
import { linesRow, valueRow } from './control-row.ts'
import { jsonBody, query } from './input.ts'
import { recordedEvent } from './log-rows.ts'
import { OpenHandles } from './open-handles.ts'

const { array, boolean, integer, object, objectWith, optional, text } = schema

/** Batches that wait for their acknowledgement, of all stores of this process. */
const batches = new OpenHandles<SubscriptionBatch>()

/** A subscription by its name. */
export interface OneSubscription {
  readonly name: string
}

/** How a subscription is taken. */
export type TakenSubscription = OneSubscription & Omit<SubscriptionOptions, keyof Cancelable>

/** A batch, and the name under which it is acknowledged. */
export interface BatchLine extends Pick<SubscriptionBatch, 'events' | 'from' | 'to'> {
  readonly batch: string
}

const { filterSchema } = callArguments

export const takeSubscription = linesRow<TakenSubscription, BatchLine>({
  name: 'TakeSubscription',
  summary: 'The batches of a subscription; each one comes after the acknowledgement of the one before',
  method: 'POST',
  path: '/-/v1/subscriptions/take',
  action: 'varve:Subscribe',
  isFollowing: true,
  input: jsonBody(
    object<TakenSubscription>({
      name,
      from: optional(moment),
      filter: optional(filterSchema),
      replace: optional(boolean),
      keepBytes: optional(boolean),
      batchMax: optional(integer({ min: 1, max: 1000 })),
      leaseMs: optional(integer({ min: 100, max: 86_400_000 })),
    }),
  ),
  output: objectWith<BatchLine>({
    batch: text(),
    from: position,
    to: position,
    events: array(recordedEvent as schema.Schema<RecordedEvent>),
  }),
  run: ({ store, input, signal }) => taking(store, { ...input, signal }),
})

/** The subscription is free again when the lines end, also when the client is gone. */
async function* taking(
  store: Store,
  { name: given, ...options }: OneSubscription & SubscriptionOptions,
): AsyncGenerator<BatchLine> {
  let batch: string | undefined
  try {
    for await (const next of store.subscribe(given, options)) {
      batches.delete(batch)
      batch = batches.add(next)
      yield { batch, from: next.from, to: next.to, events: next.events }
    }
  } finally {
    batches.delete(batch)
  }
}

/** A batch that was processed. */
export interface Acknowledged {
  readonly batch: string
}

export const acknowledgeBatch = valueRow<Acknowledged, object>({
  name: 'AcknowledgeBatch',
  summary: 'Moves the cursor of a subscription to the end of a batch',
  method: 'POST',
  path: '/-/v1/subscriptions/acknowledge',
  action: 'varve:Subscribe',
  input: jsonBody(object<Acknowledged>({ batch: text() })),
  output: done,
  async run({ input }) {
    const batch = batches.get(input.batch)
    if (batch === undefined) throw lost()
    await batch.acknowledge()
    return {}
  },
})

const lost = (): StorageError =>
  new StorageError('SubscriptionLost', 'No batch of this name waits for its acknowledgement.')

export const dropSubscription = valueRow<OneSubscription, object>({
  name: 'DropSubscription',
  summary: 'Removes a subscription and its cursor',
  method: 'DELETE',
  path: '/-/v1/subscription',
  action: 'varve:Subscribe',
  input: query(object<OneSubscription>({ name })),
  output: done,
  async run({ store, input }) {
    await store.subscriptions.drop(input.name)
    return {}
  },
})
