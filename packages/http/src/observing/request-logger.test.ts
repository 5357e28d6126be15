import { afterEach, describe, expect, it } from 'vitest'
import { fakeStore, type FakeStore } from '../fake-store.fixture.ts'
import { rawClient } from '../raw-client.fixture.ts'
import { createFetchHandler } from '../server/fetch-handler.ts'
import type { RunningServer } from '../server/serve.ts'
import { alice, hashing, noon } from '../signed-request.fixture.ts'
import { objectOf, owned, put, request, testServer } from '../test-server.fixture.ts'
import type { RequestLogger } from './request-logger.ts'

interface Line {
  readonly level: string
  readonly [field: string]: unknown
}

let server: RunningServer | undefined
let lines: Line[] = []
/** As JSON, which has no absent fields. */
const noting = (level: string) => (line: object) => {
  lines.push(JSON.parse(JSON.stringify({ level, ...line })) as Line)
}
const requestLog: RequestLogger = { info: noting('info'), warn: noting('warn'), error: noting('error') }

afterEach(async () => {
  await server?.close({ graceMs: 0 })
  server = undefined
  lines = []
})

async function logged(text: string, store: FakeStore, options = {}): Promise<Line | undefined> {
  server = await testServer(store, { requestLog, ...options })
  const client = await rawClient(server.port)
  client.send(text.replace('\r\n', '\r\nconnection: close\r\n'))
  await client.closed()
  await expect.poll(() => lines.length).toBe(1)
  return lines[0]
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parent = (version: string, trace: string) => `traceparent: ${version}-${trace}-00f067aa0ba902b7-01\r\n`
const after = (text: string, headers: string) => text.replace('\r\n', `\r\n${headers}`)

describe('the line of a request', () => {
  it('has who, what, where and the result', async () => {
    const sent = after(
      request('PUT', '/bucket/a%20key%0A', { body: 'abc' }),
      `User-Agent: tester/1\r\n${parent('00', traceId)}`,
    )
    expect(await logged(`${sent}abc`, { buckets: owned, objects: { put } })).toEqual({
      level: 'info',
      requestId: expect.stringMatching(/^[\dA-F]{16}$/) as string,
      address: '127.0.0.1',
      identity: alice.name,
      accessKeyId: alice.accessKeyId,
      method: 'PUT',
      operation: 'PutObject',
      bucket: 'bucket',
      key: 'a key\n',
      status: 200,
      bytesIn: 3,
      bytesOut: 0,
      durationMs: expect.any(Number) as number,
      traceId,
      userAgent: 'tester/1',
    })
  })

  it('has the address behind a trusted proxy', async () => {
    const sent = after(request('GET', '/bucket/key'), 'x-forwarded-for: 203.0.113.9\r\n')
    const line = await logged(sent, { buckets: owned }, { trustedProxies: ['127.0.0.1'] })
    expect(line).toMatchObject({ address: '203.0.113.9' })
  })

  it('of a refusal is a warning with the code, and with the bucket and the key that were meant', async () => {
    const line = await logged('GET /bucket/key?X-Amz-Signature=secret&versionId=secret HTTP/1.1\r\nhost: x\r\n\r\n', {})
    expect(line).toMatchObject({ level: 'warn', bucket: 'bucket', key: 'key', errorCode: expect.any(String) as string })
    expect(JSON.stringify(line)).not.toContain('secret')
  })

  it('of a failure is an error with its message', async () => {
    const failing: FakeStore = {
      buckets: owned,
      objects: {
        get() {
          throw new Error('the disk is on fire')
        },
      },
    }
    expect(await logged(request('GET', '/bucket/key'), failing)).toMatchObject({
      level: 'error',
      status: 500,
      errorCode: 'InternalError',
      message: 'the disk is on fire',
    })
  })

  it('has a path where the operation is unknown, and only so much of what a client sends', async () => {
    const line = await logged(
      `GET /x/${'y'.repeat(5000)} HTTP/1.1\r\nhost: h\r\nuser-agent: ${'z'.repeat(5000)}\r\nx-amz-date: 1\r\nauthorization: AWS4-HMAC-SHA256 x\r\n\r\n`,
      {},
    )
    expect(String(line?.['path'])).toHaveLength(1024)
    expect(String(line?.['key'])).toHaveLength(1024)
    expect(String(line?.['userAgent'])).toHaveLength(513)
  })

  it.each([
    ['no trace', parent('00', '0'.repeat(32))],
    ['a forbidden version', parent('ff', traceId)],
    ['other text', 'traceparent: secret\r\n'],
  ])('has no trace id for a traceparent of %s', async (_, header) => {
    const line = await logged(after(request('GET', '/bucket/key'), header), { buckets: owned })
    expect(line?.['traceId']).toBeUndefined()
  })

  it('is written for a request in fetch style too', async () => {
    const store = fakeStore({ buckets: owned, objects: { get: async () => objectOf(3, [new Uint8Array(3)] as never) } })
    const handler = createFetchHandler({ store, identities: [alice], hashing, now: () => noon, requestLog })
    await (await handler(new Request('http://localhost:9000/bucket/key'))).arrayBuffer()
    expect(lines).toMatchObject([{ level: 'warn', operation: 'GetObject', bucket: 'bucket', status: 403 }])
  })

  it('changes nothing if the logger throws', async () => {
    const failing = {
      ...requestLog,
      warn() {
        throw new Error('no log')
      },
    }
    const handler = createFetchHandler({
      store: fakeStore({ buckets: owned }),
      identities: [],
      hashing,
      now: () => noon,
      requestLog: failing,
    })
    expect((await handler(new Request('http://localhost:9000/bucket/key'))).status).toBe(403)
  })
})

describe('the option requestLog', () => {
  it('is refused if it is no logger', async () => {
    await expect(testServer({}, { requestLog: { info: 1 } as never })).rejects.toMatchObject({
      details: { ArgumentName: 'options.requestLog' },
    })
  })
})
