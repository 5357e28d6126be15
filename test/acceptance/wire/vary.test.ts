/**
 * `Vary` depends on the settings of the bucket alone: a cache that holds the answer to a request without an origin must
 * not give it to a page of another origin.
 */
import type { Store } from 'varve'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectStatus, openTestService, type TestService } from '../support/test-service.ts'
import { exchange, requestBytes, requestText } from '../support/wire.ts'

const vary = 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method'
const site = 'site.test'

const origins = {
  'no origin': [],
  'an allowed origin': ['Origin: https://page.test'],
  'another origin': ['Origin: https://other.test'],
  'an announced method': ['Origin: https://page.test', 'Access-Control-Request-Method: DELETE'],
} as const

type Extra = NonNullable<Parameters<typeof requestBytes>[2]>
type Row = readonly [what: string, line: string, status: number, extra?: Extra]
const empty = { extra: ['content-length: 0'] }

/** `BUCKET` is one with rules, and then one without. */
const rows: readonly Row[] = [
  ['GetObject', 'GET /BUCKET/k', 200],
  ['HeadObject', 'HEAD /BUCKET/k', 200],
  ['a range', 'GET /BUCKET/k', 206, { extra: ['range: bytes=0-0'] }],
  ['a range outside', 'GET /BUCKET/k', 416, { extra: ['range: bytes=99-'] }],
  ['304', 'GET /BUCKET/k', 304, { extra: ['if-none-match: *'] }],
  ['304 of HEAD', 'HEAD /BUCKET/k', 304, { extra: ['if-none-match: *'] }],
  ['412', 'GET /BUCKET/k', 412, { extra: ['if-match: "no"'] }],
  ['404', 'GET /BUCKET/none', 404],
  ['404 of HEAD', 'HEAD /BUCKET/none', 404],
  ['an anonymous request', 'GET /BUCKET/k', 403, { as: 'nobody' }],
  ['a stranger', 'GET /BUCKET/k', 403, { as: 'bob' }],
  ['a wrong region', 'GET /BUCKET/k', 400, { region: 'mars' }],
  ['an old signature', 'GET /BUCKET/k', 403, { clockAheadMs: -3_600_000 }],
  ['ListObjectsV2', 'GET /BUCKET?list-type=2', 200],
  ['HeadBucket', 'HEAD /BUCKET', 200],
  ['a setting', 'GET /BUCKET?versioning', 200],
  ['PutObject', 'PUT /BUCKET/new', 200, empty],
  ['CreateMultipartUpload', 'POST /BUCKET/new?uploads', 200, empty],
  ['DeleteObject', 'DELETE /BUCKET/none', 204],
  ['CreateBucket', 'PUT /BUCKET', 409, { ...empty, as: 'bob' }],
  ['an unknown subresource', 'GET /BUCKET/k?unknown', 501],
  ['a subresource that is not built', 'GET /BUCKET?abac', 501],
  ['a method', 'PATCH /BUCKET/k', 405, empty],
  ['a query that cannot be read', 'GET /BUCKET/k?versionId=%FF', 400, { as: 'nobody' }],
  ['a key that cannot be read', 'GET /BUCKET/%zz', 400, { as: 'nobody' }],
  ['a key that is not UTF-8', 'GET /BUCKET/a/%FF?versionId=null', 400, { as: 'nobody' }],
  ['a fragment', 'GET /BUCKET/k#f', 400, { as: 'nobody' }],
  ['the past', 'GET /BUCKET/k', 200, { headers: { 'x-varve-at': 'SEQ' } }],
  ['the past by name', 'GET /BUCKET--at-SEQ/k', 200],
]

describe('Vary', () => {
  let service: TestService
  let seq = ''
  beforeAll(async () => {
    let store: Store | undefined
    service = await openTestService({
      wrap: (opened) => (store = opened),
      serve: { websiteSuffixes: [site], controlStore: () => store as Store },
    })
    for (const bucket of ['ruled', 'plain']) {
      expectStatus(await service.ask(`PUT /${bucket}`), 200)
      await service.put(`/${bucket}/k`)
    }
    const rule = '<AllowedOrigin>https://page.test</AllowedOrigin><AllowedMethod>GET</AllowedMethod>'
    const body = `<CORSConfiguration><CORSRule>${rule}</CORSRule></CORSConfiguration>`
    const answer = expectStatus(await service.ask('PUT /ruled?cors', { body }), 200)
    seq = answer.headers['x-varve-seq'] ?? ''
  })
  afterAll(() => service.stop())

  function send(bucket: string, [, line, , extra = {}]: Row, origin: readonly string[]) {
    const filled = line.replace('BUCKET', bucket).replace('SEQ', seq)
    const { headers = {} } = extra
    const at = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace('SEQ', seq)]))
    const more = { ...extra, headers: at, extra: [...(extra.extra ?? []), ...origin] }
    return exchange(service.server, requestBytes(service.server, filled, more), line.split(' ')[0])
  }

  it.each(rows.map((row) => [row[0], row] as const))(
    'is in every answer of a bucket with rules: %s',
    async (_, row) => {
      for (const [what, origin] of Object.entries(origins)) {
        const answer = await send('ruled', row, origin)
        expect([what, answer.status, answer.headers['vary']], answer.text).toEqual([what, row[2], vary])
        const plain = await send('plain', row, origin)
        expect([what, plain.status, plain.headers['vary']], plain.text).toEqual([what, row[2], undefined])
      }
    },
  )

  it.each([
    ['allowed', [...origins['an allowed origin'], 'Access-Control-Request-Method: GET'], 200],
    ['not allowed', [...origins['another origin'], 'Access-Control-Request-Method: GET'], 403],
    ['without an origin', [], 400],
    ['with a wrong method', [...origins['an allowed origin'], 'Access-Control-Request-Method: get'], 400],
  ])('is in the answer to a preflight request that is %s', async (_, headers, status) => {
    const answer = await exchange(service.server, requestText('OPTIONS /ruled/k', ['host: h', ...headers]), 'OPTIONS')
    expect([answer.status, answer.headers['vary']]).toEqual([status, vary])
  })

  it.each([
    ['GET', 404],
    ['HEAD', 404],
    ['POST', 404],
  ])('is in the pages of a website: %s', async (method, status) => {
    for (const [bucket, expected] of [['ruled', vary] as const, ['plain', undefined] as const]) {
      const text = requestText(`${method} /k`, [`host: ${bucket}.${site}`, 'content-length: 0'])
      const answer = await exchange(service.server, text, method)
      expect([answer.status, answer.headers['vary']]).toEqual([status, expected])
    }
  })

  it.each([
    ['the buckets', 'GET /', 200],
    ['no bucket', 'GET /none/k', 404],
    ['no name of a bucket', 'GET /Bad_Name/k', 400],
    ['the control API', 'GET /-/v1/objects?bucket=ruled', 200],
  ])('is absent where no bucket has rules: %s', async (_, line, status) => {
    const answer = await exchange(service.server, requestBytes(service.server, line))
    expect([answer.status, answer.headers['vary']]).toEqual([status, undefined])
  })

  it('follows the settings at once', async () => {
    const bucket = await service.bucket()
    await service.put(`/${bucket}/k`)
    const varies = async () => (await service.ask(`GET /${bucket}/k`)).headers['vary']
    const body =
      '<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>'
    for (let time = 0; time < 2; time++) {
      expect(await varies()).toBeUndefined()
      expectStatus(await service.ask(`PUT /${bucket}?cors`, { body }), 200)
      expect(await varies()).toBe(vary)
      expectStatus(await service.ask(`DELETE /${bucket}?cors`), 204)
    }
  })
})
