/**
 * What somebody stored is answered at the origin of the console. No answer of this origin may be run by a browser as a page
 * of it, whatever its type, and however it is asked for. Hosts of buckets are other origins, and a server without a
 * console answers as S3 does.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from 'varve'
import { presign } from 'varve/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { targetOf } from '../support/call.ts'
import { expectStatus, openTestService, type TestService } from '../support/test-service.ts'
import { exchange, requestBytes, requestText } from '../support/wire.ts'

const guarded = { csp: 'sandbox', sniffing: 'nosniff' }
const asS3 = { csp: undefined, sniffing: undefined }
const markup = '<script>location = "https://attacker.test/"</script>'

const types: readonly (string | undefined)[] = [
  'text/html',
  'text/html; charset=utf-16',
  'TEXT/HTML',
  'application/xhtml+xml',
  'image/svg+xml',
  'application/xml',
  'text/xml',
  'text/xsl',
  'application/rss+xml',
  'application/pdf',
  'application/javascript',
  'multipart/x-mixed-replace; boundary=a',
  'multipart/related',
  'message/rfc822',
  'text/plain',
  'image/png',
  'application/octet-stream',
  'application/zip',
  'application/unknown',
  '*/*',
  'no type',
  '',
  undefined,
]

type Extra = NonNullable<Parameters<typeof requestBytes>[2]>
type Row = readonly [what: string, line: string, status: number, extra?: Extra]
const empty = { extra: ['content-length: 0'] }

const rows: readonly Row[] = [
  ['GetObject', 'GET /pages/k', 200],
  ['HeadObject', 'HEAD /pages/k', 200],
  ['a version', 'GET /pages/k?versionId=null', 200],
  ['a part', 'GET /pages/k?partNumber=1', 206],
  ['a range', 'GET /pages/k', 206, { extra: ['range: bytes=0-9'] }],
  ['several ranges', 'GET /pages/k', 200, { extra: ['range: bytes=0-1,3-4'] }],
  ['a range outside', 'GET /pages/k', 416, { extra: ['range: bytes=999-'] }],
  ['a cached answer', 'GET /pages/k', 304, { extra: ['if-none-match: *'] }],
  ['a failed condition', 'GET /pages/k', 412, { extra: ['if-match: "no"'] }],
  ['another type', 'GET /pages/text?response-content-type=text%2Fhtml', 200],
  ['another disposition', 'GET /pages/k?response-content-disposition=inline', 200],
  ['a public object', 'GET /public/k', 200, { as: 'nobody' }],
  ['the past', 'GET /pages/k', 200, { headers: { 'x-varve-at': 'SEQ' } }],
  ['the past by name', 'GET /pages--at-SEQ/k', 200],
  ['an object for a page elsewhere', 'GET /pages/k', 200, { extra: ['origin: https://page.test'] }],
  ['a listing', 'GET /pages?list-type=2', 200],
  ['the versions', 'GET /pages?versions', 200],
  ['a setting', 'GET /pages?cors', 200],
  ['the buckets', 'GET /', 200],
  ['no such key', 'GET /pages/%3Cscript%3E', 404],
  ['no such bucket', 'GET /none/k', 404],
  ['no permission', 'GET /pages/k', 403, { as: 'nobody' }],
  ['a key that cannot be read', 'GET /pages/%zz', 400, { as: 'nobody' }],
  ['an upload', 'PUT /pages/new', 200, empty],
  ['a removal', 'DELETE /pages/none', 204],
  ['an upload in parts', 'POST /pages/new?uploads', 200, empty],
  ['a method', 'PATCH /pages/k', 405, empty],
  ['bytes of the control API', 'GET /-/v1/content?bucket=pages&key=k', 200],
  ['an error of the control API', 'GET /-/v1/object?bucket=pages&key=none', 404],
  ['the log', 'GET /-/log/checkpoint', 403, { as: 'nobody' }],
  ['health', 'GET /-/health', 200, { as: 'nobody' }],
  ['a coding', 'GET /pages/k', 501, { extra: ['transfer-encoding: gzip, chunked'] }],
  ['an expectation', 'GET /pages/k', 417, { extra: ['expect: tea'] }],
]

