/** The store as a whole: its state, its jobs, its clock and its keys. */
import {
  type ClockStatus,
  type JobStatus,
  type KeyGenerationInfo,
  type PromoteOptions,
  type Promotion,
  schema,
  type Seq,
  type StoreState,
} from '@varve/core'
import { ofList } from './answer-holding.ts'
import { asOf, isoDate, position } from './common-fields.ts'
import { type AsOf, linesRow, valueRow } from './control-row.ts'
import { type ControlError, controlErrorOf, controlErrorShape } from './control-error.ts'
import { jsonBody, nothing, momentForm, query } from './input.ts'

const { boolean, integer, literal, number, object, objectWith, optional, text } = schema

const amount = integer({ min: 0 })

/** The state of a store. */
export interface StoreStatus {
  readonly state: StoreState
  readonly storeId: string
  readonly layout?: string | undefined
  /** The position of the last event. */
  readonly seq: Seq
}

export const getStatus = valueRow<object, StoreStatus>({
  name: 'GetStatus',
  summary: 'The state of the store, and the position of its last event',
  method: 'GET',
  path: '/-/v1/status',
  action: 'varve:ReadStatus',
  input: nothing,
  output: objectWith<StoreStatus>({
    state: literal('open', 'failed', 'closed'),
    storeId: text(),
    layout: optional(text()),
    seq: position,
  }),
  run: async ({ store: { state, storeId, layout, seq } }) => ({ state, storeId, layout, seq }),
})

/** The position that a moment stands for. */
export const getPosition = valueRow<AsOf, { readonly seq: Seq }>({
  name: 'GetPosition',
  summary: 'The position that a moment stands for',
  method: 'GET',
  path: '/-/v1/position',
  action: 'varve:ReadStatus',
  input: query(object<AsOf>(asOf), { at: momentForm }),
  output: objectWith<{ readonly seq: Seq }>({ seq: position }),
  run: async ({ store, input: { at } }) => ({ seq: at === undefined ? store.seq : (await store.at(at)).seq }),
})

type JobRun = NonNullable<JobStatus['lastRun']>

/** A background job, with the texts of its last error. */
export interface ShownJob extends Omit<JobStatus, 'lastError'> {
  readonly lastError?: { readonly at: Date; readonly error: ControlError }
}

export const listJobs = linesRow<object, ShownJob>({
  name: 'ListJobs',
  summary: 'The background jobs, with their last run and their last error',
  method: 'GET',
  path: '/-/v1/jobs',
  action: 'varve:ReadStatus',
  input: nothing,
  output: objectWith<ShownJob>({
    name: text(),
    lease: optional(objectWith<NonNullable<JobStatus['lease']>>({ since: isoDate })),
    lastRun: optional(objectWith<JobRun>({ startedAt: isoDate, endedAt: isoDate })),
    lastError: optional(objectWith<NonNullable<ShownJob['lastError']>>({ at: isoDate, error: controlErrorShape })),
    progress: optional(
      objectWith<NonNullable<ShownJob['progress']>>({ position, head: position, behindSince: optional(isoDate) }),
    ),
    pinned: optional(
      objectWith<NonNullable<ShownJob['pinned']>>({
        bytes: amount,
        givenUp: objectWith<NonNullable<ShownJob['pinned']>['givenUp']>({ contents: amount, bytes: amount }),
      }),
    ),
  }),
  async *run({ store }) {
    for (const { lastError, ...job } of store.jobs) {
      yield lastError === undefined
        ? job
        : { ...job, lastError: { at: lastError.at, error: controlErrorOf(lastError.error) } }
    }
  },
})

const clockStatus = objectWith<ClockStatus>({
  state: literal('plausible', 'waiting', 'ahead'),
  wall: isoDate,
  log: isoDate,
  believed: isoDate,
  aheadMs: number,
  waitingMs: number,
})

export const getClock = valueRow<object, ClockStatus>({
  name: 'GetClock',
  summary: 'The time of the store, and how far it trusts the clock',
  method: 'GET',
  path: '/-/v1/clock',
  action: 'varve:ReadStatus',
  input: nothing,
  output: clockStatus,
  run: async ({ store }) => store.clock.status(),
})

export const acceptClock = valueRow<object, ClockStatus>({
  name: 'AcceptClock',
  summary: 'Confirms that the clock of the machine is right; only over the local socket',
  method: 'POST',
  path: '/-/v1/clock/accept',
  // It can end locks that a stolen key of root must not end.
  isLocalOnly: true,
  input: nothing,
  output: clockStatus,
  run: ({ store }) => store.clock.accept(),
})

export const promoteStore = valueRow<PromoteOptions, Promotion>({
  name: 'PromoteStore',
  summary: 'Makes a store that follows a replica an ordinary one, in place of the writer of the replica',
  method: 'POST',
  path: '/-/v1/promote',
  input: jsonBody(object<PromoteOptions>({ takeOver: optional(boolean), withoutReplica: optional(boolean) })),
  output: objectWith<Promotion>({
    seq: integer({ min: 0 }),
    epoch: text(),
    replica: text(),
    deposed: optional(objectWith({ name: text(), term: integer({ min: 1 }) })),
  }),
  run: ({ store, context, input }) => store.as(context).promote(input),
})

export const listKeys = linesRow<object, KeyGenerationInfo>({
  name: 'ListKeys',
  summary: 'The generations of keys that objects are encrypted with',
  method: 'GET',
  path: '/-/v1/keys',
  input: nothing,
  output: objectWith<KeyGenerationInfo>({ generation: integer({ min: 0 }), master: text() }),
  async *run({ store, holding }) {
    yield* ofList(holding, await store.keys.list())
  },
})
