/** The log: all events, and the history of one key. */
import {
  callArguments,
  type DensityOptions,
  type DensitySlice,
  type EventType,
  type LogOptions,
  type LogPage,
  type LogPageOptions,
  type RecordedEvent,
  schema,
  StorageError,
} from '@varve/core'
import { actor, isoDate, moment, name, type Place, place } from './common-fields.ts'
import { linesRow, valueRow } from './control-row.ts'
import { flagForm, listForm, momentForm, numberForm, query } from './input.ts'

const { array, boolean, integer, json, Mismatch, object, objectWith, optional, text, word } = schema

/** The types of events are not checked: a newer release may have more of them. */
const envelope = objectWith<
  Omit<RecordedEvent, 'type' | 'data'> & { readonly type: string; readonly data: schema.Json }
>({
  seq: integer({ min: 1 }),
  at: integer(),
  by: actor,
  requestId: text(),
  epoch: optional(text()),
  prev: text(),
  type: text(),
  data: json,
})

/** An event of the log, as JSON has it. */
export const recordedEvent = {
  get json() {
    return envelope.json ?? {}
  },
  read(value: unknown, bounds: schema.Bounds): RecordedEvent {
    const event = envelope.read(value, bounds)
    if (typeof event.data !== 'object' || event.data === null) throw Mismatch.wrongType('an object', event.data)
    return event as unknown as RecordedEvent
  },
  accepts: (value: unknown) => envelope.accepts(value),
}

function positionIn(lastId: string): number {
  if (/^\d{1,15}$/.test(lastId)) return Number(lastId)
  throw new StorageError('InvalidArgument', 'Last-Event-ID must be a position in the log.', {
    details: { ArgumentName: 'Last-Event-ID' },
  })
}

/** A part of the log. */
export type ReadLog = Omit<LogOptions, 'signal'>

export const readLog = linesRow<ReadLog, RecordedEvent>({
  name: 'ReadLog',
  summary: 'The events of the log that match all arguments, in order',
  method: 'GET',
  path: '/-/v1/log',
  action: 'varve:ReadLog',
  input: query(
    object<ReadLog>({
      from: optional(integer({ min: 1 })),
      to: optional(integer({ min: 0 })),
      follow: optional(boolean),
      since: optional(moment),
      until: optional(moment),
      bucket: optional(name),
      prefix: optional(name),
      by: optional(text()),
      // The store refuses types that it does not have.
      types: optional(array(word<EventType>())),
      requestId: optional(text()),
    }),
    {
      from: numberForm,
      to: numberForm,
      follow: flagForm,
      since: momentForm,
      until: momentForm,
      types: listForm,
    },
  ),
  output: recordedEvent,
  stream: {
    idOf: ({ seq }) => String(seq),
    typeOf: ({ type }) => type,
    after: (input, lastId) => ({
      ...input,
      follow: true,
      ...(lastId !== undefined && { from: positionIn(lastId) + 1 }),
    }),
  },
  async *run({ store, input, signal }) {
    yield* store.log({ ...input, signal })
    // The log of a closed store ends. Its follower must not take that for the last event it wanted.
    if (input.follow === true && store.state === 'closed') {
      throw new StorageError('StoreClosed', 'The store was closed by its owner.')
    }
  },
})

/** A page of the log, backwards. */
export type PageLog = Omit<LogPageOptions, 'signal'>

export const pageLog = valueRow<PageLog, LogPage>({
  name: 'PageLog',
  summary: 'The events of the log that match all arguments, the newest first, page by page',
  method: 'GET',
  path: '/-/v1/log/page',
  action: 'varve:ReadLog',
  input: query(object<PageLog>({ ...callArguments.logPageFields, types: optional(array(word<EventType>())) }), {
    types: listForm,
    before: numberForm,
    limit: numberForm,
    readsMax: numberForm,
  }),
  output: objectWith<LogPage>({ events: array(recordedEvent), next: optional(integer({ min: 1 })) }),
  run: ({ store, input, signal }) => store.logPage({ ...input, signal }),
})

/** Which events are counted. */
export type CountEvents = Omit<DensityOptions, 'signal'>

export const countEvents = valueRow<CountEvents, { readonly slices: readonly DensitySlice[] }>({
  name: 'CountEvents',
  summary: 'How many events there are over time, in slices of equal length',
  method: 'GET',
  path: '/-/v1/log/density',
  action: 'varve:ReadLog',
  input: query(
    object<CountEvents>({
      ...callArguments.densityFields,
      since: optional(moment),
      until: optional(moment),
      types: optional(array(word<EventType>())),
    }),
    { since: momentForm, until: momentForm, types: listForm, steps: numberForm, readsMax: numberForm },
  ),
  output: objectWith<{ readonly slices: readonly DensitySlice[] }>({
    slices: array(
      objectWith<DensitySlice>({
        from: isoDate,
        until: isoDate,
        last: integer({ min: 0 }),
        events: integer({ min: 0 }),
        matching: integer({ min: 0 }),
        isExact: boolean,
      }),
    ),
  }),
  run: async ({ store, input, signal }) => ({ slices: await store.density({ ...input, signal }) }),
})

export const readHistory = linesRow<Place, RecordedEvent>({
  name: 'ReadHistory',
  summary: 'The events of one key, in order',
  method: 'GET',
  path: '/-/v1/history',
  // It shows also what earlier buckets of that name held, whoever owned them.
  action: 'varve:ReadLog',
  input: query(object<Place>(place)),
  output: recordedEvent,
  run: ({ store, input: { bucket, key }, signal }) => store.history(bucket, key, { signal }),
})
