/** Sessions over HTTP: who may begin one, how many there are, and when they end. */
import { request } from 'node:http'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Store } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from '../../store/memory-store.ts'
import { callsOf, settings } from './connected.fixture.ts'
import { type HttpOptions, type ServedHttp, serveHttp } from './serve-http.ts'
import { storeAccess } from '../session/store-access.ts'
import { workspaceStore } from '../session/workspace-store.ts'

const token = 'token-of-the-test'
let store: Store
let served: ServedHttp
const clients: Client[] = []
let actors: string[]

async function begin(options: Partial<HttpOptions> = {}): Promise<void> {
  served = await serveHttp({
    access: await storeAccess(async () => workspaceStore(store)),
    settings,
    messageBytesMax: 64 * 1024,
    host: '127.0.0.1',
    port: 0,
    token,
    hosts: [],
    origins: [],
    sessionsMax: 3,
    idleMs: 60_000,
    version: '1.0.0',
    onError: () => undefined,
    onSession: (actor) => void actors.push(actor),
    ...options,
  })
}

beforeEach(async () => {
  actors = []
  store = await memoryStore({ retentionMs: 3_600_000 })
  await begin()
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
  await served.close()
  await store.close()
})

async function connected(name = 'Http') {
  const client = new Client({ name, version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(served.url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  await client.connect(transport as Transport)
  clients.push(client)
  return { client, transport, ...callsOf(client) }
}

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

/** Sends a request that the SDK would not send. */
function send(
  headers: Readonly<Record<string, string>>,
  body: string = JSON.stringify(hello),
  path = '/mcp',
  method = 'POST',
) {
  const { port } = new URL(served.url)
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
  return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', method, path, headers: all }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('close', () => resolve({ status: response.statusCode, text }))
    })
    sent.on('error', reject).end(method === 'GET' ? undefined : body)
  })
}
const bearer = { authorization: `Bearer ${token}` }

describe('a client over HTTP', () => {
  it('has a session of its own, beside others', async () => {
    const [one, two] = [await connected('One'), await connected('Two')]
    await Promise.all([one.call('write', { key: 'a', text: '1' }), two.call('write', { key: 'b', text: '2' })])
    await two.confirmed('undo')
    expect((await one.call('list')).facts).toMatchObject({ entries: [{ key: 'a' }] })
    expect(actors.map((actor) => actor.split(':')[1])).toEqual(['one', 'two'])
  })

  it('ends its session, and cannot use it any more', async () => {
    const { client, transport, call } = await connected()
    await call('status')
    const id = transport.sessionId ?? ''
    await transport.terminateSession()
    await client.close()
    expect((await send({ ...bearer, 'mcp-session-id': id })).status).toBe(404)
  })

  it('of no session is refused at the limit, until one has ended', async () => {
    const [first] = [await connected(), await connected(), await connected()]
    expect((await send(bearer)).status).toBe(503)
    await first?.transport.terminateSession()
    expect((await send(bearer)).status).toBe(200)
  })

  it('that sends nothing for long loses its session, and keeps what it did', async () => {
    await served.close()
    let now = 0
    await begin({ idleMs: 1000, now: () => now })
    const [idle, used] = [await connected(), await connected()]
    await idle.call('write', { key: 'a', text: 'kept' })
    now = 900
    await used.call('status')
    now = 1800
    await expect(idle.call('status')).rejects.toThrow('No such session')
    expect((await used.call('read', { key: 'a' })).content).toEqual([{ type: 'text', text: 'kept' }])
  })
})

describe('a request over HTTP', () => {
  it.each([
    ['without a token', {}, 401],
    ['with another token', { authorization: 'Bearer other' }, 401],
    ['with the token in another form', { authorization: `Basic ${token}` }, 401],
    ['of a page in a browser', { ...bearer, origin: 'http://evil.example' }, 403],
    ['of a page of this machine', { ...bearer, origin: 'http://localhost:3000' }, 403],
    ['of a page without an origin', { ...bearer, origin: 'null' }, 403],
    ['to a name that a page resolves to this machine', { ...bearer, host: 'evil.example' }, 403],
    ['to another port', { ...bearer, host: '127.0.0.1:1' }, 403],
    ['of no session', { ...bearer, 'mcp-session-id': 'none' }, 404],
  ])('%s is refused', async (_, headers, status) => {
    expect((await send(headers)).status).toBe(status)
    expect(actors).toEqual([])
  })

  it.each([
    ['that is not JSON', '{', 400],
    ['that is not UTF-8', '\ud800', 400],
    ['that does not begin a session', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 400],
    ['that is too long', JSON.stringify({ ...hello, more: 'x'.repeat(70_000) }), 413],
  ])('with a body %s is refused', async (_, body, status) => {
    expect((await send(bearer, body)).status).toBe(status)
  })

  it('elsewhere is refused', async () => {
    expect((await send(bearer, undefined, '/')).status).toBe(404)
    expect((await send(bearer, undefined, '/mcp', 'GET')).status).toBe(400)
    expect((await send(bearer, undefined, '/mcp', 'DELETE')).status).toBe(400)
  })

  it('of an allowed page, and to an allowed host, is answered', async () => {
    await served.close()
    await begin({ origins: ['https://app.example'], hosts: ['mcp.example'] })
    expect((await send({ ...bearer, host: 'MCP.example', origin: 'https://app.example' })).status).toBe(200)
  })

  it('gets the error of the store if its session cannot begin', async () => {
    await served.close()
    await begin({ settings: { ...settings, bucket: 'absent', readOnly: true } })
    const { status, text } = await send(bearer)
    expect([status, text.includes('NoSuchBucket')]).toEqual([500, true])
  })
})
