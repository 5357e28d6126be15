/** No request is judged before the server knows the identities that other servers of its store have answered. */
import { StorageError, type Store } from '@varve/core'
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

async function failed({ method, url, rawHeaders }: Kind) {
  const store = fakeStore({ buckets: { head: async () => bucketOf('alice') } })
  const recent = () => Promise.reject(new StorageError('JournalFailed', 'The database is away.'))
  const service = serviceWith({
    identities: [alice],
    sessions: { roles: [], tokenKey: Buffer.alloc(32, 7).toString('base64') },
    store,
    controlStore: () => ({ ...store, owner: { identityFollowers: { recent } } }) as unknown as Store,
  })
  return respond(service, requestOf({ method, url, ...(rawHeaders && { rawHeaders }) }))
}

const requestOf = ({ method, url, rawHeaders }: Kind) => ({
  method,
  rawUrl: url,
  rawHeaders: rawHeaders ?? signedHeaders(method, url, { by: alice }),
  body: none,
  secure: true,
  requestId: 'REQUEST',
  client: { address: '192.0.2.1', signal: new AbortController().signal, onOver: () => undefined },
  trace: {},
})

async function send(kind: Kind) {
  const { service, learn, questions } = serverOf()
  let answer: WireResponse | undefined
  const answering = respond(service, requestOf(kind)).then((found) => (answer = found))
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

describe('a request while the other servers cannot be asked', () => {
  const forms: readonly (readonly [string, Kind, RegExp])[] = [
    ['of S3', { method: 'GET', url: '/bucket/key' }, /^<\?xml[^]*<Error>/],
    ['of the control API', { method: 'GET', url: '/-/v1/status' }, /^\{"error":\{"code"/],
    ['of the control API, by no method of it', { method: 'DELETE', url: '/-/v1/nothing' }, /^\{"error":\{"code"/],
    ['of the log', { method: 'GET', url: '/-/log/checkpoint' }, /^\{"error":\{"code"/],
    [
      'of STS',
      { method: 'POST', url: '/', rawHeaders: [...host, 'authorization', 'x/us-east-1/sts/aws4_request'] },
      /<ErrorResponse/,
    ],
  ]
  it.each(forms)('is refused in the form of its answers: %s', async (_, kind, form) => {
    const { status, body } = await failed(kind)
    expect(status).toBeGreaterThanOrEqual(500)
    expect(body instanceof Uint8Array ? Buffer.from(body).toString() : body).toMatch(form)
  })
})
