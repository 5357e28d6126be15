import { type Context, context, type Meter, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createFetchHandler, createIdentity, signRequest } from '../http.ts'
import { createTelemetry } from '../opentelemetry.ts'
import { memoryStore } from '../store/memory-store.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'
const credentials = { accessKeyId: 'root-key', secretAccessKey: 'root-secret' }

const spans = new InMemorySpanExporter()
const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).getTracer('test')
const exported = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const reader = new PeriodicExportingMetricReader({ exporter: exported, exportIntervalMillis: 3_600_000 })
const meters = new MeterProvider({ readers: [reader] })
const meter: Meter = meters.getMeter('test')

/** The part of W3C Trace Context that these tests need. */
const propagator = {
  inject: () => undefined,
  fields: () => ['traceparent'],
  extract(from: Context, carrier: unknown, { get }: { get(carrier: unknown, name: string): unknown }) {
    const [, found = '', parent = ''] = /^00-(\w{32})-(\w{16})-01$/.exec(String(get(carrier, 'Traceparent'))) ?? []
    return found === '' ? from : trace.setSpanContext(from, { traceId: found, spanId: parent, traceFlags: 1 })
  },
}

// What an SDK registers for the whole process. Files of tests share it, so it is removed again.
beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager())
  propagation.setGlobalPropagator(propagator as never)
})
afterAll(async () => {
  context.disable()
  propagation.disable()
  await meters.shutdown()
})
beforeEach(() => spans.reset())

async function served() {
  const telemetry = createTelemetry({ tracer, meter })
  const store = await memoryStore({ observer: telemetry.observer })
  await store.buckets.create('photos')
  const identity = createIdentity({ name: 'root', ...credentials, root: true })
  const handler = await createFetchHandler({ store, identities: [identity], region: 'eu', tracing: telemetry.tracing })
  const send = async (method: string, path: string, body?: string) => {
    const how = { ...credentials, region: 'eu', now: Date.now(), payloadHash: 'UNSIGNED-PAYLOAD' }
    const signed = signRequest(
      { method, rawPath: path, rawQuery: 'x-id=secret', headers: [['host', 'localhost']] },
      how,
    )
    const headers = Object.fromEntries(signed.headers.filter(([name]) => name !== 'host'))
    const sent = {
      ...headers,
      'user-agent': 'tester/1',
      traceparent: `00-${traceId}-${parentId}-01`,
      ...(body && { 'content-length': String(body.length) }),
    }
    const answer = await handler(
      new Request(`http://localhost${path}?x-id=secret`, {
        method,
        headers: sent,
        ...(body !== undefined && { body }),
      }),
    )
    return answer
  }
  return { store, handler, send }
}

const named = (name: string) => spans.getFinishedSpans().find((span) => span.name === name)

describe('a request', () => {
  it('is a span below that of the client, and has its operation below it', async () => {
    const { store, send } = await served()
    const answer = await send('PUT', '/photos/cat.png', 'meow')
    await answer.text()
    expect(answer.status).toBe(200)
    const request = named('PUT PutObject')
    expect(request?.kind).toBe(SpanKind.SERVER)
    expect(request?.spanContext().traceId).toBe(traceId)
    expect(request?.parentSpanContext?.spanId).toBe(parentId)
    expect(request?.attributes).toMatchObject({
      'http.request.method': 'PUT',
      'http.response.status_code': answer.status,
      'url.path': '/photos/cat.png',
      'url.scheme': 'http',
      'user_agent.original': 'tester/1',
      'rpc.method': 'PutObject',
      'aws.s3.bucket': 'photos',
      'aws.s3.key': 'cat.png',
    })
    const operation = named('S3/PutObject')
    expect(operation?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId)
    expect(operation?.events).toMatchObject([{ name: 'varve.committed', attributes: { 'varve.seq': store.seq } }])
    expect(JSON.stringify(request?.attributes)).not.toContain('secret')
    await store.close()
    expect(
      spans
        .getFinishedSpans()
        .filter(({ name }) => name === 'varve.commit')
        .at(-1),
    ).toMatchObject({
      attributes: { 'varve.seq': store.seq, 'varve.events': 1, 'varve.commands': 1 },
    })
  })

  it('that is refused is no error of the server, and one that fails is', async () => {
    const { store, send } = await served()
    await (await send('GET', '/photos/missing')).text()
    const refused = named('GET GetObject')
    expect(refused?.attributes).toMatchObject({ 'error.type': 'NoSuchKey', 'http.response.status_code': 404 })
    expect(refused?.status.code).toBe(SpanStatusCode.UNSET)
    await store.close()
    await (await send('GET', '/photos/missing')).text()
    const failed = spans.getFinishedSpans().find(({ status }) => status.code === SpanStatusCode.ERROR)
    expect(failed).toBeDefined()
  })

  it('is measured, without names of buckets and keys', async () => {
    const { store, send } = await served()
    await (await send('PUT', '/photos/cat.png', 'meow')).text()
    await store.close()
    await reader.forceFlush()
    const all =
      exported
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap(({ metrics }) => metrics) ?? []
    const names = all.map(({ descriptor: { name } }) => name)
    for (const name of ['http.server.request.duration', 'varve.commit.duration', 'varve.commands', 'varve.events'])
      expect(names).toContain(name)
    const text = JSON.stringify(all.map(({ dataPoints }) => dataPoints.map(({ attributes }) => attributes)))
    expect(text).toContain('"rpc.method":"PutObject"')
    expect(text).not.toMatch(/photos|cat\.png|tester/)
  })
})

describe('createTelemetry', () => {
  it('records nothing while no SDK is registered', async () => {
    const telemetry = createTelemetry()
    const store = await memoryStore({ observer: telemetry.observer })
    const handler = await createFetchHandler({ store, identities: [], tracing: telemetry.tracing })
    expect((await handler(new Request('http://localhost/photos/1'))).status).toBe(404)
    await store.close()
    expect(spans.getFinishedSpans()).toEqual([])
  })

  it('refuses what is no tracer', () => {
    expect(() => createTelemetry({ tracer: 1 as never })).toThrow(
      expect.objectContaining({ details: { ArgumentName: 'options.tracer' } }) as Error,
    )
  })
})
