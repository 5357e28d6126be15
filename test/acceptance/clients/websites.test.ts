/** Buckets as websites: set by @aws-sdk/client-s3, visited by somebody with no more than a browser has. */
import {
  DeleteBucketWebsiteCommand,
  DeletePublicAccessBlockCommand,
  GetBucketWebsiteCommand,
  PutBucketPolicyCommand,
  PutBucketWebsiteCommand,
  type WebsiteConfiguration,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { call } from '../support/call.ts'
import { inBothDialects, refusal, type Session } from './session.ts'

const suffix = 'site.test'

async function siteWith({ s3, bucket }: Session, site: WebsiteConfiguration): Promise<string> {
  const Bucket = await bucket()
  await s3.send(new PutBucketWebsiteCommand({ Bucket, WebsiteConfiguration: site }))
  return Bucket
}

/** Everybody may read it, and so may everybody learn what is not there. */
async function publicSiteWith(session: Session, site: WebsiteConfiguration): Promise<string> {
  const Bucket = await siteWith(session, site)
  const arn = `arn:aws:s3:::${Bucket}`
  const everybody = { Effect: 'Allow', Principal: '*' }
  const Statement = [
    { ...everybody, Action: 's3:GetObject', Resource: `${arn}/*` },
    { ...everybody, Action: 's3:ListBucket', Resource: arn },
  ]
  await session.s3.send(new DeletePublicAccessBlockCommand({ Bucket }))
  await session.s3.send(
    new PutBucketPolicyCommand({ Bucket, Policy: JSON.stringify({ Version: '2012-10-17', Statement }) }),
  )
  return Bucket
}

interface Visit {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

async function visit({ server }: Session, bucket: string, path: string, { method = 'GET', headers = {} }: Visit = {}) {
  const host = `${bucket}.${suffix}:${server.port}`
  const answer = await call(server, `${method} ${path}`, { as: 'nobody', headers: { host, ...headers } })
  return { status: answer.status, text: answer.text, headers: answer.headers, location: answer.headers['location'] }
}

const items = (text: string) => [...text.matchAll(/<li>(\w+): ([^<]*)<\/li>/g)].map(([, name, value]) => [name, value])

inBothDialects(
  'websites',
  [
    [
      'a website is set, given back and taken away',
      async (session) => {
        const { s3 } = session
        const site: WebsiteConfiguration = {
          IndexDocument: { Suffix: 'index.html' },
          ErrorDocument: { Key: 'error.html' },
          RoutingRules: [
            {
              Condition: { KeyPrefixEquals: 'docs/', HttpErrorCodeReturnedEquals: '404' },
              Redirect: { ReplaceKeyPrefixWith: '', HttpRedirectCode: '302', HostName: 'other', Protocol: 'https' },
            },
          ],
        }
        const Bucket = await session.bucket()
        const get = () => s3.send(new GetBucketWebsiteCommand({ Bucket }))
        expect(await refusal(get())).toEqual(['NoSuchWebsiteConfiguration', 404])
        await s3.send(new PutBucketWebsiteCommand({ Bucket, WebsiteConfiguration: site }))
        expect(await get()).toMatchObject(site)
        for (const _ of [1, 2]) {
          expect((await s3.send(new DeleteBucketWebsiteCommand({ Bucket }))).$metadata.httpStatusCode).toBe(204)
        }
        expect(await refusal(get())).toEqual(['NoSuchWebsiteConfiguration', 404])
      },
    ],
    [
      'what could not be served is refused',
      async (session) => {
        const refused = (site: WebsiteConfiguration) => refusal(siteWith(session, site))
        expect(await refused({ IndexDocument: { Suffix: '/index.html' } })).toEqual(['InvalidArgument', 400])
        expect(await refused({ ErrorDocument: { Key: 'e' } })).toEqual(['InvalidArgument', 400])
        const Protocol = 'ftp' as 'http'
        const elsewhere = { HostName: 'h', Protocol }
        const ruled = { IndexDocument: { Suffix: 'i' }, RoutingRules: [{ Redirect: elsewhere }] }
        for (const site of [{ RedirectAllRequestsTo: elsewhere }, ruled]) {
          expect(await refused(site)).toEqual(['InvalidRequest', 400])
        }
        expect(await refused({ IndexDocument: { Suffix: 'i' }, RoutingRules: [] })).toEqual(['MalformedXML', 400])
      },
    ],
    [
      'a site leads everywhere else, or by its rules',
      async (session) => {
        const whole = await siteWith(session, { RedirectAllRequestsTo: { HostName: 'other.test', Protocol: 'https' } })
        const everywhere = await visit(session, whole, '/a%20b?c=d')
        expect([everywhere.status, everywhere.location, everywhere.text]).toEqual([
          301,
          'https://other.test/a%20b?c=d',
          '',
        ])

        const ruled = await siteWith(session, {
          IndexDocument: { Suffix: 'index.html' },
          RoutingRules: [
            {
              Condition: { KeyPrefixEquals: 'old/' },
              Redirect: { ReplaceKeyPrefixWith: 'new/', HttpRedirectCode: '302' },
            },
          ],
        })
        const moved = await visit(session, ruled, '/old/a%20b')
        const there = `http://${ruled}.${suffix}:${session.server.port}/new/a%20b`
        expect([moved.status, moved.location]).toEqual([302, there])
      },
    ],
    [
      'a missing site, and a request that no site supports, are answered with a page',
      async (session) => {
        const none = await visit(session, 'not-there', '/')
        expect([none.status, none.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
        expect(items(none.text).slice(0, 3)).toEqual([
          ['Code', 'NoSuchBucket'],
          ['Message', 'The specified bucket does not exist'],
          ['BucketName', 'not-there'],
        ])
        const Bucket = await session.bucket()
        expect(items((await visit(session, Bucket, '/page')).text)[0]).toEqual(['Code', 'NoSuchWebsiteConfiguration'])

        const site = await siteWith(session, { IndexDocument: { Suffix: 'index.html' } })
        const posted = await visit(session, site, '/', { method: 'POST' })
        expect([posted.status, posted.headers['allow']]).toEqual([405, 'GET, HEAD'])
        expect(items(posted.text).slice(2, 4)).toEqual([
          ['Method', 'POST'],
          ['ResourceType', 'OBJECT'],
        ])
      },
    ],
    [
      'private objects of a bucket are not on its site, even if a request is signed',
      async (session) => {
        const site = await siteWith(session, { IndexDocument: { Suffix: 'index.html' } })
        await session.put(site, 'index.html', 'private words')
        for (const authorization of ['', 'AWS4-HMAC-SHA256 Credential=AK-root']) {
          const page = await visit(session, site, '/', { headers: { authorization } })
          expect([page.status, items(page.text)[0]]).toEqual([403, ['Code', 'AccessDenied']])
          expect(page.text).not.toContain('private words')
        }
        const head = await visit(session, site, '/', { method: 'HEAD' })
        expect([head.status, head.text]).toEqual([403, ''])
      },
    ],
    [
      'a page is an object, its folder the index of it',
      async (session) => {
        const site = await publicSiteWith(session, { IndexDocument: { Suffix: 'index.html' } })
        const { ETag = '' } = await session.put(site, 'index.html', 'index', { ContentType: 'text/html' })
        await session.put(site, 'a b/index.html', 'inner')
        await session.put(site, 'a b/page.js', 'script', { ContentType: 'application/javascript; charset=utf-8' })
        const at = async (path: string, how?: Visit) => {
          const { status, text, location } = await visit(session, site, path, how)
          return [status, location ?? text]
        }
        expect(await at('/')).toEqual([200, 'index'])
        expect(await at('/?versionId=nonsense&acl')).toEqual([200, 'index'])
        expect(await at('/a%20b/')).toEqual([200, 'inner'])
        expect(await at('/a%20b')).toEqual([302, '/a%20b/'])
        expect(await at('/a%20b/page.js')).toEqual([200, 'script'])
        expect(await at('/', { method: 'HEAD' })).toEqual([200, ''])
        expect(await at('/', { headers: { 'if-none-match': ETag } })).toEqual([304, ''])
        expect(await at('/', { headers: { range: 'bytes=1-2' } })).toEqual([206, 'nd'])
        const { headers } = await visit(session, site, '/a%20b/page.js')
        expect(headers['content-type']).toBe('application/javascript; charset=utf-8')
      },
    ],
    [
      'a missing page is answered with its key, or with the page for errors',
      async (session) => {
        const bare = await publicSiteWith(session, { IndexDocument: { Suffix: 'index.html' } })
        const missing = [
          ['Code', 'NoSuchKey'],
          ['Message', 'The specified key does not exist.'],
        ]
        for (const [path, key] of [
          ['/', 'index.html'],
          ['/wrong', 'wrong'],
          ['/wrong/', 'wrong/index.html'],
        ] as const) {
          const page = await visit(session, bare, path)
          expect([page.status, items(page.text).slice(0, 3)]).toEqual([404, [...missing, ['Key', key]]])
        }

        const site = await publicSiteWith(session, {
          IndexDocument: { Suffix: 'index.html' },
          ErrorDocument: { Key: 'error.html' },
        })
        const nested = await visit(session, site, '/')
        expect([nested.status, items(nested.text).slice(-3)]).toEqual([404, [...missing, ['Key', 'error.html']]])
        const { ETag } = await session.put(site, 'error.html', 'our words', { ContentType: 'text/html' })
        const own = await visit(session, site, '/')
        expect([own.status, own.text, own.headers['etag']]).toEqual([404, 'our words', ETag])
        expect((await visit(session, site, '/', { method: 'POST' })).text).not.toContain('our words')
      },
    ],
    [
      'objects lead elsewhere, rules before them, and rules for errors after',
      async (session) => {
        const site = await publicSiteWith(session, {
          IndexDocument: { Suffix: 'index.html' },
          ErrorDocument: { Key: 'error.html' },
          RoutingRules: [
            { Condition: { KeyPrefixEquals: 'ruled' }, Redirect: { ReplaceKeyWith: 'rule.html' } },
            {
              Condition: { KeyPrefixEquals: 'gone/', HttpErrorCodeReturnedEquals: '404' },
              Redirect: { ReplaceKeyWith: 'gone.html' },
            },
          ],
        })
        const WebsiteRedirectLocation = '/there.html'
        for (const key of ['object', 'ruled-object', 'gone/still-here', 'error.html']) {
          await session.put(site, key, 'unseen', { WebsiteRedirectLocation })
        }
        const lead = async (path: string) => {
          const { status, location, text } = await visit(session, site, path)
          return [status, location, text]
        }
        const own = `http://${site}.${suffix}:${session.server.port}`
        expect(await lead('/object')).toEqual([301, '/there.html', ''])
        expect(await lead('/ruled-object')).toEqual([301, `${own}/rule.html`, ''])
        expect(await lead('/gone/still-here')).toEqual([301, '/there.html', ''])
        expect(await lead('/gone/not-here')).toEqual([301, `${own}/gone.html`, ''])
        expect(await lead('/not-here')).toEqual([301, '/there.html', ''])
      },
    ],
  ],
  { serve: { websiteSuffixes: [suffix] } },
)
