/** Undo of requests, by the control API. */

import { schema } from '@varve/core'
import type { Connection } from '../transport/connection.ts'
import { controlLines } from './control.ts'

interface UndoLine {
  readonly result?: { readonly events: number }
}

const undoLine = schema.objectWith<UndoLine>({
  result: schema.optional(schema.objectWith<{ readonly events: number }>({ events: schema.integer({ min: 0 }) })),
})

/**
 * Undoes requests, the last one first, and returns the number of events that it undid.
 * @throws ServerError `UndoConflict` if others changed the same keys since
 */
export async function undoRequests(connection: Connection, requestIds: readonly string[]): Promise<number> {
  let events = 0
  for (const requestId of requestIds.toReversed()) {
    const json = { requestId, inParts: true }
    for await (const { result } of controlLines(connection, 'POST', 'undo', { json, shape: undoLine })) {
      events += result?.events ?? 0
    }
  }
  return events
}
