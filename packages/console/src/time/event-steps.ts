/** Steps from event to event of what a page shows: a bucket, or what is beneath a prefix of it. */

import type { Connection } from '../transport/connection.ts'
import { lastPosition, loadLogPage, type LogEvent, type LogPage, readLog } from './events.ts'

/** Back or on. */
export type Direction = -1 | 1

/** What a page shows. */
export interface Shown {
  readonly bucket: string
  readonly prefix: string
  /** Only events of these types. */
  readonly types?: string
}

/** The last events at or before a position, at most `count`, in order. */
export async function eventsUpTo(
  connection: Connection,
  shown: Shown,
  { position, count }: { readonly position: number; readonly count: number },
  signal: AbortSignal,
): Promise<readonly LogEvent[]> {
  const found: LogEvent[] = []
  let before: number | undefined = position + 1
  while (before !== undefined && found.length < count) {
    const page: LogPage = await loadLogPage(connection, { ...shown, before, limit: count - found.length }, signal)
    found.push(...page.events)
    before = page.next
  }
  return found.toReversed()
}

/** The last event of what is shown; `undefined` if there is none. */
export async function lastEventOf(
  connection: Connection,
  shown: Shown,
  signal: AbortSignal,
): Promise<LogEvent | undefined> {
  const position = await lastPosition(connection, signal)
  const [event] = await eventsUpTo(connection, shown, { position, count: 1 }, signal)
  return event
}

/** The events from one position to another, in order, at most `most`. */
async function firstEvents(
  connection: Connection,
  shown: Shown,
  { from, to, most }: { readonly from: number; readonly to?: number; readonly most: number },
  signal: AbortSignal,
): Promise<readonly LogEvent[]> {
  const events: LogEvent[] = []
  for await (const event of readLog(connection, { ...shown, from, to }, signal)) {
    events.push(event)
    if (events.length === most) break
  }
  return events
}

/** The position before the last event that a position shows: what one event less shows. */
export async function stepBack(
  connection: Connection,
  shown: Shown,
  position: number,
  signal: AbortSignal,
): Promise<number> {
  const [before, last] = await eventsUpTo(connection, shown, { position, count: 2 }, signal)
  if (before === undefined) return position
  return last === undefined ? before.seq - 1 : before.seq
}

/** The position of the next event; `undefined` if that is the last one, which is now. */
export async function stepOn(
  connection: Connection,
  shown: Shown,
  position: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const [next, second] = await firstEvents(connection, shown, { from: position + 1, most: 2 }, signal)
  return second === undefined ? undefined : next?.seq
}
