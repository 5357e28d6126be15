/** No request is judged before the server knows the identities that other servers of its store have answered. */
import type { Store } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { bucketOf, fakeStore } from '../fake-store.fixture.ts'
import { respond } from '../render/respond.ts'
import { alice, serviceWith, signedHeaders } from '../signed-request.fixture.ts'
import type { WireResponse } from '../render/wire-response.ts'

/** A server that is told of a removal only when it asks. */
function serverOf() {
  let learn: () => void = () => undefined
  const known = new Promise<void>((resolve) => (learn = resolve))
  let questions = 0
  const recent = (): Promise<void> => {
    questions++
    return known
  }
  const store = fakeStore({ buckets: { head: async () => bucketOf('alice') } })
  const service = serviceWith({
    identities: [alice],
    sessions: { roles: [], tokenKey: Buffer.alloc(32, 7).toString('base64') },
    websiteSuffixes: ['site.localhost'],
    store,
    controlStore: () => ({ ...store, owner: { identityFollowers: { recent } } }) as unknown as Store,
  })
  return { service, learn, questions: () => questions }
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const formOfFields = { 'content-type': 'multipart/form-data; boundary=x' }
const host = ['host', 'localhost:9000']

interface Kind {
  readonly method: string
  readonly url: string
  readonly rawHeaders?: readonly string[]
}

const signed: Readonly<Record<string, Kind>> = {
  'a read': { method: 'GET', url: '/bucket/key' },
  'a write': { method: 'PUT', url: '/bucket/key' },
  'a listing of buckets': { method: 'GET', url: '/' },
  'the control API': { method: 'GET', url: '/-/v1/status' },
  'the log': { method: 'GET', url: '/-/log/checkpoint' },
}
const others: Readonly<Record<string, Kind>> = {
  'no credentials': { method: 'GET', url: '/bucket/key', rawHeaders: host },
  STS: { method: 'POST', url: '/', rawHeaders: [...host, ...Object.entries(form).flat()] },
  'a form': { method: 'POST', url: '/bucket', rawHeaders: [...host, ...Object.entries(formOfFields).flat()] },
  'a website': { method: 'GET', url: '/', rawHeaders: ['host', 'bucket.site.localhost'] },
}

const none = (async function* () {})()

async function send({ method, url, rawHeaders }: Kind) {
  const { service, learn, questions } = serverOf()
  let answer: WireResponse | undefined
  const answering = respond(service, {
    method,
    rawUrl: url,
    rawHeaders: rawHeaders ?? signedHeaders(method, url, { by: alice }),
    body: none,
    secure: true,
    requestId: 'REQUEST',
    client: { address: '192.0.2.1', signal: new AbortController().signal, onOver: () => undefined },
    trace: {},
  }).then((found) => (answer = found))
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  expect([answer, questions()]).toEqual([undefined, 1])
  service.identities.replace([])
  learn()
  return answering
}

describe.each(Object.entries({ ...signed, ...others }))('%s', (name, kind) => {
  it('waits, and is judged by the identities that are known then', async () => {
    const { status, body } = await send(kind)
    expect(status).toBeGreaterThanOrEqual(400)
    const text = body instanceof Uint8Array ? Buffer.from(body).toString() : body
    if (name in signed) expect([status, text]).toEqual([403, expect.stringContaining('InvalidAccessKeyId')])
  })
})
