/** Who follows the log: the subscriptions and the projections of the store. */
import { type EventFilter, type EventType, type ProjectionInfo, schema, type SubscriptionInfo } from '@varve/core'
import { ofList } from './answer-holding.ts'
import { isoDate, position } from './common-fields.ts'
import { linesRow } from './control-row.ts'
import { nothing } from './input.ts'

const { array, boolean, integer, literal, objectWith, optional, text, word } = schema

const count = integer({ min: 0 })

const filter = objectWith<EventFilter>({
  bucket: optional(text()),
  prefix: optional(text()),
  by: optional(text()),
  types: optional(array(word<EventType>())),
  requestId: optional(text()),
})

const lease = objectWith<NonNullable<SubscriptionInfo['lease']>>({
  epoch: count,
  isHere: boolean,
  expires: optional(isoDate),
})

export const listSubscriptions = linesRow<object, SubscriptionInfo>({
  name: 'ListSubscriptions',
  summary: 'The subscriptions to the log, with their cursors and holders',
  method: 'GET',
  path: '/-/v1/subscriptions',
  action: 'varve:ReadStatus',
  input: nothing,
  output: objectWith<SubscriptionInfo>({
    name: text(),
    filter,
    keepsBytes: boolean,
    cursor: position,
    lag: count,
    lease: optional(lease),
  }),
  async *run({ store, holding }) {
    yield* ofList(holding, await store.subscriptions.list())
  },
})

export const listProjections = linesRow<object, ProjectionInfo>({
  name: 'ListProjections',
  summary: 'The stored versions of projections, with their cursors',
  method: 'GET',
  path: '/-/v1/projections',
  action: 'varve:ReadStatus',
  input: nothing,
  output: objectWith<ProjectionInfo>({
    name: text(),
    version: count,
    cursor: position,
    lag: count,
    state: literal('building', 'ready'),
  }),
  async *run({ store, holding }) {
    yield* ofList(holding, await store.projections.list())
  },
})
