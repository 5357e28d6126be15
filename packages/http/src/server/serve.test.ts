import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { rawClient } from '../raw-client.fixture.ts'
import { fakeStore } from '../fake-store.fixture.ts'
import type { FailingPart } from '../contract/node-health.ts'
import { serve } from './serve.ts'
import { hashing } from '../signed-request.fixture.ts'
import { owned, pause, put, request, testServer } from '../test-server.fixture.ts'

let server: Awaited<ReturnType<typeof testServer>> | undefined

async function start(...given: Parameters<typeof testServer>) {
  server = await testServer(...given)
  return server
}

afterEach(async () => {
  await server?.close({ graceMs: 0 })
  server = undefined
})

describe('requests that are no HTTP', () => {
  it.each([
    ['GET / HTTP/1.1\r\nhost h\r\n\r\n', 400, 'InvalidRequest'],
    ['BREW /pot HTTP/1.1\r\nhost: h\r\n\r\n', 405, 'MethodNotAllowed'],
    [`GET / HTTP/1.1\r\nhost: h\r\na: ${'x'.repeat(17_000)}\r\n\r\n`, 400, 'RequestHeaderSectionTooLarge'],
  ])('are answered in XML, and closed: %#', async (text, status, code) => {
    const { port } = await start({})
    const client = await rawClient(port)
    client.send(text)
    const answer = await client.closed()
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*x-request-id: [^]*<Code>${code}</Code>`))
  })

  it('cannot hide headers behind many others', async () => {
    const { port } = await start({})
    const many = (count: number) => Array.from({ length: count }, (_, i) => `h${i}: 1\r\n`).join('')
    for (const [count, code] of [
      [198, 'AccessDenied'],
      [199, 'RequestHeaderSectionTooLarge'],
      [2500, 'RequestHeaderSectionTooLarge'],
    ] as const) {
      const client = await rawClient(port)
      client.send(`GET / HTTP/1.1\r\nhost: h\r\n${many(count)}\r\n`)
      await client.until(new RegExp(`<Code>${code}</Code>`))
      client.socket.destroy()
    }
  })

  it('are cut off when their head does not come', async () => {
    const { port } = await start({}, { headersTimeoutMs: 100 })
    const client = await rawClient(port)
    client.send('GET / HTTP/1.1\r\n')
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 408 [^]*RequestTimeout/)
  })
})

describe('clients that keep talking after they were refused', () => {
  it.each([
    ['a head that does not come', 'GET / HTTP/1.1\r\nx: ', /^HTTP\/1\.1 408 /],
    ['a request that is none', 'BREW / HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 405 /],
    ['bytes behind a request', 'GET / HTTP/1.1\r\nhost: h\r\n\r\nnonsense \r\n', /^HTTP\/1\.1 403 /],
  ])('are cut off after %s', async (_what, text, answer) => {
    const { port } = await start({}, { headersTimeoutMs: 100 })
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let received = ''
    socket.on('data', (piece: Buffer) => (received += piece.toString('latin1'))).on('error', () => undefined)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(text)
    const drip = setInterval(() => socket.write('x'), 50)
    await closed
    clearInterval(drip)
    expect(received).toMatch(answer)
  })
})

describe('the server', () => {
  it('reports at /-/health whether the store takes writes, without credentials', async () => {
    for (const [state, status] of [
      ['open', 200],
      ['failed', 503],
      ['closed', 503],
    ] as const) {
      const { url, close } = await start({ state })
      const answer = await fetch(`${url}/-/health`)
      expect(answer.status).toBe(status)
      expect(await answer.json()).toEqual({ state })
      await close()
    }
  })

  it('reports at /-/health with which code the store failed', async () => {
    const { url, close } = await start({ state: 'failed', failureCode: 'AcknowledgedWritesLost' })
    const answer = await fetch(`${url}/-/health`)
    expect(await answer.json()).toEqual({ state: 'failed', code: 'AcknowledgedWritesLost' })
    await close()
  })

  it('answers at /-/alive whatever its store and its node are like', async () => {
    const failing = () => Promise.reject(new Error('nobody asks'))
    const node = { name: 'n', isDraining: true, failing }
    const { url, close } = await start({ state: 'failed' }, { node })
    for (const method of ['GET', 'HEAD']) expect((await fetch(`${url}/-/alive`, { method })).status).toBe(200)
    expect((await fetch(`${url}/-/alive`, { method: 'PUT' })).status).not.toBe(200)
    await close()
  })

  it('reports at /-/health which part of a node does not answer, and that the node ends', async () => {
    let part: FailingPart | undefined
    const node = { name: 'node-1', isDraining: false, failing: () => Promise.resolve(part) }
    const { url, close } = await start({}, { node })
    const health = async () => {
      const answer = await fetch(`${url}/-/health`)
      return [answer.status, await answer.json()]
    }
    const own = { state: 'open', node: 'node-1' }
    expect(await health()).toEqual([200, own])
    part = { part: 'blobs', code: 'BlobFailed', kind: 'ExpiredToken' }
    expect(await health()).toEqual([503, { ...own, ...part }])
    part = undefined
    node.isDraining = true
    expect(await health()).toEqual([503, { ...own, stopping: true }])
    await close()
  })

  it('asks the parts of a node only while its store is open', async () => {
    const failing = () => Promise.reject(new Error('nobody asks'))
    const { url, close } = await start({ state: 'closed' }, { node: { name: 'n', isDraining: false, failing } })
    const answer = await fetch(`${url}/-/health`)
    expect([answer.status, await answer.json()]).toEqual([503, { state: 'closed', node: 'n' }])
    await close()
  })

  it('lets what is under way finish before it is closed, and takes nothing new', async () => {
    let finish = () => {}
    const held = new Promise<void>((resolve) => (finish = resolve))
    const slowPut: typeof put = async (bucket, key, body, options) => {
      await held
      return put(bucket, key, body, options)
    }
    const { port, close } = await start({ buckets: owned, objects: { put: slowPut } })
    const client = await rawClient(port)
    client.send(`${request('PUT', '/bucket/key', { body: 'abc' })}abc`)
    await pause(50)
    const closed = close({ graceMs: 5000 })
    await expect(rawClient(port).then((late) => late.closed()))
      .resolves.toBe('')
      .catch(() => undefined)
    finish()
    expect(await client.closed()).toMatch(/200 OK[^]*connection: close/i)
    await closed
  })

  it('ends what does not finish in time', async () => {
    const never = async (): Promise<never> => new Promise(() => undefined)
    const { port, close } = await start({ buckets: owned, objects: { put: never } })
    const client = await rawClient(port)
    client.send(`${request('PUT', '/bucket/key', { body: 'abc' })}abc`)
    await pause(50)
    await close({ graceMs: 50 })
    expect(await client.closed()).toBe('')
  })

  it('writes a log without queries, which hold signatures', async () => {
    const { port } = await start({ buckets: owned })
    const client = await rawClient(port)
    client.send('GET /bucket?X-Amz-Signature=secret HTTP/1.1\r\nhost: h\r\n\r\n')
    await client.until(/400 /)
    await expect.poll(() => server?.log.length).toBe(1)
    expect(JSON.stringify(server?.log)).not.toContain('secret')
    expect(server?.log[0]).toMatchObject({ method: 'GET', path: '/bucket', status: 400, bytesReceived: 0 })
  })

  it('refuses a port that is taken', async () => {
    const { port } = await start({})
    await expect(serve({ store: fakeStore(), identities: [], hashing, port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    })
  })
})