describe('an answer at the origin of the console', () => {
  let dir: string
  let service: TestService
  let plain: TestService
  let seq = ''
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'varve-console-'))
    await writeFile(join(dir, 'index.html'), '<p>console</p>')
    let store: Store | undefined
    const common = { websiteSuffixes: ['site.test'], hostSuffixes: ['s3.test'], controlStore: () => store as Store }
    service = await openTestService({ wrap: (opened) => (store = opened), serve: { ...common, console: dir } })
    const { controlStore: _, ...without } = common
    plain = await openTestService({ serve: without })
    for (const one of [service, plain]) seq = await fill(one)
  })
  afterAll(async () => {
    await service.stop()
    await plain.stop()
    await rm(dir, { recursive: true })
  })

  async function fill({ ask }: TestService): Promise<string> {
    for (const bucket of ['pages', 'public']) {
      expectStatus(await ask(`PUT /${bucket}`), 200)
      expectStatus(await ask(`PUT /${bucket}/k`, { body: markup, headers: { 'content-type': 'text/html' } }), 200)
    }
    expectStatus(await ask('PUT /pages/text', { body: markup, headers: { 'content-type': 'text/plain' } }), 200)
    expectStatus(await ask('DELETE /public?publicAccessBlock'), 204)
    const statement = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::public/*' }
    const policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] })
    expectStatus(await ask('PUT /public?policy', { body: policy }), 204)
    const website = '<WebsiteConfiguration><IndexDocument><Suffix>k</Suffix></IndexDocument></WebsiteConfiguration>'
    expectStatus(await ask('PUT /public?website', { body: website }), 200)
    const rule = '<AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod>'
    const cors = `<CORSConfiguration><CORSRule>${rule}</CORSRule></CORSConfiguration>`
    return expectStatus(await ask('PUT /pages?cors', { body: cors }), 200).headers['x-varve-seq'] ?? ''
  }

  async function send({ server }: TestService, bytes: string, method?: string) {
    const { status, headers } = await exchange(server, bytes, method)
    return { status, csp: headers['content-security-policy'], sniffing: headers['x-content-type-options'] }
  }

  function bytesOf({ server }: TestService, [, line, , extra = {}]: Row): string {
    const headers = Object.entries(extra.headers ?? {}).map(([name, value]) => [name, value.replace('SEQ', seq)])
    return requestBytes(server, line.replace('SEQ', seq), { ...extra, headers: Object.fromEntries(headers) })
  }

  it.each(rows.map((row) => [row[0], row] as const))('runs nothing: %s', async (_, row) => {
    const method = row[1].split(' ')[0]
    expect(await send(service, bytesOf(service, row), method)).toEqual({ status: row[2], ...guarded })
    if (row[1].includes('/-/')) return
    expect(await send(plain, bytesOf(plain, row), method)).toMatchObject(asS3)
  })

  it.each([
    ['no HTTP', 'nothing\r\n\r\n', 405],
    ['two lengths', 'PUT /a/b HTTP/1.1\r\nhost: h\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', 400],
    [
      'too many headers',
      requestText(
        'GET /pages/k',
        Array.from({ length: 300 }, (_, at) => `a${at}: b`),
      ),
      400,
    ],
  ])('runs nothing: %s', async (_, bytes, status) => {
    const { headers, ...answer } = await exchange(service.server, bytes)
    expect([answer.status, headers['content-security-policy']]).toEqual([status, 'sandbox'])
  })

  it.each(types)('runs nothing of the type %s, also by a link', async (type) => {
    const line = 'GET /pages/typed'
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
    expectStatus(await service.ask('PUT /pages/typed', { body: markup, headers }), 200)
    const { server } = service
    expect(await send(service, requestBytes(server, line))).toEqual({ status: 200, ...guarded })
    const toSign = { ...targetOf(line), headers: [['host', server.host]] } as const
    const signer = { ...server.credentials('root'), region: 'eu', now: Date.now(), expiresSeconds: 60 }
    const link = `${line}?${presign(toSign, signer).rawQuery}`
    const visit = ['accept: text/html', 'sec-fetch-dest: document', 'sec-fetch-mode: navigate']
    for (const headers of [[], visit]) {
      const text = requestText(link, [`host: ${server.host}`, ...headers])
      expect(await send(service, text)).toEqual({ status: 200, ...guarded })
    }
  })

  it.each([
    ['image', undefined],
    ['script', undefined],
    ['style', undefined],
    ['video', undefined],
    ['document', 'nosniff'],
    ['iframe', 'nosniff'],
    ['embed', 'nosniff'],
    ['object', 'nosniff'],
    ['serviceworker', 'nosniff'],
    ['empty', 'nosniff'],
  ])(
    'is taken for what the page of it needs, as from S3, but opened as what it is named: %s',
    async (dest, sniffing) => {
      const bytes = requestBytes(service.server, 'GET /pages/k', { extra: [`Sec-Fetch-Dest: ${dest}`] })
      expect(await send(service, bytes)).toEqual({ status: 200, csp: 'sandbox', sniffing })
    },
  )

  it('is at the address of the server alone: the hosts of buckets and websites are other origins', async () => {
    for (const host of ['public.s3.test', 'public.s3.test:9000', 'public.site.test'])
      expect(await send(service, requestText('GET /k', [`host: ${host}`]))).toEqual({ status: 200, ...asS3 })
    for (const host of ['s3.test', 'site.test', 'store.example', '127.0.0.1', 'S3.TEST.']) {
      const bytes = requestText('GET /public/k', [`host: ${host}`])
      expect([host, await send(service, bytes)]).toEqual([host, { status: 200, ...guarded }])
    }
  })

  it('keeps the policy of the console for the console', async () => {
    const answer = await exchange(service.server, requestText('GET /-/console/', ['host: store.example']))
    expect(answer.text).toBe('<p>console</p>')
    expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/)
  })
})
