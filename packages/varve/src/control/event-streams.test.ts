/** The log as server-sent events: over the socket of the store, and over HTTP with a signature. */
import { createHash } from 'node:crypto'
import { type ClientRequest, type IncomingMessage, request, type RequestOptions } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from '@varve/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createIdentity, type RunningServer, serve, signRequest } from '../http.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { socketFiles } from './socket-files.ts'

const scratch = scratchDirectory()
const root = createIdentity({ name: 'root', accessKeyId: 'ROOT', secretAccessKey: 'secret of root', root: true })
let dir: string
let store: Store
let server: RunningServer

beforeAll(async () => {
  dir = scratch.next()
  store = await openStore(dir)
  await store.buckets.create('photos')
  for (const key of ['a', 'b\n', 'c']) await store.objects.put('photos', key, 'x')
  server = await serve({ store, controlStore: () => store, identities: [root], port: 0 })
})
afterAll(async () => {
  await server.close({ graceMs: 0 })
  await store.close()
})

interface Streaming {
  readonly response: IncomingMessage
  readonly text: () => string
  /** Resolves when the text has this many events. */
  until(count: number): Promise<readonly Readonly<Record<string, string>>[]>
  readonly ended: Promise<void>
  leave(): void
}

type Headers = Readonly<Record<string, string>>
const events = { accept: 'text/event-stream' }

function overSocket(path: string, headers: Headers): RequestOptions {
  return { socketPath: socketFiles(dir).socket, path, headers }
}

function overHttp(path: string, headers: Headers): RequestOptions {
  const { port, host } = new URL(server.url)
  const [rawPath = '', rawQuery = ''] = path.split('?')
  const payloadHash = createHash('sha256').digest('hex')
  const signed = signRequest(
    { method: 'GET', rawPath, rawQuery, headers: [['host', host], ...Object.entries(headers)] },
    { accessKeyId: 'ROOT', secretAccessKey: 'secret of root', region: 'us-east-1', now: Date.now(), payloadHash },
  )
  return { port, path, headers: Object.fromEntries(signed.headers) }
}

function streaming(options: RequestOptions): Promise<Streaming> {
  return new Promise((resolve, reject) => {
    const sent: ClientRequest = request(options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('error', () => undefined)
      const ended = new Promise<void>((settle) => response.once('end', settle))
      const until = async (count: number) => {
        for (const end = Date.now() + 10_000; eventsIn(text).length < count && Date.now() < end; ) await delay(5)
        return eventsIn(text)
      }
      resolve({ response, text: () => text, until, ended, leave: () => sent.destroy() })
    })
    sent.on('error', reject).end()
  })
}

const eventsIn = (text: string) =>
  text
    .split('\n\n')
    .slice(0, -1)
    .map((event) =>
      Object.fromEntries(
        event
          .trim()
          .split('\n')
          .map((line) => line.split(/: (.*)/s).slice(0, 2)),
      ),
    )

describe.each([
  ['over the socket', overSocket],
  ['over HTTP', overHttp],
])('an event stream %s', (_where, to) => {
  it('has an event for each event of the log, and follows it', async () => {
    const stream = await streaming(to('/-/v1/log?from=2&bucket=photos', events))
    expect(stream.response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    const { seq } = await store.objects.put('photos', 'followed', 'x')
    const found = await stream.until(seq - 1)
    expect(found.map(({ id, event }) => `${id} ${event}`).slice(0, 3)).toEqual([
      '2 BucketCreated',
      '3 VersionAdded',
      '4 VersionAdded',
    ])
    expect(JSON.parse(found[2]?.['data'] ?? '')).toMatchObject({ seq: 4, data: { key: 'b\n' } })
    expect(found.at(-1)).toMatchObject({ id: String(seq) })
    stream.leave()
  })

  it('continues after the event that the client got last', async () => {
    const { seq } = store
    const stream = await streaming(to('/-/v1/log?from=1', { ...events, 'last-event-id': String(seq - 1) }))
    expect((await stream.until(1)).map(({ id }) => id)).toEqual([String(seq)])
    stream.leave()
  })

  it('begins at once although no event matches, and ends with its last position', async () => {
    const quiet = await streaming(to('/-/v1/log?by=nobody', events))
    expect([quiet.response.statusCode, quiet.text().trim()]).toEqual([200, ''])
    quiet.leave()
    const lines = await streaming(to('/-/v1/log?by=nobody&follow=true', {}))
    expect(lines.response.headers['content-type']).toBe('application/x-ndjson')
    lines.leave()
    const last = await streaming(to('/-/v1/log?to=3', { accept: 'text/html, text/event-stream;q=0.9' }))
    await last.ended
    expect(eventsIn(last.text())).toHaveLength(3)
  })

  it.each([
    ['/-/v1/log', { ...events, 'last-event-id': 'x' }],
    ['/-/v1/log?prefix=a', events],
    ['/-/v1/log?since=2999-01-01T00:00:00Z', events],
    ['/-/v1/log?types=VersionAdded,Nothing', events],
  ])('is refused with a status before it begins: %s %j', async (path, headers) => {
    const { response, text, ended } = await streaming(to(path, headers))
    await ended
    expect([response.statusCode, response.headers['content-type']]).toEqual([400, 'application/json'])
    expect(Object.keys(JSON.parse(text()) as object)).toEqual(['error'])
  })
})

it('ends with an error event when the store closes', async () => {
  const own = scratch.next()
  const closing = await openStore(own)
  await closing.buckets.create('photos')
  const stream = await streaming({ socketPath: socketFiles(own).socket, path: '/-/v1/log', headers: events })
  await stream.until(2)
  await closing.close()
  await stream.ended
  expect(eventsIn(stream.text()).at(-1)).toMatchObject({ event: 'error' })
  expect(JSON.parse(eventsIn(stream.text()).at(-1)?.['data'] ?? '')).toMatchObject({ code: 'StoreClosed' })
})
