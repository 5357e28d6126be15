/** The server as listeners for a `node:http` server. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Observing, StorageError } from '@varve/core'
import { shareOf } from '../addresses/share-of.ts'
import type { Identity } from '../access/identity.ts'
import type { Sessions } from '../credentials/identity-directory.ts'
import { checkHandlerOptions, checkIdentities, checkSessions } from './checked-options.ts'
import { wireResponse } from '../render/wire-response.ts'
import { answerClientError } from './client-error.ts'
import { reportRequest } from '../observing/report-request.ts'
import type { RequestLog } from '../contract/request-log.ts'
import { auditRequest } from '../observing/audit.ts'
import { logRequest } from '../observing/request-logger.ts'
import { exchange, newRequestId } from './exchange.ts'
import { type ConnectionWatch, OneAtATime } from './one-at-a-time.ts'
import { toOriginForm } from './request-framing.ts'
import { writeHead } from './response-head.ts'
import { senderBehind } from './trusted-proxies.ts'
import { createService } from '../pipeline/service-options.ts'
import { turn } from '../turns/turn.ts'
import type { HandlerOptions } from './server-options.ts'

/**
 * Listeners for the events of the same name. `upgrade` and `connect` have no listener on purpose: without one, Node
 * ignores an upgrade and closes the connection of a CONNECT.
 */
export interface Handler {
  readonly request: (request: IncomingMessage, response: ServerResponse) => void
  readonly checkContinue: (request: IncomingMessage, response: ServerResponse) => void
  readonly checkExpectation: (request: IncomingMessage, response: ServerResponse) => void
  readonly clientError: (error: NodeJS.ErrnoException, socket: Duplex) => void
  /** See `RunningServer`. */
  replaceIdentities(identities: readonly Identity[], sessions?: Sessions): void
  /**
   * From now on every answer is the last on its connection. Resolves when no request is in progress and the observer
   * has received all requests.
   */
  drain(): Promise<void>
}

/** A handler, and the observer of its requests. */
interface ObservedHandler extends Handler {
  readonly observing: Observing | undefined
}

/** The steps that the cheapest request takes. */
const stepsOfRequest = 50_000

/** @throws StorageError `InvalidArgument` for invalid options */
export function createHandler(options: HandlerOptions): Handler {
  const { observing: _, ...handler } = handlerFor(checkHandlerOptions(options))
  return handler
}

/** @param options Checked options. */
export function handlerFor(options: HandlerOptions, connections?: ConnectionWatch): ObservedHandler {
  const service = createService(options)
  const {
    log,
    requestLog,
    auditLog,
    accessLog,
    minimumSpeed = { bytesPerSecond: 1024, windowMs: 30_000 },
    trustedProxies,
  } = options
  const senderOf = senderBehind(trustedProxies)
  const lines = new OneAtATime(connections)
  const { observing } = service
  const ended = (entry: RequestLog): void => {
    if (observing !== undefined) reportRequest(observing, entry)
    if (requestLog !== undefined) logRequest(requestLog, entry)
    if (auditLog !== undefined) auditRequest(auditLog, entry)
    log?.(entry)
  }

  const take = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    toOriginForm(request)
    lines.take(response, (isLast) => {
      const begin = () => {
        // The client went away while the request waited for its turn.
        if (response.closed) return
        turn.spend(stepsOfRequest)
        const sender = senderOf(request)
        const options = { minimumSpeed, expectsContinue, isLast, sender, accessLog, ended }
        void exchange(service, request, response, options)
      }
      if (turn.isOver) void turn.next(shareOf(senderOf(request).address)).then(begin)
      else begin()
    })
  }
  return {
    observing,
    request: take(false),
    checkContinue: take(true),
    checkExpectation(request, response) {
      const { method = '', headers: requestHeaders } = request
      // An empty `Expect` header expects nothing.
      const expectsNothing = requestHeaders.expect?.trim() === '' || service.dialect.otherExpectations === 'passed-over'
      if (expectsNothing) return take(false)(request, response)
      const { status, headers } = wireResponse({ status: 417 }, seal(method))
      lines.take(response, () => writeHead(response, status, { ...headers, connection: 'close' }).end())
    },
    clientError: (error, socket) => answerClientError(error, socket, seal('GET')),
    replaceIdentities: (given, sessions) => service.identities.replace(checkIdentities(given), checkSessions(sessions)),
    async drain() {
      service.stopping.abort(new StorageError('StoreClosed', 'The server was stopped.'))
      await lines.drain()
      await accessLog?.close()
      observing?.end()
    },
  }

  function seal(method: string) {
    return { method, requestId: newRequestId(), now: service.now(), guard: service.guard([]) }
  }
}
