/** The door as listeners for a `node:http` server. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { wireResponse } from './render/wire-response.ts'
import { answerClientError } from './server/client-error.ts'
import { exchange, newRequestId } from './server/exchange.ts'
import type { RequestLog } from './server/exchange.ts'
import type { MinimumSpeed } from './server/minimum-speed.ts'
import { OneAtATime } from './server/one-at-a-time.ts'
import { senderBehind } from './server/trusted-proxies.ts'
import { createService } from './service-options.ts'
import { turn } from './turns/turn.ts'
import type { ServiceOptions } from './service-options.ts'

export interface HandlerOptions extends ServiceOptions {
  /** Told about every request when it is over. What it throws is passed over. */
  readonly log?: (entry: RequestLog) => void
  /** What a body must come in at, or `RequestTimeout`. @default 1 KiB/s over 30 s */
  readonly minimumSpeed?: MinimumSpeed
  /**
   * Addresses and ranges (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed, for conditions
   * of policies and for the addresses that answers name. @default none
   */
  readonly trustedProxies?: readonly string[]
}

/** Told when a request of a connection begins, and when it is over. */
export interface ConnectionWatch {
  busy(connection: Socket): void
  idle(connection: Socket): void
}

/**
 * Listeners for the events of the same name. `upgrade` and `connect` have none on purpose: without, Node passes over the
 * one and closes the connection of the other.
 */
export interface Handler {
  readonly request: (request: IncomingMessage, response: ServerResponse) => void
  readonly checkContinue: (request: IncomingMessage, response: ServerResponse) => void
  readonly checkExpectation: (request: IncomingMessage, response: ServerResponse) => void
  readonly clientError: (error: NodeJS.ErrnoException, socket: Duplex) => void
  /** From now on every answer is the last on its connection. Resolves when none is under way. */
  drain(): Promise<void>
}

/** @throws TypeError for options that cannot be. */
/** What the least of requests takes until it is answered. */
const stepsOfRequest = 20_000

export function createHandler(options: HandlerOptions, connections?: ConnectionWatch): Handler {
  const service = createService(options)
  const { log, minimumSpeed = { bytesPerSecond: 1024, windowMs: 30_000 }, trustedProxies } = options
  const senderOf = senderBehind(trustedProxies)
  const underWay = new Set<ServerResponse>()
  let drained: (() => void) | undefined
  const lines = new OneAtATime()

  const take = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    lines.take(response, async (isLastOfConnection) => {
      if (turn.isOver) await turn.next(request.socket.remoteAddress)
      // Gone while it waited: then nobody says again that it is over.
      if (response.closed) return
      turn.spend(stepsOfRequest)
      const isLast = () => drained !== undefined || isLastOfConnection()
      const { socket } = request
      underWay.add(response)
      connections?.busy(socket)
      response.on('close', () => {
        connections?.idle(socket)
        underWay.delete(response)
        if (underWay.size === 0) drained?.()
      })
      void exchange(service, request, response, { minimumSpeed, expectsContinue, isLast, senderOf })
        .then(log)
        .catch(() => undefined)
    })
  }
  return {
    request: take(false),
    checkContinue: take(true),
    checkExpectation(request, response) {
      const { method = '', headers: asked } = request
      // Said without saying what: nothing is expected.
      const expectsNothing = asked.expect?.trim() === '' || service.dialect.otherExpectations === 'passed-over'
      if (expectsNothing) return take(false)(request, response)
      const { status, headers } = wireResponse({ status: 417 }, seal(method))
      lines.take(response, () => response.writeHead(status, { ...headers, connection: 'close' }).end())
    },
    clientError: (error, socket) => answerClientError(error, socket, seal('GET')),
    drain: () =>
      new Promise((resolve) => {
        drained = resolve
        if (underWay.size === 0) resolve()
      }),
  }

  function seal(method: string) {
    return { method, requestId: newRequestId(), now: service.now() }
  }
}
