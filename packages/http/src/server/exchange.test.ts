import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { rawClient } from '../raw-client.fixture.ts'
import { bucketOf } from '../fake-store.fixture.ts'
import { objectOf, owned, pause, put, request, testServer } from '../test-server.fixture.ts'

let server: Awaited<ReturnType<typeof testServer>> | undefined

async function start(...given: Parameters<typeof testServer>) {
  server = await testServer(...given)
  return server
}

afterEach(async () => {
  await server?.close({ graceMs: 0 })
  server = undefined
})

describe('100 Continue', () => {
  it('is sent once, when the body is wanted', async () => {
    const { port } = await start({ buckets: owned, objects: { put } })
    const client = await rawClient(port)
    client.send(request('PUT', '/bucket/key', { body: 'abc' }, ['expect', '100-continue']))
    await client.until(/100 Continue\r\n\r\n/)
    client.send('abc')
    const text = await client.until(/200 OK/)
    expect(text.match(/100 Continue/g)).toHaveLength(1)
  })

  it('is not sent for a request that is refused, and the connection ends there', async () => {
    const { port } = await start({ buckets: { head: async () => bucketOf('bob') } })
    const client = await rawClient(port)
    client.send(request('PUT', '/bucket/key', { body: 'abc' }, ['expect', '100-continue']))
    const text = await client.closed()
    expect(text).toMatch(/^HTTP\/1\.1 403 /)
    expect(text).not.toContain('100 Continue')
    expect(text.toLowerCase()).toContain('connection: close')
  })

  it('is all that can be expected', async () => {
    const { port } = await start({})
    const client = await rawClient(port)
    client.send('GET / HTTP/1.1\r\nhost: h\r\nexpect: tea\r\n\r\n')
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 417 [^]*x-amz-request-id: /)
  })

  it('is all that is looked at where other expectations are passed over', async () => {
    const { port } = await start({ buckets: owned, objects: { put } }, { dialect: 'aws', region: 'eu' })
    const client = await rawClient(port)
    client.send(`${request('PUT', '/bucket/key', { body: 'abc' }, ['expect', '200'])}abc`)
    expect(await client.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('an expectation of nothing', () => {
  it('is none', async () => {
    const { port } = await start({ buckets: owned, objects: { put } })
    const client = await rawClient(port)
    client.send(`${request('PUT', '/bucket/key', { body: 'abc' }, ['expect', ''])}abc`)
    expect(await client.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('bytes that cannot be understood', () => {
  it('behind a request do not take its answer away, and are the last', async () => {
    const { port } = await start({ buckets: owned, objects: { put } })
    const client = await rawClient(port)
    client.send(`${request('PUT', '/bucket/key', { body: 'abc' })}abc and something else`)
    const text = await client.closed()
    expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(text.toLowerCase()).toContain('connection: close')
  })

  it('behind a request do not cut its answer off either', async () => {
    async function* body() {
      yield Buffer.from('abc')
      await pause(100)
      yield Buffer.from('def')
    }
    const { port } = await start({ buckets: owned, objects: { get: async () => objectOf(6, body()) } })
    const client = await rawClient(port)
    client.send(request('GET', '/bucket/key'))
    await client.until(/abc$/)
    for (const nonsense of ['something else', 'and more']) client.send(nonsense)
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 200 [^]*abcdef$/)
  })

  it('are the end of a body that ends before it should', async () => {
    const { port } = await start({ buckets: owned, objects: { put } })
    const client = await rawClient(port)
    client.send(`${request('PUT', '/bucket/key', { body: 'abcdef' })}abc`)
    client.socket.end()
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 400 [^]*<Code>IncompleteBody</)
  })
})

describe('unwanted bodies', () => {
  it('are read to their end when a refusal leaves them in the middle', async () => {
    const { port } = await start({ buckets: owned, objects: { put } })
    const client = await rawClient(port)
    const body = 'not aws-chunked at all\r\n'.padEnd(60_000, 'x')
    const payloadHash = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'
    const headers = [['x-amz-decoded-content-length', '4000']] as const
    client.send(request('PUT', '/bucket/key', { body, payloadHash, headers }) + body.slice(0, 100))
    await client.until(/400 Bad Request/)
    for (const piece of [body.slice(100, 40_000), body.slice(40_000), request('HEAD', '/bucket')]) {
      await pause(20)
      client.send(piece)
    }
    await client.until(/400 Bad Request[^]*200 OK/)
  })

  it('are read to their end when small, and the connection goes on', async () => {
    const { port } = await start({ buckets: owned })
    const client = await rawClient(port)
    const body = 'x'.repeat(1000)
    client.send(request('HEAD', '/bucket', { body }) + body + request('HEAD', '/bucket'))
    const text = await client.until(/200 OK[^]*200 OK/)
    expect(text.toLowerCase()).not.toContain('connection: close')
  })

  it('are not read to their end when they are longer than the operation takes', async () => {
    const { port } = await start({ buckets: owned })
    const client = await rawClient(port)
    const body = 'x'.repeat(70_000)
    client.send(request('PUT', '/bucket?versioning', { body }) + body.slice(0, 69_000))
    await client.until(/400 Bad Request[^]*MaxMessageLengthExceeded/)
    expect((await client.closed()).toLowerCase()).toContain('connection: close')
  })

  it('end the connection when large, after the answer has arrived', async () => {
    const { port } = await start({ buckets: owned })
    const client = await rawClient(port)
    const body = 'x'.repeat(300_000)
    client.send(request('HEAD', '/bucket', { body }) + body.slice(0, 200_000))
    await client.until(/200 OK/)
    client.send(body.slice(200_000))
    expect((await client.closed()).toLowerCase()).toContain('connection: close')
  })
})

describe('clients that go away', () => {
  it('abort what is being done for them', async () => {
    let signal: AbortSignal | undefined
    const began = new Promise<void>((resolve) => {
      void start({
        buckets: owned,
        objects: {
          async put(_bucket, _key, body, options) {
            signal = options?.signal as AbortSignal
            resolve()
            for await (const _ of body as AsyncIterable<Uint8Array>) continue
            throw new Error('The body cannot end well.')
          },
        },
      }).then(async ({ port }) => {
        const client = await rawClient(port)
        client.send(`${request('PUT', '/bucket/key', { body: 'abc'.repeat(50_000) })}a`)
        void began.then(() => client.socket.destroy())
      })
    })
    await began
    // If no one reads a connection, up to a second may pass before its end is noticed.
    await expect.poll(() => server?.log.length, { timeout: 5000 }).toBe(1)
    await expect.poll(() => signal?.aborted).toBe(true)
    expect(server?.log[0]?.error).toMatchObject({ code: 'IncompleteBody' })
  })

  it.each([
    ['a listing', request('GET', '/bucket?list-type=2')],
    ['an upload', request('POST', '/bucket/key?uploads')],
  ])('are no failure of the server: %s', async (_, text) => {
    const untilGone = async ({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<never> => {
      void connected.then(({ socket }) => socket.destroy())
      await once(signal as AbortSignal, 'abort')
      throw signal?.reason
    }
    const starting = start({
      buckets: owned,
      objects: { listPage: (_bucket, options) => untilGone(options) },
      uploads: { create: (_bucket, _key, options) => untilGone(options) },
    })
    const connected = starting.then(({ port }) => rawClient(port))
    void connected.then((client) => client.send(text))
    const { log } = await starting
    await expect.poll(() => log.length, { timeout: 5000 }).toBe(1)
    expect(log[0]).toMatchObject({ status: 499, isClientGone: true })
    expect(log[0]?.errorCode).toBeUndefined()
  })

  it('let go of the object they were reading', async () => {
    let ended = false
    async function* endless() {
      try {
        for (;;) yield new Uint8Array(65_536)
      } finally {
        ended = true
      }
    }
    const size = 1e12
    const get = async () => objectOf(size, endless())
    const { port } = await start({ buckets: owned, objects: { get } })
    const client = await rawClient(port)
    client.send(request('GET', '/bucket/key'))
    await client.until(/200 OK/)
    client.socket.destroy()
    await expect.poll(() => ended).toBe(true)
  })

  it('let go of it also when they just stop reading', async () => {
    let ended = false
    async function* endless() {
      try {
        for (;;) yield new Uint8Array(1_000_000)
      } finally {
        ended = true
      }
    }
    const get = async () => objectOf(1e12, endless())
    const { port } = await start({ buckets: owned, objects: { get } }, { idleTimeoutMs: 200 })
    const client = await rawClient(port)
    client.send(request('GET', '/bucket/key'))
    await client.until(/200 OK/)
    client.socket.pause()
    await expect.poll(() => ended, { timeout: 5000 }).toBe(true)
  })

  it('get RequestTimeout when they send too slowly, and are disconnected', async () => {
    const minimumSpeed = { bytesPerSecond: 1000, windowMs: 50 }
    const { port } = await start({ buckets: owned, objects: { put } }, { minimumSpeed })
    const client = await rawClient(port)
    client.send(`${request('PUT', '/bucket/key', { body: 'abc' })}a`)
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 408 [^]*<Code>RequestTimeout<\/Code>/)
  })
})

describe('failures behind the head', () => {
  it('destroy the connection, so that the beginning cannot pass for the whole', async () => {
    async function* breaking() {
      yield new Uint8Array(10)
      await pause(20)
      throw new Error('the disk is gone')
    }
    const get = async () => objectOf(100, breaking())
    const { port } = await start({ buckets: owned, objects: { get } })
    const client = await rawClient(port)
    client.send(request('GET', '/bucket/key'))
    const text = await client.closed()
    expect(text).toMatch(/200 OK[^]*Content-Length: 100/)
    await expect.poll(() => server?.log.length).toBe(1)
    expect(String(server?.log[0]?.error)).toContain('the disk is gone')
  })

  it('destroy it also when the body is shorter than announced', async () => {
    async function* short() {
      yield new Uint8Array(10)
      await pause(20)
    }
    const { port } = await start({ buckets: owned, objects: { get: async () => objectOf(100, short()) } })
    const client = await rawClient(port)
    client.send(request('GET', '/bucket/key') + request('HEAD', '/bucket'))
    expect((await client.closed()).match(/HTTP\/1\.1/g)).toHaveLength(1)
  })

  it('become 500 while nothing has been sent, and the process lives', async () => {
    const { port } = await start({ buckets: owned, objects: {} })
    const client = await rawClient(port)
    client.send(request('GET', '/bucket') + request('HEAD', '/bucket'))
    const text = await client.until(/500 [^]*InternalError[^]*200 OK/)
    expect(text).not.toContain('Nobody said')
  })
})

describe('slow completions', () => {
  it('are kept alive behind an early status', async () => {
    let finish = (): void => undefined
    const finished = new Promise<void>((resolve) => (finish = resolve))
    const complete = async () => {
      await finished
      return { etag: 'e', size: 1, seq: 1, versionId: 'null', lastModified: new Date(0) }
    }
    const by = { id: 'id', name: 'root' }
    const begun = { bucket: 'bucket', key: 'key', uploadId: 'u', initiated: new Date(0), owner: by, initiator: by }
    const head = async () => ({ ...begun, encryption: { mode: 'aws:kms', keyName: 'k1' } as const })
    const keepAlive = { keepAliveAfterMs: 20, keepAliveEveryMs: 10 }
    const { port } = await start({ buckets: owned, uploads: { complete, head } }, keepAlive)
    const client = await rawClient(port)
    const part = '<Part><PartNumber>1</PartNumber><ETag>e</ETag></Part>'
    const body = `<CompleteMultipartUpload>${part}</CompleteMultipartUpload>`
    client.send(request('POST', '/bucket/key?uploadId=u', { body }) + body)
    const early = await client.until(/<\?xml /)
    expect(early).toMatch(/200 OK[^]*transfer-encoding: chunked/i)
    expect(early).toMatch(/x-amz-server-side-encryption: aws:kms\r\n/i)
    expect(early).not.toContain('Result')
    await client.until(/\r\n1\r\n \r\n/)
    finish()
    await client.until(/<CompleteMultipartUploadResult[^]*\r\n0\r\n\r\n$/)
  })
})
