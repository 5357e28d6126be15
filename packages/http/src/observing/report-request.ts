/** Reports requests to the observer of the service. */

import { setTimeout as pause } from 'node:timers/promises'
import { listenerErrorText, type Observer, Observing } from '@varve/core'
import type { RequestLog } from '../contract/request-log.ts'
import { turn } from '../turns/turn.ts'

export function observingOf(observer: Observer | undefined): Observing | undefined {
  if (observer === undefined) return undefined
  return new Observing(observer, { warn: warnOfObserver, now: () => performance.now(), pause: (ms) => pause(ms) })
}

export function reportRequest(observing: Observing, request: RequestLog): void {
  const { operation, status, durationMs, bytesReceived, bytesSent, errorCode } = request
  observing.request?.({
    operation,
    status,
    durationMs,
    bytesIn: bytesReceived,
    bytesOut: bytesSent,
    errorCode,
  })
  observing.queue?.({ name: 'turns', depth: turn.waiting })
}

function warnOfObserver(error: unknown): void {
  process.emitWarning(`The observer of a server failed: ${listenerErrorText(error)}`, 'VarveListenerWarning')
}
