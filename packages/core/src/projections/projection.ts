/** What a projection is: states under keys, each computed from the events that concern it. */
import type { Draft } from 'immer'
import type { EventType, RecordedEvent } from '../events/index.ts'

/**
 * Changes the state under one key for one event: by changing the draft that it gets, or by returning another state.
 * `null` removes the state; nothing or `undefined` keeps the draft.
 */
export type ProjectionHandler<S, T extends EventType> = (
  state: Draft<S>,
  event: RecordedEvent<T>,
  key: string,
) => S | null | undefined | void

/**
 * A projection. Its states are JSON values other than `null`. They may depend only on the events: `verify` and
 * `rebuild` compute them again and expect the same.
 */
export interface Projection<S> {
  /** 1 to 64 letters, digits, dots, hyphens or underscores of ASCII. */
  readonly name: string
  /** The version of the code. Raise it whenever that code would make other states. From 0. */
  readonly version: number
  /** The state of a key before its first event. */
  readonly init: (key: string) => S
  /**
   * The keys whose states an event changes, at most 1280 bytes of UTF-8 each. Called for events that have a handler.
   * @default one key, the empty text
   */
  readonly key?: (event: RecordedEvent) => string | readonly string[]
  /** The handlers, by type of event. Events without a handler change nothing. */
  readonly on: { readonly [T in EventType]?: ProjectionHandler<S, T> }
}
