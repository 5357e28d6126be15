/** Header names on the wire, read as bytes: shell scripts and libs3 compare them with case. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from 'varve'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectStatus, openTestService, type TestService } from '../support/test-service.ts'
import { assertSpelled } from '../support/spelling.ts'
import { connect, requestBytes, requestText } from '../support/wire.ts'

const onAll = ['Date', 'Server', 'x-amz-request-id', 'x-request-id']
const ofDocument = [...onAll, 'Content-Type', 'Content-Length']
const ofObject = [...ofDocument, 'ETag', 'Last-Modified', 'Accept-Ranges', 'x-amz-meta-name', 'x-svc-meta-name']
const ofCors = ['Access-Control-Allow-Origin', 'Access-Control-Allow-Methods', 'Vary']
const page = 'Origin: https://page.test'
const large = 'a'.repeat(300_000)
const site = 'site.test'

type Extra = Omit<Parameters<typeof requestBytes>[2] & object, 'line'>
type Row = readonly [what: string, line: string, status: number, names: readonly string[], extra?: Extra]

const rows: readonly Row[] = [
  ['PutObject', 'PUT /spelled/new', 200, [...onAll, 'ETag', 'Content-Length'], { extra: ['content-length: 0'] }],
  ['GetObject', 'GET /spelled/k', 200, ofObject],
  ['HeadObject', 'HEAD /spelled/k', 200, ofObject],
  ['a range', 'GET /spelled/k', 206, [...ofObject, 'Content-Range'], { extra: ['Range: bytes=0-1'] }],
  ['a range outside', 'GET /spelled/k', 416, [...ofDocument, 'Content-Range'], { extra: ['Range: bytes=9999999-'] }],
  ['304', 'GET /spelled/k', 304, [...onAll, 'ETag', 'Last-Modified'], { extra: ['If-None-Match: *'] }],
  ['a failed condition', 'GET /spelled/k', 412, ofDocument, { extra: ['If-Match: "no"'] }],
  ['404', 'GET /spelled/none', 404, ofDocument],
  ['404 of HEAD', 'HEAD /spelled/none', 404, [...onAll, 'Content-Type']],
  ['403', 'GET /spelled/k', 403, ofDocument, { as: 'nobody' }],
  ['405', 'POST /spelled/k', 405, [...ofDocument, 'Allow'], { extra: ['content-length: 0'] }],
  ['501', 'GET /spelled?abac', 501, ofDocument],
  [
    'response overrides',
    'GET /spelled/k?response-cache-control=a&response-expires=b&response-content-language=c&response-content-disposition=d&response-content-encoding=e',
    200,
    [...ofObject, 'Cache-Control', 'Expires', 'Content-Language', 'Content-Disposition', 'Content-Encoding'],
  ],
  ['a listing', 'GET /spelled?list-type=2', 200, ofDocument],
  ['the versions', 'GET /spelled?versions', 200, ofDocument],
  ['the buckets', 'GET /', 200, ofDocument],
  ['CreateBucket', 'PUT /another', 200, [...onAll, 'Location'], { extra: ['content-length: 0'] }],
  ['HeadBucket', 'HEAD /spelled', 200, onAll],
  ['CreateMultipartUpload', 'POST /spelled/u?uploads', 200, ofDocument, { extra: ['content-length: 0'] }],
  ['DeleteObject', 'DELETE /spelled/none', 204, onAll],
  [
    'preflight',
    'OPTIONS /spelled/k',
    200,
    [...ofCors, 'Access-Control-Max-Age', 'Access-Control-Allow-Credentials', 'Access-Control-Expose-Headers'],
    { as: 'nobody', extra: [page, 'Access-Control-Request-Method: GET'] },
  ],
  ['a refused preflight', 'OPTIONS /spelled/k', 400, ofDocument, { as: 'nobody' }],
  ['an object for a page', 'GET /spelled/k', 200, [...ofObject, ...ofCors], { extra: [page] }],
  ['an error for a page', 'GET /spelled/none', 404, [...ofDocument, ...ofCors], { extra: [page] }],
  ['other expectations', 'GET /spelled/k', 417, [...onAll, 'Connection'], { extra: ['Expect: tea'] }],
  ['a last answer', 'GET /spelled/k', 200, [...ofObject, 'Connection'], { extra: ['Connection: close'] }],
  ['an unknown transfer coding', 'GET /spelled/k', 501, ofDocument, { extra: ['Transfer-Encoding: gzip, chunked'] }],
  ['health', 'GET /-/health', 200, [...onAll, 'Cache-Control'], { as: 'nobody' }],
  ['metrics without a token', 'GET /-/metrics', 401, [...onAll, 'WWW-Authenticate'], { as: 'nobody' }],
  ['metrics', 'GET /-/metrics', 200, ofDocument, { as: 'nobody', extra: ['Authorization: Bearer a-token'] }],
  ['the console', 'GET /-/console/', 200, [...ofDocument, 'ETag', 'X-Content-Type-Options'], { as: 'nobody' }],
  ['the way to the console', 'GET /-/console', 302, [...onAll, 'Location'], { as: 'nobody' }],
  ['a value of the control API', 'GET /-/v1/status', 200, ofDocument],
  ['lines of the control API', 'GET /-/v1/log', 200, [...onAll, 'Content-Type', 'Transfer-Encoding']],
  ['bytes of the control API', 'GET /-/v1/content?bucket=spelled&key=k', 200, ofDocument],
  ['an error of the control API', 'GET /-/v1/object?bucket=none', 400, ofDocument],
  ['the log', 'GET /-/log/checkpoint', 200, ofDocument],
]

describe('header names', () => {
  let service: TestService
  let dir: string
  let store: Store | undefined
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'varve-console-'))
    await writeFile(join(dir, 'index.html'), '<p>console</p>')
    service = await openTestService({
      wrap: (opened) => (store = opened),
      serve: {
        console: dir,
        websiteSuffixes: [site],
        metrics: { contentType: 'text/plain', text: async () => 'a 1', token: 'a-token' },
        controlStore: () => store as Store,
      },
    })
    expectStatus(await service.ask('PUT /spelled'), 200)
    const headers = { 'x-amz-meta-name': 'n' }
    expectStatus(await service.ask('PUT /spelled/k', { body: large, headers }), 200)
    const rule =
      '<CORSRule><AllowedOrigin>https://*.test</AllowedOrigin><AllowedMethod>GET</AllowedMethod>' +
      '<ExposeHeader>ETag</ExposeHeader><MaxAgeSeconds>60</MaxAgeSeconds></CORSRule>'
    const body = `<CORSConfiguration>${rule}</CORSConfiguration>`
    expectStatus(await service.ask('PUT /spelled?cors', { body }), 200)
    const redirect = '<RedirectAllRequestsTo><HostName>other.test</HostName></RedirectAllRequestsTo>'
    const website = `<WebsiteConfiguration>${redirect}</WebsiteConfiguration>`
    expectStatus(await service.ask('PUT /spelled?website', { body: website }), 200)
  })
  afterAll(async () => {
    await service.stop()
    await rm(dir, { recursive: true })
  })

  /** The status and the header names of the first answer on a connection. */
  async function headOf(bytes: string) {
    const wire = await connect(service.server)
    let text = ''
    const whole = new Promise<void>((resolve, reject) => {
      wire.socket.on('close', () => reject(new Error(`closed after: ${text}`)))
      wire.socket.on('data', (piece: Buffer) => {
        text += piece.toString('latin1')
        if (text.includes('\r\n\r\n')) resolve()
      })
    })
    wire.send(bytes)
    await whole
    wire.socket.destroy()
    const [statusLine = '', ...lines] = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n')
    return { status: Number(statusLine.split(' ')[1]), names: lines.map((line) => line.slice(0, line.indexOf(':'))) }
  }

  async function expectHead(bytes: string, status: number, names: readonly string[]): Promise<void> {
    const head = await headOf(bytes)
    expect(head.status).toBe(status)
    expect(head.names).toEqual(expect.arrayContaining([...names]))
    assertSpelled(head.names)
    const folded = head.names.map((name) => name.toLowerCase())
    expect(new Set(folded).size, 'each name is sent once').toBe(folded.length)
  }

  it.each(rows.map((row) => [row[0], row] as const))('of %s are as S3 spells them', async (_what, row) => {
    const [, line, status, names, extra] = row
    await expectHead(requestBytes(service.server, line, extra), status, names)
  })

  it.each([
    ['no HTTP', 'nothing\r\n\r\n', 405],
    ['two lengths', 'PUT /a/b HTTP/1.1\r\nhost: h\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', 400],
    ['an unknown method', 'BREW /a/b HTTP/1.1\r\nhost: h\r\n\r\n', 405],
    ['a large head', `GET / HTTP/1.1\r\nhost: h\r\nx-a: ${'a'.repeat(70_000)}\r\n\r\n`, 400],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400],
  ])('of a request that is not well-formed are, too: %s', async (_what, bytes, status) => {
    await expectHead(bytes, status, ofDocument)
  })

  it.each([
    ['a redirect', 'spelled', 301, [...onAll, 'Location']],
    ['an error', 'none', 404, ofDocument],
  ])('of a website are, too: %s', async (_what, bucket, status, names) => {
    await expectHead(requestText('GET /k', [`host: ${bucket}.${site}`]), status, names)
  })
})
