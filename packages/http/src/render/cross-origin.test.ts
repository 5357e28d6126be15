import { StorageError } from '@varve/core'
import type { CorsRule } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { bucketOf, fakeStore } from '../fake-store.fixture.ts'
import type { WireRequest } from '../contract/wire-request.ts'
import { respond } from './respond.ts'
import { serviceWith, signedRequest } from '../signed-request.fixture.ts'

const rules: readonly CorsRule[] = [
  { allowedOrigins: ['http://*.page'], allowedMethods: ['GET'], allowedHeaders: ['x-amz-*'], exposeHeaders: [] },
  { allowedOrigins: ['*'], allowedMethods: ['PUT'], allowedHeaders: [], exposeHeaders: ['etag'], maxAgeSeconds: 5 },
]

/** Sends a request to a bucket with these rules. `'none'` when it has no rules, `'gone'` when there is no bucket. */
async function ask(request: WireRequest, held: readonly CorsRule[] | 'gone' | 'none' = rules) {
  let lookups = 0
  const head = async () => {
    if (held === 'gone') throw new StorageError('NoSuchBucket', 'gone')
    return bucketOf('alice', held === 'none' ? {} : { settings: { Cors: 1 } })
  }
  const get = async () => {
    lookups += 1
    return held
  }
  const settings = { get } as never
  const store = fakeStore({ buckets: { head, settings } })
  const { status, headers, body } = await respond(serviceWith({ store }), request)
  const corsHeaders = Object.entries(headers).filter(([name]) => /^(access-control-|vary)/.test(name))
  const text = body instanceof Uint8Array ? Buffer.from(body).toString() : ''
  return { status, lookups, text, cors: Object.fromEntries(corsHeaders) }
}

const vary = 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method'
/** What an answer of a bucket with rules has, even if no rule matches. */
const unmatched = (held: readonly CorsRule[] | 'gone' | 'none') => (typeof held === 'string' ? {} : { vary })

const options = (rawUrl: string, ...rawHeaders: readonly string[]): WireRequest => ({
  ...signedRequest('OPTIONS', rawUrl).request,
  rawHeaders: ['Host', 'localhost:9000', ...rawHeaders],
})
const element = (text: string, name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1]

describe('a preflight request', () => {
  const origin = ['Origin', 'http://my.page']
  const toGet = [...origin, 'Access-Control-Request-Method', 'GET']

  it.each([
    ['Method', 'get'],
    ['Method', 'PATCH'],
    ['Headers', 'X-Amz-Date,invalid header'],
    ['Headers', 'X(Custom)'],
    ['Headers', 'X[Key],Date'],
  ])('is refused an Access-Control-Request-%s of %s, whatever the rules', async (what, value) => {
    const more = what === 'Method' ? [] : ['Access-Control-Request-Method', 'GET']
    for (const held of [rules, 'none'] as const) {
      const answer = await ask(
        options('/bucket/key', ...origin, ...more, `Access-Control-Request-${what}`, value),
        held,
      )
      expect([answer.status, element(answer.text, 'Code')]).toEqual([400, 'BadRequest'])
    }
  })

  it('is answered with what a page of its origin may do, without credentials', async () => {
    const requestHeaders = ['Access-Control-Request-Headers', 'X-Amz-Date,x-amz-META-a']
    expect(await ask(options('/bucket/key', ...toGet, ...requestHeaders))).toMatchObject({
      status: 200,
      text: '',
      cors: {
        'access-control-allow-origin': 'http://my.page',
        'access-control-allow-methods': 'GET',
        'access-control-allow-headers': 'x-amz-date, x-amz-meta-a',
        'access-control-allow-credentials': 'true',
      },
    })
    expect(await ask(options('/bucket', 'Origin', 'null', 'Access-Control-Request-Method', 'PUT'))).toMatchObject({
      status: 200,
      cors: { 'access-control-allow-origin': '*', 'access-control-max-age': '5' },
    })
  })

  const noRule = expect.stringMatching(
    /^CORSResponse: This CORS request is not allowed\. This is usually because the eval/,
  )
  const noOrigin = 'Insufficient information. Origin request header needed.'
  const noBucket = 'CORSResponse: Bucket not found'
  const toDelete = [...origin, 'Access-Control-Request-Method', 'DELETE']
  const toRange = [...toGet, 'Access-Control-Request-Headers', 'range']

  it.each([
    ['no origin', options('/bucket'), rules, noOrigin],
    ['no origin and no bucket', options('/'), 'gone', noOrigin],
    ['no method', options('/bucket', ...origin), rules, 'Invalid Access-Control-Request-Method: null'],
  ] as const)('is refused with %s', async (_, request, held, message) => {
    const { status, text, cors } = await ask(request, held)
    expect([status, element(text, 'Code'), element(text, 'Message'), cors]).toEqual([
      400,
      'BadRequest',
      message,
      unmatched(held),
    ])
  })

  it.each([
    ['no bucket', options('/bucket', ...origin), 'gone', [noBucket, 'OPTIONS', 'BUCKET']],
    ['no name of a bucket', options('/', ...toGet), 'gone', [noBucket, 'GET', 'BUCKET']],
    [
      'no rules',
      options('/bucket/key', ...toGet),
      'none',
      ['CORSResponse: CORS is not enabled for this bucket.', 'GET', 'BUCKET'],
    ],
    ['another origin', options('/bucket', ...toGet, 'origin', 'x'), rules, [noRule, 'GET', 'BUCKET']],
    ['another method', options('/bucket/key', ...toDelete), rules, [noRule, 'DELETE', 'OBJECT']],
    ['another header', options('/bucket/key', ...toRange), rules, [noRule, 'GET', 'OBJECT']],
  ] as const)('is forbidden with %s', async (_, request, held, corsHeaders) => {
    const { status, text, cors } = await ask(request, held)
    const answered = ['Message', 'Method', 'ResourceType'].map((name) => element(text, name))
    expect([status, element(text, 'Code'), cors]).toEqual([403, 'AccessForbidden', unmatched(held)])
    expect(answered).toEqual(corsHeaders)
  })
})

