/** The door as listeners for a `node:http` server. */

import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Duplex } from 'node:stream'
import { healthAnswer } from './health.ts'
import type { Trace } from './pipeline.ts'
import { errorAnswer } from './render/error-answer.ts'
import { wireResponse } from './render/wire-response.ts'
import type { WireResponse } from './render/wire-response.ts'
import { respond } from './respond.ts'
import { answerClientError, headersTooLarge } from './server/client-error.ts'
import { linger } from './server/linger.ts'
import type { MinimumSpeed } from './server/minimum-speed.ts'
import { nodeBody } from './server/node-body.ts'
import type { NodeBody } from './server/node-body.ts'
import { writeResponse } from './server/write-response.ts'
import { createService } from './service-options.ts'
import type { ServiceOptions } from './service-options.ts'

/** One line of a log. Holds no query, header or secret. */
export interface RequestLog extends Trace {
  readonly requestId: string
  readonly method: string
  /** As received, without the query. */
  readonly path: string
  /** What was answered; the client may have gone before it arrived. */
  readonly status: number
  readonly durationMs: number
  readonly bytesReceived: number
  /** What was thrown, the cause of a 500 among it. */
  readonly error?: unknown
}

export interface HandlerOptions extends ServiceOptions {
  /** Told about every request when it is over. Must not throw. */
  readonly log?: (entry: RequestLog) => void
  /** What a body must come in at, or `RequestTimeout`. @default 1 KiB/s over 30 s */
  readonly minimumSpeed?: MinimumSpeed
}

/** Listeners for the events of the same name. */
export interface Handler {
  readonly request: (request: IncomingMessage, response: ServerResponse) => void
  readonly checkContinue: (request: IncomingMessage, response: ServerResponse) => void
  readonly checkExpectation: (request: IncomingMessage, response: ServerResponse) => void
  readonly clientError: (error: NodeJS.ErrnoException, socket: Duplex) => void
  /** From now on every answer is the last on its connection. Resolves when none is under way. */
  drain(): Promise<void>
}

/** More headers than this are refused. Node drops what is beyond `server.maxHeadersCount`: set it to no less. */
export const headersMax = 200

/** Bodies nobody wants are read to their end up to this size, so that the connection can be used again. */
const drainedBytesMax = 64 * 1024

/** @throws TypeError for options that cannot be. */
export function createHandler(options: HandlerOptions): Handler {
  const service = createService(options)
  const { log, minimumSpeed = { bytesPerSecond: 1024, windowMs: 30_000 } } = options
  const underWay = new Set<ServerResponse>()
  let draining: (() => void) | undefined

  const answer = async (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => {
    const began = performance.now()
    const { method = '', url: rawUrl = '', rawHeaders } = request
    const requestId = newRequestId()
    const trace: Trace & { error?: unknown } = {}
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    let awaitsContinue = expectsContinue
    const body = nodeBody(request, {
      minimumSpeed,
      onFirstRead() {
        if (awaitsContinue) response.writeContinue()
        awaitsContinue = false
      },
    })
    const fail = (error: unknown): WireResponse => {
      trace.error = error
      const place = { resource: '', requestId }
      return wireResponse(errorAnswer(error, place), { method, requestId, now: service.now() })
    }
    const respondTo = (): Promise<WireResponse> | WireResponse => {
      if (rawHeaders.length >= headersMax * 2) return fail(headersTooLarge())
      const health = healthAnswer(service, method, rawUrl)
      if (health !== undefined) return wireResponse(health, { method, requestId, now: service.now() })
      const secure = (request.socket as Partial<TLSSocket>).encrypted === true
      const asked = { method, rawUrl, rawHeaders, body: body.source, secure, requestId, signal: gone.signal, trace }
      return respond(service, asked, { onError: (error) => (trace.error = error) })
    }

    const wire = await respondTo()
    const ending = () => endingOf(request, body, { awaitsContinue, draining: draining !== undefined })
    await writeResponse(response, wire, ending())
      .catch((error: unknown) => {
        if (response.headersSent) trace.error = error
        else return writeResponse(response, fail(error), ending())
      })
      .catch(() => response.destroy())
    log?.({
      ...trace,
      requestId,
      method,
      path: rawUrl.split('?', 1)[0] ?? '',
      status: response.statusCode,
      durationMs: performance.now() - began,
      bytesReceived: body.received,
    })
  }

  const take = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    underWay.add(response)
    response.on('close', () => {
      underWay.delete(response)
      if (underWay.size === 0) draining?.()
    })
    void answer(request, response, expectsContinue)
  }

  return {
    request: take(false),
    checkContinue: take(true),
    checkExpectation(_request, response) {
      response.writeHead(417, { connection: 'close', 'content-length': '0', 'x-request-id': newRequestId() }).end()
    },
    clientError: (error, socket) => answerClientError(error, socket, { requestId: newRequestId(), now: service.now() }),
    drain: () =>
      new Promise((resolve) => {
        draining = resolve
        if (underWay.size === 0) resolve()
      }),
  }
}

/** What to do about a body that was not read: see how much of it there is. */
function endingOf(
  request: IncomingMessage,
  body: NodeBody,
  { awaitsContinue, draining }: { readonly awaitsContinue: boolean; readonly draining: boolean },
) {
  // Who was never told to continue may or may not send the body now, so what comes next on the wire is anyone's guess.
  if (awaitsContinue) return { close: true }
  if (request.complete || body.unread <= drainedBytesMax) return { close: draining }
  return { close: true, beforeEnd: () => linger(request) }
}

function newRequestId(): string {
  return randomBytes(8).toString('hex').toUpperCase()
}
