/** One request and its response on a Node connection. */

import { randomFillSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { shareOf } from '../addresses/share-of.ts'
import type { Answer } from '../contract/answer.ts'
import { healthAnswer } from './health.ts'
import { metricsAnswer } from './metrics.ts'
import type { RequestSpan } from '../contract/request-tracing.ts'
import type { RequestLog } from '../contract/request-log.ts'
import type { WireRequest } from '../contract/wire-request.ts'
import type { Trace } from '../contract/trace.ts'
import type { Client } from '../contract/operation.ts'
import type { AccessLog } from '../access-log/collect-access.ts'
import { sentRequest } from './sent-request.ts'
import { endedRequest } from '../observing/ended-request.ts'
import { errorAnswer } from '../render/error-answer.ts'
import { wireResponse } from '../render/wire-response.ts'
import type { WireResponse } from '../render/wire-response.ts'
import { respond } from '../render/respond.ts'
import type { Service } from '../pipeline/service-options.ts'
import { headersTooLarge } from './client-error.ts'
import { linger } from './linger.ts'
import { isFaultilyFramed, refusedTransferCoding } from './request-framing.ts'
import type { MinimumSpeed } from './minimum-speed.ts'
import { nodeBody } from './node-body.ts'
import type { NodeBody } from './node-body.ts'
import type { Sender } from './trusted-proxies.ts'
import { type Ending, type SentBytes, writeResponse } from './write-response.ts'

/** The most headers of a request. Node drops headers beyond `server.maxHeadersCount`, so set that to no less. */
export const headersMax = 200

/** One shared error: creating an error for every request that ends costs more than its answer. */
const clientGone = new DOMException('The client is gone.', 'AbortError')

/** An unused body of up to this size is read to its end, so that the connection can be used again. */
const drainedBytesMax = 64 * 1024

export interface ExchangeOptions {
  readonly minimumSpeed: MinimumSpeed
  /** The client waits for `100 Continue` before it sends its body. */
  readonly expectsContinue: boolean
  /** Called when the response begins. Returns whether it is the last response on its connection. */
  readonly isLast: () => boolean
  readonly sender: Sender
  readonly accessLog?: AccessLog | undefined
  /** Called at the end. Its errors are ignored. */
  readonly ended?: ((entry: RequestLog) => void) | undefined
}

/** Resolves when the response was passed to the socket or given up. Never rejects. */
export function exchange(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
  options: ExchangeOptions,
): Promise<void> {
  const { tracing } = service
  const { sender } = options
  if (tracing === undefined) return exchanged(service, request, response, options)
  const { method = '', url: rawUrl = '', rawHeaders } = request
  const begun = { method, rawUrl, rawHeaders, ...sender }
  return tracing.request(begun, (span) => exchanged(service, request, response, { span, ...options }))
}

interface Exchanged extends ExchangeOptions {
  readonly span?: RequestSpan
}

async function exchanged(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
  { minimumSpeed, expectsContinue, isLast, accessLog, sender, span, ended }: Exchanged,
): Promise<void> {
  const began = performance.now()
  const time = service.now()
  const { method = '', rawHeaders } = request
  const requestId = newRequestId()
  const trace: Trace = {}
  const outcome: Outcome = { bytesSent: 0 }
  let awaitsContinue = expectsContinue
  const turnsOf = shareOf(sender.address)
  const body = nodeBody(request, {
    minimumSpeed,
    turnsOf,
    onFirstRead() {
      if (awaitsContinue) response.writeContinue()
      awaitsContinue = false
    },
  })
  const give = (wire: WireResponse): Promise<void> | undefined =>
    writeResponse(response, wire, {
      turnsOf,
      sent: outcome,
      ending: endingOf(request, body, { awaitsContinue, isLast: isLast() }),
    })

  const refuse = async (error: unknown): Promise<void> => {
    try {
      await give(refusal(service, { method, rawHeaders, requestId, error }))
    } catch {
      response.destroy()
    }
  }

  const current: Exchange = { request, response, body, requestId, trace, outcome, sender, span }
  const wire = await answerTo(service, current)
  const answeredMs = accessLog === undefined ? 0 : performance.now() - began
  try {
    const giving = give(wire)
    if (giving !== undefined) await giving
  } catch (error) {
    outcome.error = error
    // Node refused a header of the answer before anything was sent.
    if (response.headersSent) response.destroy()
    else await refuse(error)
  }
  // Discard the rest of the body, which would otherwise stand before the next request.
  request.resume()
  const durationMs = performance.now() - began
  const entry = entryOf(current, wire, { time, durationMs })
  span?.ended(entry)
  accessLog?.ended(entry, () => sentRequest(request, wire.headers, answeredMs))
  try {
    ended?.(entry)
  } catch {
    // An observer must not fail a request.
  }
}

function entryOf(
  { request, response, body, requestId, trace, outcome, sender }: Exchange,
  wire: WireResponse,
  { time, durationMs }: Pick<RequestLog, 'time' | 'durationMs'>,
): RequestLog {
  const { method = '', url: rawUrl = '', rawHeaders } = request
  return endedRequest({
    requestId,
    time,
    address: sender.address,
    method,
    rawUrl,
    rawHeaders,
    status: response.statusCode,
    durationMs,
    bytesReceived: body.received,
    bytesSent: outcome.bytesSent,
    isClientGone: response.destroyed,
    versionId: wire.headers['x-amz-version-id'],
    error: outcome.error,
    trace,
  })
}

const drawnBytes = Buffer.alloc(4096)
let drawn = ''
let nextDigit = 0

/** 16 random digits. Random bytes for many ids are drawn from the system at once. */
export function newRequestId(): string {
  if (nextDigit === drawn.length) {
    drawn = randomFillSync(drawnBytes).toString('hex').toUpperCase()
    nextDigit = 0
  }
  return drawn.slice(nextDigit, (nextDigit += 16))
}

/** What came of a request. */
interface Outcome extends SentBytes {
  error?: unknown
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: NodeBody
  readonly requestId: string
  readonly trace: Trace
  readonly outcome: Outcome
  readonly sender: Sender
  readonly span: RequestSpan | undefined
}

function answerTo(
  service: Service,
  { request, response, body, requestId, trace, outcome, span, sender: { address, secure } }: Exchange,
): WireResponse | Promise<WireResponse> {
  const { method = '', url: rawUrl = '', rawHeaders } = request
  const onError = (error: unknown): void => {
    outcome.error = error
  }
  if (rawHeaders.length >= headersMax * 2) {
    onError(headersTooLarge())
    return refusal(service, { method, rawHeaders, requestId, error: headersTooLarge() })
  }
  const coding = refusedTransferCoding(request)
  if (coding !== undefined) {
    onError(coding)
    return refusal(service, { method, rawHeaders, requestId, error: coding })
  }
  const own = healthAnswer(service, method, rawUrl) ?? metricsAnswer(service, { method, rawUrl, rawHeaders })
  if (own !== undefined) return ownResponse(service, own, { method, rawHeaders, requestId, onError })
  const client = new WaitingClient(response, address)
  const wire: WireRequest = { method, rawUrl, rawHeaders, secure, requestId, trace, span, body: body.source, client }
  return respond(service, wire, { onError })
}

/** An answer of the server itself, and not of S3. */
async function ownResponse(
  service: Service,
  own: Answer | Promise<Answer>,
  { method, rawHeaders, requestId, onError }: Refused & { readonly onError: (error: unknown) => void },
): Promise<WireResponse> {
  try {
    return wireResponse(await own, { method, requestId, now: service.now(), guard: service.guard(rawHeaders) })
  } catch (error) {
    onError(error)
    return refusal(service, { method, rawHeaders, requestId, error })
  }
}

/** The store uses a new buffer for each chunk that is shorter than this. */
const reusedBytesMin = 128 * 1024

class WaitingClient implements Client {
  readonly address: string | undefined
  readonly #response: ServerResponse
  #gone: AbortController | undefined

  constructor(response: ServerResponse, address: string | undefined) {
    this.#response = response
    this.address = address
  }

  /** True if a chunk is longer than the send queue: then it was sent when the queue has room again. */
  get takesBeforeNext(): boolean {
    return this.#response.writableHighWaterMark < reusedBytesMin
  }

  onOver(act: () => void): void {
    if (this.#response.closed) act()
    else this.#response.once('close', act)
  }

  disconnect(): void {
    this.#response.destroy()
  }

  get signal(): AbortSignal {
    this.#gone ??= abortedOnClose(this.#response)
    return this.#gone.signal
  }
}

function abortedOnClose(response: ServerResponse): AbortController {
  const gone = new AbortController()
  if (response.destroyed) gone.abort(clientGone)
  else response.on('close', () => gone.abort(clientGone))
  return gone
}

type Refused = Pick<WireRequest, 'method' | 'rawHeaders' | 'requestId'>

function refusal(
  service: Service,
  { method, rawHeaders, requestId, error }: Refused & { readonly error: unknown },
): WireResponse {
  const sealed = { method, requestId, now: service.now(), guard: service.guard(rawHeaders) }
  return wireResponse(errorAnswer(error, { resource: '', requestId }), sealed)
}

/** Decides what happens to the connection. It depends on what the client still has to send. */
function endingOf(
  request: IncomingMessage,
  body: NodeBody,
  { awaitsContinue, isLast }: { readonly awaitsContinue: boolean; readonly isLast: boolean },
): Ending {
  // A client without `100 Continue` may or may not send the body now, so later bytes cannot be interpreted.
  if (awaitsContinue || isFaultilyFramed(request)) return closing
  if (request.complete || body.unread <= drainedBytesMax) return isLast ? closing : keeping
  return { close: true, beforeEnd: () => linger(request) }
}

const closing: Ending = { close: true }
const keeping: Ending = { close: false }
