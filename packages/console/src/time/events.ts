/** Events of the log, as the control API sends them. */

import { schema } from '@varve/core'
import { control, controlLines } from '../control/control.ts'
import type { Query } from '../signing/percent.ts'
import type { Connection } from '../transport/connection.ts'

const { boolean, integer, literal, objectWith, optional, text } = schema

export interface LogEvent {
  readonly type: string
  /** The position in the log. */
  readonly seq: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly by: { readonly id: string; readonly name: string }
  readonly requestId?: string
  readonly data: EventData
}

/** What events have that the console reads. */
export interface EventData {
  readonly bucket?: string
  readonly key?: string
  readonly name?: string
  /** Of a version that was removed or came back. */
  readonly version?: number
  readonly deleteMarker?: boolean
  /** The version that became the newest one in its place. */
  readonly promotes?: number
  /** The version whose place a new one took. */
  readonly replaces?: number
  readonly cause?: { readonly kind: 'restore' | 'undo' | 'merge' }
}

const eventShape = objectWith<LogEvent>({
  type: text(),
  seq: integer({ min: 1 }),
  at: integer(),
  by: objectWith<LogEvent['by']>({ id: text(), name: text() }),
  requestId: optional(text()),
  data: objectWith<EventData>({
    bucket: optional(text()),
    key: optional(text()),
    name: optional(text()),
    version: optional(integer()),
    deleteMarker: optional(boolean),
    promotes: optional(integer()),
    replaces: optional(integer()),
    cause: optional(objectWith<EventData['cause'] & object>({ kind: literal('restore', 'undo', 'merge') })),
  }),
})

/** Which events to read. All fields that are given must match. */
export interface LogFilter {
  readonly bucket?: string | undefined
  readonly prefix?: string | undefined
  /** The id of an actor. */
  readonly by?: string | undefined
  readonly types?: string | undefined
  readonly requestId?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly follow?: boolean
}

/** @throws ServerError, Unreachable, `AbortError` */
export function readLog(connection: Connection, filter: LogFilter, signal: AbortSignal): AsyncGenerator<LogEvent> {
  return controlLines(connection, 'GET', 'log', { query: queryOf({ ...filter }), shape: eventShape, signal })
}

export interface LogPage {
  /** The newest first. */
  readonly events: readonly LogEvent[]
  /** Where older events are; absent at the beginning of the log. */
  readonly next?: number
}

const pageShape = objectWith<LogPage>({ events: schema.array(eventShape), next: optional(integer({ min: 1 })) })

/** How many events of the whole store one request looks at. */
const readsMax = 50_000

/** Events before a position. None may match of those that one request looks at: go on until there is no `next`. */
export function loadLogPage(
  connection: Connection,
  request: Omit<LogFilter, 'from' | 'to' | 'follow'> & {
    readonly before?: number | undefined
    readonly limit: number
  },
  signal: AbortSignal,
): Promise<LogPage> {
  const query = queryOf({ ...request, readsMax })
  return control(connection, 'GET', 'log/page', { query, shape: pageShape, signal })
}

/** The story of one key. */
export function readHistory(
  connection: Connection,
  object: { readonly bucket: string; readonly key: string },
  signal: AbortSignal,
): AsyncGenerator<LogEvent> {
  return controlLines(connection, 'GET', 'history', { query: queryOf(object), shape: eventShape, signal })
}

const positionShape = objectWith<{ readonly seq: number }>({ seq: integer({ min: 0 }) })

/** The position that a moment stands for. @throws ServerError for a moment before the log or after it */
export async function positionOf(connection: Connection, at: string, signal: AbortSignal): Promise<number> {
  const { seq } = await control(connection, 'GET', 'position', { query: [['at', at]], shape: positionShape, signal })
  return seq
}

/** The position of the last event. */
export async function lastPosition(connection: Connection, signal: AbortSignal): Promise<number> {
  const { seq } = await control(connection, 'GET', 'status', { shape: positionShape, signal })
  return seq
}

export function queryOf(given: Readonly<Record<string, string | number | boolean | undefined>>): Query {
  return Object.entries(given).flatMap(([name, value]) =>
    value === undefined || value === '' || value === false ? [] : [[name, String(value)] as const],
  )
}
