/** What an operation of the control API is: where it is found, what it takes, what it answers. */
import type {
  Moment,
  ObjectContent,
  ObjectInfo,
  PastStore,
  schema,
  Store,
  StoreContext,
  Transaction,
} from '@varve/core'
import type { VarveAction } from '../policies/actions.ts'
import type { AnswerHolding } from './answer-holding.ts'
import type { Input } from './input.ts'

/** The reads that a store answers in its newest state and as of a position. */
export type StoreView = Pick<PastStore, 'buckets' | 'objects' | 'versions'>

/** Operations that read take it: the moment whose state they answer. */
export interface AsOf {
  /** @default the newest state */
  readonly at?: Moment
}

/** A request, checked. */
export interface ControlCall<I extends object> {
  readonly store: Store
  /** Who calls. */
  readonly context: Pick<StoreContext, 'by' | 'requestId'>
  /** What changes of buckets, objects and versions go to: the store, or the open transaction that the request names. */
  readonly acting: Pick<Transaction, 'buckets' | 'objects' | 'versions'>
  /** As `acting`; the store as of `at`, if the input has one. */
  readonly view: StoreView
  readonly input: I
  /** The bytes of the request. Empty for most operations. */
  readonly body: AsyncIterable<Uint8Array>
  /** A trailer of the request, once its body was read. */
  trailer(name: string): string | undefined
  /** Reserves what the answer holds until it was sent. */
  readonly holding: AnswerHolding
  /** Aborts when the client is gone, and when the store closes. */
  readonly signal: AbortSignal
}

interface Row<I extends object> {
  readonly name: string
  /** One line for the description of the API. */
  readonly summary: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly input: Input<I>
  /**
   * What an identity must be allowed on the whole store, over HTTP. Absent: only root may use the operation. Over the
   * local socket there are no permissions.
   */
  readonly action?: VarveAction
  /** What it needs besides `action` for these arguments. @default nothing */
  alsoNeeds?(input: I): readonly VarveAction[]
  /** The operation can be part of an open transaction. @default false */
  readonly isTransactional?: boolean
  /** Not even root may use the operation over HTTP. @default false */
  readonly isLocalOnly?: boolean
}

/** Reads a value of an answer that was parsed from JSON. @throws Mismatch */
interface Output<O> {
  read(value: unknown, bounds: schema.Bounds): O
  readonly json?: schema.JsonSchema
}

/** Answers one JSON value. */
export interface ValueRow<I extends object, O> extends Row<I> {
  readonly gives: 'value'
  readonly output: Output<O>
  run(call: ControlCall<I>): Promise<O>
}

/** How values are sent as server-sent events, to clients that accept `text/event-stream`. */
export interface EventStream<I extends object, O> {
  idOf(value: O): string
  typeOf(value: O): string
  /**
   * The arguments of a stream, which goes on after the event that the client got last, if it got one.
   * @throws StorageError `InvalidArgument`
   */
  after(input: I, lastId: string | undefined): I
}

/** Answers any number of JSON values, one per line. */
export interface LinesRow<I extends object, O> extends Row<I> {
  readonly gives: 'lines'
  readonly output: Output<O>
  /** Absent: the values are only sent as lines. */
  readonly stream?: EventStream<I, O>
  /** The lines may come at any time later, so the answer begins without one. @default those of `follow` */
  readonly isFollowing?: boolean
  run(call: ControlCall<I>): AsyncIterable<O>
}

/** Answers the bytes of an object. */
export interface BytesRow<I extends object> extends Row<I> {
  readonly gives: 'bytes'
  /** The facts of the object, which programs get in a line before the bytes. */
  readonly output: Output<ObjectInfo>
  run(call: ControlCall<I>): Promise<ObjectContent>
}

/** Any operation of the control API. */
export type ControlRow = ValueRow<object, unknown> | LinesRow<object, unknown> | BytesRow<object>

export const valueRow = <I extends object, O>(row: Omit<ValueRow<I, O>, 'gives'>): ValueRow<I, O> => ({
  ...row,
  gives: 'value',
})

export const linesRow = <I extends object, O>(row: Omit<LinesRow<I, O>, 'gives'>): LinesRow<I, O> => ({
  ...row,
  gives: 'lines',
})

export const bytesRow = <I extends object>(row: Omit<BytesRow<I>, 'gives'>): BytesRow<I> => ({ ...row, gives: 'bytes' })