describe('an answer to a page of another origin', () => {
  const requested = (url: string, ...headers: readonly string[]) => {
    const { request } = signedRequest('HEAD', url)
    return { ...request, rawHeaders: [...request.rawHeaders, ...headers] }
  }
  const head: readonly CorsRule[] = [
    { allowedOrigins: ['http://a'], allowedMethods: ['HEAD'], allowedHeaders: [], exposeHeaders: [] },
  ]

  it('names the allowed origin', async () => {
    expect(await ask(requested('/bucket', 'origin', 'http://a'), head)).toMatchObject({
      status: 200,
      cors: { 'access-control-allow-origin': 'http://a', 'access-control-allow-methods': 'HEAD' },
    })
  })

  it('takes the rules of the bucket for the bucket as it was', async () => {
    const requested: string[] = []
    const settings = { get: async () => head } as never
    const find = async (name: string) => {
      requested.push(name)
      if (name !== 'bucket') throw new StorageError('NoSuchBucket', 'gone')
      return bucketOf('alice', { settings: { Cors: 1 } })
    }
    const service = serviceWith({ store: fakeStore({ buckets: { head: find, settings } }) })
    const preflight = options('/bucket--at-5/k', 'Origin', 'http://a', 'Access-Control-Request-Method', 'HEAD')
    expect(await respond(service, preflight)).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': 'http://a' },
    })
    expect(requested).toEqual(['bucket--at-5', 'bucket'])
  })

  it('names it in errors too', async () => {
    const request = { ...requested('/bucket'), rawHeaders: ['host', 'localhost', 'origin', 'http://a'] }
    expect(await ask(request, head)).toMatchObject({
      status: 403,
      cors: { 'access-control-allow-origin': 'http://a' },
    })
  })

  it('is judged as what it announces', async () => {
    const announcing = (method: string) =>
      requested('/bucket', 'origin', 'http://a', 'access-control-request-method', method)
    expect((await ask(announcing('PUT'), rules)).cors).toMatchObject({ 'access-control-allow-methods': 'PUT' })
    expect((await ask(announcing('DELETE'), rules)).cors).toEqual({ vary })
  })

  it.each([
    ['no rules', requested('/bucket', 'origin', 'http://a'), 'none'],
    ['no bucket', requested('/bucket', 'origin', 'http://a'), 'gone'],
    ['no name of one', requested('/Bad_Bucket', 'origin', 'http://a'), head],
    ['no target', { ...requested('/bucket', 'origin', 'http://a'), rawUrl: '*' }, head],
  ] as const)('has no CORS headers with %s', async (_, request, held) => {
    expect((await ask(request, held)).cors).toEqual({})
  })

  it('has only Vary for another origin', async () => {
    expect((await ask(requested('/bucket', 'origin', 'http://b'), head)).cors).toEqual({ vary })
  })

  it('looks no rules up for a request without an origin', async () => {
    expect(await ask(requested('/bucket'), head)).toMatchObject({ status: 200, lookups: 0, cors: { vary } })
  })
})
