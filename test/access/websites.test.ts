/** Conditions of policies are judged on the hosts of websites as on those of S3. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestService, expectStatus, openTestService } from '../acceptance/support/test-service.ts'

const suffix = 'site.test'
const referer = 'https://example.com/page'

describe('a website with a policy on request headers', () => {
  let service: TestService
  let bucket: string
  beforeAll(async () => {
    service = await openTestService({ serve: { bucketDefaults: 'open', websiteSuffixes: [suffix] } })
    bucket = await service.bucket()
    const website = '<WebsiteConfiguration><IndexDocument><Suffix>index.html</Suffix></IndexDocument>'
    const body = `${website}<ErrorDocument><Key>error.html</Key></ErrorDocument></WebsiteConfiguration>`
    expectStatus(await service.ask(`PUT /${bucket}?website`, { body }), 200)
    for (const key of ['index.html', 'folder/index.html', 'error.html']) await service.put(`/${bucket}/${key}`)
  })
  afterAll(() => service.stop())

  const visit = async (path: string, headers: Readonly<Record<string, string>>) => {
    const host = `${bucket}.${suffix}:${service.server.port}`
    const answer = await service.ask(`GET ${path}`, { as: 'nobody', headers: { host, ...headers } })
    return [answer.status, answer.headers['location'] ?? answer.text.slice(0, 40)]
  }

  it.each([
    ['aws:Referer', 'referer', referer],
    ['aws:UserAgent', 'user-agent', 'reader/1.0'],
  ])('admits visitors whose %s it allows, to pages, folders and its page for errors', async (key, header, value) => {
    const Statement = [
      {
        Effect: 'Allow',
        Principal: '*',
        Action: ['s3:GetObject', 's3:ListBucket'],
        Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`],
        Condition: { StringEquals: { [key]: value } },
      },
    ]
    expectStatus(await service.ask(`PUT /${bucket}?policy`, { body: JSON.stringify({ Statement }) }), 204)
    const known = { [header]: value }
    const all = async (headers: Readonly<Record<string, string>>) => [
      await visit('/', headers),
      await visit('/folder', headers),
      await visit('/none', headers),
    ]
    expect(await all(known)).toEqual([
      [200, `/${bucket}/index.html`],
      [302, '/folder/'],
      [404, `/${bucket}/error.html`],
    ])
    expect((await all({ [header]: 'other' })).map(([status]) => status)).toEqual([403, 403, 403])
    expect((await all({})).map(([status]) => status)).toEqual([403, 403, 403])
  })
})

describe('an object with a redirect', () => {
  let service: TestService
  let bucket: string
  beforeAll(async () => {
    service = await openTestService({ serve: { bucketDefaults: 'open', websiteSuffixes: [suffix] } })
    bucket = await service.bucket()
    const body =
      '<WebsiteConfiguration><IndexDocument><Suffix>index.html</Suffix></IndexDocument></WebsiteConfiguration>'
    expectStatus(await service.ask(`PUT /${bucket}?website`, { body }), 200)
    const publicly = { 'x-amz-acl': 'public-read' }
    const headers = { ...publicly, 'x-amz-website-redirect-location': '/page' }
    for (const key of ['moved', 'old/index.html']) {
      expectStatus(await service.ask(`PUT /${bucket}/${key}`, { headers, body: '' }), 200)
    }
    expectStatus(await service.ask(`PUT /${bucket}/page`, { headers: publicly, body: 'page' }), 200)
  })
  afterAll(() => service.stop())

  const sent: readonly Readonly<Record<string, string>>[] = [
    {},
    { range: 'bytes=0-' },
    { range: 'bytes=0-0' },
    { range: 'bytes=9-' },
    { 'if-none-match': '*' },
    { 'if-match': '"0"' },
    { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' },
    { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' },
  ]
  const cases = ['GET', 'HEAD'].flatMap((method) => sent.map((headers) => [method, headers] as const))

  it.each(cases)('redirects %s with %j', async (method, given) => {
    const host = `${bucket}.${suffix}:${service.server.port}`
    const visit = (path: string) => service.ask(`${method} ${path}`, { as: 'nobody', headers: { host, ...given } })
    for (const path of ['/moved', '/old/']) {
      const { status, headers } = await visit(path)
      expect([status, headers['location']]).toEqual([301, '/page'])
    }
    expect((await visit('/page')).headers['location']).toBeUndefined()
  })

  it('leaves conditions and ranges to pages', async () => {
    const host = `${bucket}.${suffix}:${service.server.port}`
    const visit = async (headers: Readonly<Record<string, string>>) =>
      (await service.ask('GET /page', { as: 'nobody', headers: { host, ...headers } })).status
    expect(await visit({ range: 'bytes=1-2' })).toBe(206)
    expect(await visit({ range: 'bytes=9-' })).toBe(416)
    expect(await visit({ 'if-none-match': '*' })).toBe(304)
    expect(await visit({ 'if-match': '"0"' })).toBe(412)
  })
})
