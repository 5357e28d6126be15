import type { Observer, QueueObservation, RequestObservation } from '@varve/core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeStore, type FakeStore } from '../fake-store.fixture.ts'
import { rawClient } from '../raw-client.fixture.ts'
import { createFetchHandler } from '../server/fetch-handler.ts'
import type { RunningServer } from '../server/serve.ts'
import { alice, hashing, noon, signedHeaders } from '../signed-request.fixture.ts'
import { objectOf, owned, put, request, testServer } from '../test-server.fixture.ts'

let server: RunningServer | undefined
let requests: RequestObservation[] = []
let queues: QueueObservation[] = []
const observer: Observer = { request: (one) => requests.push(one), queue: (one) => queues.push(one) }

afterEach(async () => {
  await server?.close({ graceMs: 0 })
  server = undefined
  requests = []
  queues = []
  vi.restoreAllMocks()
})

async function sent(text: string, store: FakeStore, given: Observer = observer): Promise<string> {
  server = await testServer(store, { observer: given })
  const client = await rawClient(server.port)
  client.send(text.replace('\r\n', '\r\nconnection: close\r\n'))
  return client.closed()
}

async function* pieces(count: number) {
  for (let i = 0; i < count; i++) yield new Uint8Array(10)
}

const get = (size: number, count: number): FakeStore => ({
  buckets: owned,
  objects: { get: async () => objectOf(size, pieces(count)) },
})
const seen = async (): Promise<RequestObservation | undefined> => {
  await expect.poll(() => requests.length).toBe(1)
  return requests[0]
}
const durationMs = expect.any(Number) as number

describe('a request to a server', () => {
  it('is reported with its operation, its status and its bytes in', async () => {
    await sent(`${request('PUT', '/bucket/key', { body: 'abc' })}abc`, { buckets: owned, objects: { put } })
    expect(await seen()).toEqual({ operation: 'PutObject', status: 200, durationMs, bytesIn: 3, bytesOut: 0 })
    expect(queues).toEqual([{ name: 'turns', depth: 0 }])
  })

  it('is reported with the bytes out of a stream', async () => {
    await sent(request('GET', '/bucket/key'), get(30, 3))
    expect(await seen()).toEqual({ operation: 'GetObject', status: 200, durationMs, bytesIn: 0, bytesOut: 30 })
  })

  it('that is refused is reported with its code and the bytes of the document', async () => {
    const answer = await sent(request('GET', '/bucket?abac'), { buckets: owned })
    const document = answer.split('\r\n\r\n')[1] ?? ''
    const bytesOut = Buffer.byteLength(document)
    expect(await seen()).toMatchObject({ status: 501, errorCode: 'NotImplemented', bytesOut })
  })

  it('without a known operation has none, and no text of the client', async () => {
    await sent('GET /secret-bucket/secret-key?X-Amz-Signature=secret HTTP/1.1\r\nhost: secret\r\n\r\n', {})
    expect(await seen()).toMatchObject({ status: 400, errorCode: expect.any(String) as string })
    expect(requests[0]?.operation).toBeUndefined()
    expect(JSON.stringify(requests)).not.toContain('secret')
  })

  it('whose body breaks off is reported with its status, its error and what was sent', async () => {
    await sent(request('GET', '/bucket/key'), get(30, 2))
    expect(await seen()).toMatchObject({ status: 200, errorCode: 'InternalError', bytesOut: 20 })
  })

  it('has its answer whatever the observer does, and the first error is a warning', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    const failing: Observer = {
      request() {
        throw new Error('no metrics')
      },
    }
    const requests = request('GET', '/bucket/key') + request('GET', '/bucket/key')
    server = await testServer(get(10, 1), { observer: failing })
    const client = await rawClient(server.port)
    client.send(requests)
    await client.until(/200 OK[^]*200 OK/)
    await expect.poll(() => warned.mock.calls.length).toBe(1)
    expect(String(warned.mock.calls[0]?.[0])).toContain('no metrics')
  })

  it('is reported when the server is closed', async () => {
    await sent(request('GET', '/bucket/key'), get(10, 1))
    await server?.close()
    expect(requests).toHaveLength(1)
  })

  it('has its answer before a slow observer begins', async () => {
    const order: string[] = []
    const slow: Observer = {
      request() {
        order.push('observed')
      },
    }
    server = await testServer(get(10, 1), { observer: slow, log: () => void order.push('logged') })
    const client = await rawClient(server.port)
    client.send(request('GET', '/bucket/key'))
    await client.until(/200 OK/)
    await expect.poll(() => order).toEqual(['logged', 'observed'])
  })
})

describe('a request in fetch style', () => {
  async function answered(method: string, path: string, store: FakeStore, body?: string): Promise<Response> {
    const handler = createFetchHandler({
      store: fakeStore(store),
      identities: [alice],
      hashing,
      now: () => noon,
      observer,
    })
    const raw = signedHeaders(method, path, body === undefined ? {} : { body })
    const headers = new Headers()
    for (let i = 0; i < raw.length; i += 2) {
      const [name = '', value = ''] = raw.slice(i, i + 2)
      if (name !== 'content-length' && name !== 'host') headers.append(name, value)
    }
    return handler(
      new Request(`http://localhost:9000${path}`, { method, headers, ...(body !== undefined && { body }) }),
    )
  }

  it('is reported as one over a socket', async () => {
    await answered('PUT', '/bucket/key', { buckets: owned, objects: { put } }, 'abc')
    expect(await seen()).toEqual({ operation: 'PutObject', status: 200, durationMs, bytesIn: 3, bytesOut: 0 })
  })

  it('is reported when its body was read to the end, or is cancelled', async () => {
    const response = await answered('GET', '/bucket/key', get(30, 3))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(requests).toEqual([])
    await response.arrayBuffer()
    expect(await seen()).toMatchObject({ operation: 'GetObject', bytesOut: 30 })
    const cancelled = await answered('GET', '/bucket/key', get(30, 3))
    await cancelled.body?.cancel()
    await expect.poll(() => requests.length).toBe(2)
  })

  it('that is refused is reported with its code', async () => {
    await answered('GET', '/bucket?abac', { buckets: owned })
    expect(await seen()).toMatchObject({ status: 501, errorCode: 'NotImplemented' })
  })
})

describe('the option observer', () => {
  it('is refused if a method of it is no function', async () => {
    await expect(testServer({}, { observer: { request: 1 } as never })).rejects.toMatchObject({
      code: 'InvalidArgument',
      details: { ArgumentName: 'options.observer.request' },
    })
  })
})
