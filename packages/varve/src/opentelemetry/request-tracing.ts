/** Requests as spans, and their metrics, by the semantic conventions of HTTP and S3. */
import {
  type Attributes,
  context,
  type Context,
  type Meter,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  trace,
  type Tracer,
} from '@opentelemetry/api'
import type { BegunRequest, RequestLog, RequestSpan, RequestTracing } from '@varve/http'

type Headers = ReadonlyMap<string, string>

const getter: TextMapGetter<Headers> = {
  get: (headers, name) => headers.get(name.toLowerCase()),
  keys: (headers) => [...headers.keys()],
}

/** Longer text of clients is cut off. */
const textMax = 1024

interface Instruments {
  record(begun: BegunRequest, entry: RequestLog): void
}

export function requestTracing(tracer: Tracer, meter: Meter): RequestTracing {
  const instruments = instrumentsOf(meter)
  return {
    request(begun, run) {
      const headers = headersOf(begun.rawHeaders)
      const parent = propagation.extract(ROOT_CONTEXT, headers, getter)
      const attributes = attributesOf(begun, headers)
      const span = tracer.startSpan(begun.method, { kind: SpanKind.SERVER, attributes }, parent)
      const own = trace.setSpan(parent, span)
      return context.with(own, () => run(new FollowedRequest(tracer, { span, own, begun, instruments })))
    },
  }
}

interface Followed {
  readonly span: Span
  readonly own: Context
  readonly begun: BegunRequest
  readonly instruments: Instruments
}

class FollowedRequest implements RequestSpan {
  readonly #tracer: Tracer
  readonly #followed: Followed
  #operation: Span | undefined

  constructor(tracer: Tracer, followed: Followed) {
    this.#tracer = tracer
    this.#followed = followed
  }

  async operation<T>(name: string, run: () => Promise<T>): Promise<T> {
    const { own } = this.#followed
    const span = this.#tracer.startSpan(`S3/${name}`, { attributes: { 'rpc.method': name } }, own)
    this.#operation = span
    try {
      return await context.with(trace.setSpan(own, span), run)
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  }

  committed(seq: number): void {
    this.#operation?.addEvent('varve.committed', { 'varve.seq': seq })
  }

  ended(entry: RequestLog): void {
    const { span, begun, instruments } = this.#followed
    const { operation, status, errorCode } = entry
    if (operation !== undefined) span.updateName(`${begun.method} ${operation}`)
    span.setAttributes(outcomeOf(entry))
    // A mistake of the client is no error of the server.
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR, ...(errorCode && { message: errorCode }) })
    span.end()
    instruments.record(begun, entry)
  }
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Map<string, string>()
  for (let at = 0; at + 1 < raw.length; at += 2) headers.set((raw[at] ?? '').toLowerCase(), raw[at + 1] ?? '')
  return headers
}

/** The query may have a signature, so it is left out. */
function attributesOf({ method, rawUrl, address, secure }: BegunRequest, headers: Headers): Attributes {
  const userAgent = headers.get('user-agent')
  return {
    'http.request.method': method,
    'url.path': (rawUrl.split('?', 1)[0] ?? '').slice(0, textMax),
    'url.scheme': secure ? 'https' : 'http',
    ...(address !== undefined && { 'client.address': address }),
    ...(userAgent !== undefined && { 'user_agent.original': userAgent.slice(0, textMax) }),
  }
}

function outcomeOf({ requestId, bucket, key, operation, status, bytesReceived, ...entry }: RequestLog): Attributes {
  return {
    'http.response.status_code': status,
    'http.request.body.size': bytesReceived,
    'http.response.body.size': entry.bytesSent,
    'aws.request_id': requestId,
    ...(operation !== undefined && { 'rpc.method': operation }),
    ...(bucket !== undefined && { 'aws.s3.bucket': bucket.slice(0, textMax) }),
    ...(key !== undefined && { 'aws.s3.key': key.slice(0, textMax) }),
    ...(entry.identity !== undefined && { 'enduser.id': entry.identity }),
    ...(entry.seq !== undefined && { 'varve.seq': entry.seq }),
    ...(entry.errorCode !== undefined && { 'error.type': entry.errorCode }),
  }
}

const durations = [0.001, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** Attributes of metrics have few different values: no bucket, no key, no text of clients. */
function instrumentsOf(meter: Meter): Instruments {
  const duration = meter.createHistogram('http.server.request.duration', {
    unit: 's',
    description: 'From the head of a request to the end of its answer.',
    advice: { explicitBucketBoundaries: durations },
  })
  const received = meter.createHistogram('http.server.request.body.size', { unit: 'By' })
  const sent = meter.createHistogram('http.server.response.body.size', { unit: 'By' })
  return {
    record({ method, secure }, { status, operation, errorCode, durationMs, bytesReceived, bytesSent }) {
      const attributes = {
        'http.request.method': methods.has(method) ? method : '_OTHER',
        'http.response.status_code': status,
        'url.scheme': secure ? 'https' : 'http',
        ...(operation !== undefined && { 'rpc.method': operation }),
        ...(errorCode !== undefined && { 'error.type': errorCode }),
      }
      duration.record(durationMs / 1000, attributes)
      received.record(bytesReceived, attributes)
      sent.record(bytesSent, attributes)
    },
  }
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE'])
