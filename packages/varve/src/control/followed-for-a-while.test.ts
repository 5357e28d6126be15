/** Answers that follow the log, of callers that may do so only until a moment. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import type { Store } from '@varve/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createIdentity, parsePolicy, type RunningServer, serve, signRequest } from '../http.ts'
import { callSts, type Keys, keysIn } from '../identities/signed-calls.fixture.ts'
import { memoryStore } from '../store/memory-store.ts'

const hour = 3_600_000
const root = { accessKeyId: 'ROOT', secretAccessKey: 'secret of root' }
const reader = { accessKeyId: 'READER', secretAccessKey: 'secret of the reader' }
const visitor = { accessKeyId: 'VISITOR', secretAccessKey: 'secret of the visitor' }
const tokenKey = Buffer.alloc(32, 7).toString('base64')

let store: Store
let server: RunningServer
let ahead: number

const readsLog = { Effect: 'Allow', Action: 'varve:ReadLog', Resource: '*' }
const until = (ms: number) => ({ DateLessThan: { 'aws:CurrentTime': new Date(ms).toISOString() } })

beforeEach(async () => {
  ahead = 0
  store = await memoryStore()
  await store.buckets.create('photos')
  const policies = { reader: readsLog, visitor: { ...readsLog, Condition: until(Date.now() + hour / 2) } }
  const named = (name: keyof typeof policies, keys: Keys) =>
    createIdentity({ name, ...keys, policy: parsePolicy({ Version: '2012-10-17', Statement: [policies[name]] }) })
  server = await serve({
    store,
    controlStore: () => store,
    identities: [
      createIdentity({ name: 'root', ...root, root: true }),
      named('reader', reader),
      named('visitor', visitor),
    ],
    sessions: { roles: [], tokenKey },
    port: 0,
    region: 'eu',
    now: () => Date.now() + ahead,
  })
})
afterEach(async () => {
  await server.close({ graceMs: 0 })
  await store.close()
})

/** An answer that has begun. */
async function following(by: Keys, accept: string): Promise<{ readonly ended: Promise<string> }> {
  const { host, port } = new URL(server.url)
  const [rawPath, rawQuery] = ['/-/v1/log', 'from=1&follow=true']
  const { headers } = signRequest(
    {
      method: 'GET',
      rawPath,
      rawQuery,
      headers: [
        ['host', host],
        ['accept', accept],
      ],
    },
    { ...by, region: 'eu', now: Date.now(), payloadHash: 'UNSIGNED-PAYLOAD' },
  )
  const sent = request({
    port,
    path: `${rawPath}?${rawQuery}`,
    headers: Object.fromEntries(headers),
    agent: false,
  }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  expect(response.statusCode).toBe(200)
  return { ended: textOf(response) }
}

const sessionOf = async (by: Keys): Promise<Keys> => keysIn(await callSts(server, by, { Action: 'GetSessionToken' }))

const cases = [
  ['a session', () => sessionOf(reader), 'ExpiredToken'],
  ['a session of root', () => sessionOf(root), 'ExpiredToken'],
  ['a policy that names a time', async () => visitor, 'AccessDenied'],
] as const
const forms = ['application/x-ndjson', 'text/event-stream'] as const

it.each(cases.flatMap(([who, keys, code]) => forms.map((form) => [who, form, keys, code] as const)))(
  'end when the time of %s ends, before the next event, as %s',
  async (_who, form, keys, code) => {
    const { ended } = await following(await keys(), form)
    ahead = 24 * hour
    await store.objects.put('photos', 'later', 'x')
    const text = await ended
    expect(text).toContain('BucketCreated')
    expect(text).not.toContain('later')
    expect(text).toContain(code)
  },
  60_000,
)

it.each(cases)(
  'end although no event comes: %s',
  async (_who, keys, code) => {
    const { ended } = await following(await keys(), 'application/x-ndjson')
    ahead = 24 * hour
    expect(await ended).toContain(code)
  },
  60_000,
)
