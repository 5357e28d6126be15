/** Reports requests to the observer of the service. */

import { setTimeout as pause } from 'node:timers/promises'
import { listenerErrorText, type Observer, Observing } from '@varve/core'
import type { Trace } from '../contract/wire-request.ts'
import { toWireError } from '../errors/wire-error.ts'
import { turn } from '../turns/turn.ts'

/** A request that is over. */
export interface EndedRequest extends Pick<Trace, 'operation'> {
  readonly status: number
  readonly durationMs: number
  readonly bytesReceived: number
  readonly bytesSent: number
  readonly error?: unknown
}

export function observingOf(observer: Observer | undefined): Observing | undefined {
  if (observer === undefined) return undefined
  return new Observing(observer, { warn: warnOfObserver, now: () => performance.now(), pause: (ms) => pause(ms) })
}

export function reportRequest(observing: Observing, request: EndedRequest): void {
  const { operation, status, durationMs, bytesReceived, bytesSent, error } = request
  observing.request?.({
    operation,
    status,
    durationMs,
    bytesIn: bytesReceived,
    bytesOut: bytesSent,
    errorCode: error === undefined ? undefined : toWireError(error).code,
  })
  observing.queue?.({ name: 'turns', depth: turn.waiting })
}

function warnOfObserver(error: unknown): void {
  process.emitWarning(`The observer of a server failed: ${listenerErrorText(error)}`, 'VarveListenerWarning')
}
