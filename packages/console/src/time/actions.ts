/** Events of one request are one action of a person or a program. */

import type { Connection } from '../transport/connection.ts'
import { actionText } from './action-text.ts'
import { lastPosition, type LogEvent, readLog } from './events.ts'

export interface Action {
  readonly by: LogEvent['by']
  readonly requestId: string | undefined
  /** The position of its first event. */
  readonly first: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly events: number
  /** What was done, such as `deleted 48 objects, the first is a.txt`. */
  readonly text: string
}

/** How many positions of the log are looked at, from its end. */
const positionsMax = 20_000
const actionsMax = 300

export async function loadActions(
  connection: Connection,
  scope: { readonly bucket: string; readonly prefix: string },
  signal: AbortSignal,
): Promise<{ readonly actions: readonly Action[]; readonly isWhole: boolean }> {
  const last = await lastPosition(connection, signal)
  const from = Math.max(1, last - positionsMax + 1)
  const groups = new Map<string, LogEvent[]>()
  for await (const event of readLog(connection, { ...scope, from, to: Math.max(last, 1) }, signal)) {
    const name = event.requestId ?? `event ${event.seq}`
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [event])
    else group.push(event)
  }
  const actions = [...groups.values()].map(actionOf).toReversed()
  return { actions: actions.slice(0, actionsMax), isWhole: from === 1 && actions.length <= actionsMax }
}

function actionOf(events: readonly LogEvent[]): Action {
  const [first] = events as readonly [LogEvent, ...LogEvent[]]
  return {
    by: first.by,
    requestId: first.requestId,
    first: first.seq,
    at: first.at,
    events: events.length,
    text: actionText(events),
  }
}
