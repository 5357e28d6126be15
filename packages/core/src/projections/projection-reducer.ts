/** Computes the rows of a projection: one for each key, its state as JSON. */
import { produce } from 'immer'
import { decodeUtf8, encodeUtf8, isWellFormed } from '../bytes/utf8.ts'
import type { EventType, RecordedEvent } from '../events/index.ts'
import type { Reducer } from '../keyspaces/reducer.ts'
import { json } from '../schema/json.ts'
import { Mismatch } from '../schema/schema.ts'
import type { Projection, ProjectionHandler } from './projection.ts'

/** A projection whose type of state is not known. */
export type AnyProjection = Projection<unknown>

/** Throws what the functions of the projection throw, and a `TypeError` for a state that is not JSON. */
export const projectionReducer =
  (projection: AnyProjection): Reducer =>
  async (event, rows) => {
    const handler = projection.on[event.type] as ProjectionHandler<unknown, EventType> | undefined
    if (handler === undefined) return
    for (const key of keysOf(projection, event)) {
      const place = encodeUtf8(key)
      const stored = await rows.get(place)
      const before = stored === undefined ? projection.init(key) : readState(stored)
      const after = applied(handler, before, event, key)
      if (after === removed) rows.delete(place)
      else if (stored === undefined || after !== before) rows.put(place, writtenState(after))
    }
  }

/** The keys of an event, each once. */
function keysOf({ key }: AnyProjection, event: RecordedEvent): ReadonlySet<string> {
  if (key === undefined) return new Set([''])
  const given: unknown = key(event)
  const keys = new Set<string>()
  for (const one of Array.isArray(given) ? (given as readonly unknown[]) : [given]) {
    if (typeof one !== 'string' || !isWellFormed(one)) throw new TypeError('A key must be well-formed text.')
    keys.add(one)
  }
  return keys
}

const removed = Symbol('removed')

function applied(
  handler: ProjectionHandler<unknown, EventType>,
  before: unknown,
  event: RecordedEvent,
  key: string,
): unknown {
  let isRemoved = false
  const after: unknown = produce(before, (draft: unknown) => {
    const returned = handler(draft, event, key)
    isRemoved = returned === null
    return isRemoved ? undefined : returned
  })
  return isRemoved ? removed : after
}

/** The state that a row holds. */
export const readState = (value: Uint8Array): unknown => JSON.parse(decodeUtf8(value))

function writtenState(state: unknown): Uint8Array {
  if (state === null) throw new TypeError('A state must not be null: return null to remove it.')
  try {
    return encodeUtf8(JSON.stringify(json.read(state)))
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error
    const place = ['state', ...error.path].join('.')
    throw new TypeError(`${place} ${error.problem}.`, { cause: error })
  }
}
