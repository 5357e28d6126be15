/**
 * The server in fetch style, `Request → Response`: for Electron's `protocol.handle`, and for clients in the same
 * process.
 *
 * A `Request` went through a URL parser, so this server cannot distinguish `a/../b` from `b`, and the order of headers
 * is lost. The server on `node:http` has neither limit. The rest of the pipeline is the same.
 */

import { endedRequest } from '../observing/ended-request.ts'
import { reportRequest } from '../observing/report-request.ts'
import { auditRequest } from '../observing/audit.ts'
import { logRequest } from '../observing/request-logger.ts'
import { checkRequest, checkServiceOptions } from './checked-options.ts'
import type { Client } from '../contract/operation.ts'
import type { RequestSpan } from '../contract/request-tracing.ts'
import type { WireRequest } from '../contract/wire-request.ts'
import type { WireResponse } from '../render/wire-response.ts'
import { respond } from '../render/respond.ts'
import { newRequestId } from './exchange.ts'
import { createService } from '../pipeline/service-options.ts'
import type { ServiceOptions } from '../pipeline/service-options.ts'

/** Answers one request in the terms of the Fetch standard. */
export type FetchHandler = (request: Request) => Promise<Response>

/** The handler rejects only what is not a `Request`. @throws StorageError `InvalidArgument` for invalid options */
export function createFetchHandler(given: ServiceOptions): FetchHandler {
  const options = checkServiceOptions(given)
  const service = createService(options)
  const { observing, tracing } = service
  const { requestLog, auditLog } = options
  const isReported = [observing, tracing, requestLog, auditLog].some((one) => one !== undefined)

  async function answer(request: Request, sent: SentFetch, span: RequestSpan | undefined): Promise<Response> {
    const began = performance.now()
    const time = service.now()
    const client = new FetchClient(request)
    const body = request.body ?? nothing()
    const whole = { ...sent, requestId: newRequestId(), trace: {} }
    const wire = await respond(
      service,
      { ...whole, span, body: isReported ? client.counted(body) : body, client },
      { onError: (error) => (client.error = error) },
    )
    if (isReported) {
      client.onOver(() => {
        const durationMs = performance.now() - began
        const { status, headers } = wire
        const versionId = headers['x-amz-version-id']
        const entry = endedRequest({ ...whole, ...client.ended(), time, status, versionId, durationMs })
        if (observing !== undefined) reportRequest(observing, entry)
        if (requestLog !== undefined) logRequest(requestLog, entry)
        if (auditLog !== undefined) auditRequest(auditLog, entry)
        span?.ended(entry)
      })
    }
    return new Response(bodyOf(wire, client), { status: wire.status, headers: wire.headers })
  }

  return async (received) => {
    const request = checkRequest(received)
    const { scheme, host, rawUrl } = split(request.url)
    const secure = scheme !== 'http'
    const sent = { method: request.method, rawUrl, rawHeaders: rawHeaders(request, host), secure }
    if (tracing === undefined) return answer(request, sent, undefined)
    return tracing.request(sent, (span) => answer(request, sent, span))
  }
}

type SentFetch = Pick<WireRequest, 'method' | 'rawUrl' | 'rawHeaders' | 'secure'>

/** Splits by hand, since parsing and printing could change the target. `Request` made the URL, so its form is known. */
function split(url: string) {
  const [whole = ''] = url.split('#', 1)
  const hostAt = whole.indexOf('://') + 3
  const pathAt = whole.indexOf('/', hostAt)
  const end = pathAt === -1 ? whole.length : pathAt
  return { scheme: whole.slice(0, hostAt - 3), host: whole.slice(hostAt, end), rawUrl: whole.slice(end) || '/' }
}

/** Adds the headers that HTTP would have added: `host`, and the framing of the body. */
function rawHeaders({ headers, body }: Request, host: string): string[] {
  const raw = [...headers].flat()
  if (!headers.has('host')) raw.push('host', host)
  if (headers.has('content-length')) return raw
  return body === null ? [...raw, 'content-length', '0'] : [...raw, 'transfer-encoding', 'chunked']
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** A `Response` is complete when returned. A streamed one is complete when it was read to its end, or is abandoned. */
class FetchClient implements Client {
  readonly #request: Request
  readonly #acts: (() => void)[] = []
  readonly address = undefined
  bytesReceived = 0
  bytesSent = 0
  error: unknown
  #isOver = false
  readonly #gone = new AbortController()
  #signal: AbortSignal | undefined

  constructor(request: Request) {
    this.#request = request
  }

  get signal(): AbortSignal {
    return (this.#signal ??= AbortSignal.any([this.#request.signal, this.#gone.signal]))
  }

  /** The reader has left its answer: what waits for more of it ends. */
  leave(): void {
    this.#gone.abort(new DOMException('The client is gone.', 'AbortError'))
    this.end()
  }

  onOver(act: () => void): void {
    if (this.#isOver) act()
    else this.#acts.push(act)
  }

  async *counted(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      this.bytesReceived += chunk.length
      yield chunk
    }
  }

  ended() {
    const { address, bytesReceived, bytesSent, error } = this
    return { address, bytesReceived, bytesSent, error, isClientGone: this.signal.aborted }
  }

  end(): void {
    this.#isOver = true
    for (const act of this.#acts.splice(0)) act()
  }
}

function bodyOf({ body, headers }: WireResponse, client: FetchClient): Uint8Array | ReadableStream<Uint8Array> | null {
  if (body === undefined || body instanceof Uint8Array) {
    client.bytesSent = body?.length ?? 0
    client.end()
    return body ?? null
  }
  const iterator = body[Symbol.asyncIterator]()
  let left = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY)
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      do {
        const { done, value } = await iterator.next().catch((error: unknown) => {
          client.error = error
          client.end()
          throw error
        })
        if (done === true) {
          client.end()
          return controller.close()
        }
        controller.enqueue(value)
        client.bytesSent += value.length
        left -= value.length
        // A reader that received the last byte may never read again.
      } while (left <= 0)
    },
    async cancel() {
      client.leave()
      await iterator.return?.()
    },
  })
}
