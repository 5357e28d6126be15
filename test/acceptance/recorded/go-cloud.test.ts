/** What AWS was recorded to answer to the conformance suite of go-cloud's `s3blob`. */
import { expect } from 'vitest'
import { presign } from 'varve/http'
import { type TestService, expectStatus } from '../support/test-service.ts'
import { type DialectName, errorOf, recorded } from '../support/recorded.ts'
import { exchange, requestText } from '../support/wire.ts'

const regionOf = (dialect: DialectName) => (dialect === 'aws' ? 'us-east-1' : 'eu')

/** The target of a URL that was presigned for one method. */
function presigned(
  { server }: TestService,
  dialect: DialectName,
  { method, rawPath, rawQuery = '' }: Presigned,
): string {
  const request = { method, rawPath, rawQuery, headers: [['host', server.host]] as [string, string][] }
  const signing = { ...server.credentials('root'), region: regionOf(dialect), now: Date.now(), expiresSeconds: 60 }
  return `${rawPath}?${presign(request, signing).rawQuery}`
}

interface Presigned {
  readonly method: string
  readonly rawPath: string
  readonly rawQuery?: string
}

const unsigned = async ({ server }: TestService, line: string) =>
  exchange(server, requestText(line, [`host: ${server.host}`, 'content-length: 0']))

/** Keys whose directories hold characters before the delimiter in their order. */
const before = ['d', 'dir1/a', 'dir2/a', 't-/a', 't/a', 'testFile1']
const shownBefore = ['d', 'testFile1', 'dir1/', 'dir2/', 't-/', 't/']

recorded('what a client reads and writes', [
  [
    'listings of objects name the region of the bucket',
    async (service, dialect) => {
      const bucket = await service.bucket()
      for (const query of ['', '?list-type=2', '?list-type=2&max-keys=0', '?prefix=a']) {
        const { headers } = expectStatus(await service.ask(`GET /${bucket}${query}`), 200)
        expect(headers['x-amz-bucket-region'], query).toBe(regionOf(dialect))
      }
      expect((await service.ask('GET /no-such-bucket?list-type=2')).headers).not.toHaveProperty('x-amz-bucket-region')
    },
  ],
  [
    'an empty content type stays empty, and none at all is binary/octet-stream',
    async (service) => {
      const bucket = await service.bucket()
      for (const [sent, kept] of [
        [{ 'content-type': '' }, ''],
        [{}, 'binary/octet-stream'],
      ] as const) {
        expectStatus(await service.ask(`PUT /${bucket}/k`, { headers: sent, body: 'x' }), 200)
        for (const method of ['GET', 'HEAD']) {
          expect((await service.ask(`${method} /${bucket}/k`)).headers['content-type'], method).toBe(kept)
        }
      }
    },
  ],
  [
    'names and values of metadata keep their percent signs',
    async (service) => {
      const bucket = await service.bucket()
      const metadata = {
        'x-amz-meta-..%2ffoo%2f..%2fbar': '..%2Ffoo%2F..%2Fbar',
        "x-amz-meta-%20%21$%25&'+-.": '%20%21$%25&+%2C-.%2F',
        'x-amz-meta-12345': ':%3B=@',
        'x-amz-meta-%e2%98%ba': '%E2%98%BA',
        'x-amz-meta-%7b|~%7f': '%7B%7C%7D~%7F',
      }
      expectStatus(await service.ask(`PUT /${bucket}/k`, { headers: metadata }), 200)
      expect((await service.ask(`HEAD /${bucket}/k`)).headers).toMatchObject(metadata)
    },
  ],
  [
    'the source of a copy may be encoded as a whole, the slash behind its bucket too',
    async (service) => {
      const bucket = await service.bucket()
      const copy = (source: string) =>
        service.ask(`PUT /${bucket}/copy`, { headers: { 'x-amz-copy-source': `${bucket}%2F${source}` } })
      for (const [path, source] of [
        ['foo//bar///baz', 'foo%2F%2Fbar%2F%2F%2Fbaz'],
        ['%20%21%22%23%24%25%26%27%28%29%2A%2B%2C-./', '+%21%22%23%24%25%26%27%28%29%2A%2B%2C-.%2F'],
        ['..%5Cfoo%5C%5Cbar', '..%5Cfoo%5C%5Cbar'],
        ['%E2%98%BA', '%E2%98%BA'],
      ] as const) {
        await service.put(`/${bucket}/${path}`, source)
        expectStatus(await copy(source), 200)
        expect((await service.ask(`GET /${bucket}/copy`)).text).toBe(source)
      }
      expect(errorOf(await copy('does-not-exist'))).toMatchObject({
        status: 404,
        Code: 'NoSuchKey',
        Key: 'does-not-exist',
      })
    },
  ],
  [
    'a prefix stands once in pages of any size, whatever comes before the delimiter',
    async (service) => {
      const bucket = await service.bucket()
      for (const key of before) await service.put(`/${bucket}/in/${key}`)
      for (const size of [1, 2, 3, 4, 5, 6, 10]) {
        expect((await pages(service, bucket, `list-type=2&max-keys=${size}`)).sort()).toEqual([...shownBefore].sort())
        expect((await pages(service, bucket, `max-keys=${size}`)).sort()).toEqual([...shownBefore].sort())
      }
    },
  ],
])

/** Keys and prefixes of all pages in `in/`. */
async function pages(service: TestService, bucket: string, query: string): Promise<string[]> {
  const shown: string[] = []
  for (let next: string | undefined = ''; next !== undefined; ) {
    const page = expectStatus(await service.ask(`GET /${bucket}?${query}&delimiter=/&prefix=in/${next}`), 200).xml()
    for (const one of page.all('Contents')) shown.push((one.get('Key') ?? '').slice(3))
    for (const one of page.all('CommonPrefixes')) shown.push((one.get('Prefix') ?? '').slice(3))
    const token = page.get('NextContinuationToken')
    const marker = page.get('NextMarker')
    next = undefined
    if (token !== undefined) next = `&continuation-token=${encodeURIComponent(token)}`
    if (marker !== undefined) next = `&marker=${encodeURIComponent(marker)}`
  }
  return shown
}

recorded('URLs that are presigned', [
  [
    'a URL is good for the method it was signed for, and without its query for none',
    async (service, dialect) => {
      const bucket = await service.bucket()
      const rawPath = `/${bucket}/k`
      await service.put(rawPath, 'x')
      const targets = { GET: presigned(service, dialect, { method: 'GET', rawPath }), PUT: '', DELETE: '' }
      targets.PUT = presigned(service, dialect, { method: 'PUT', rawPath, rawQuery: 'x-id=PutObject' })
      targets.DELETE = presigned(service, dialect, { method: 'DELETE', rawPath, rawQuery: 'x-id=DeleteObject' })
      for (const [signedFor, target] of Object.entries(targets)) {
        for (const method of ['GET', 'PUT', 'DELETE'].filter((one) => one !== signedFor)) {
          expect(errorOf(await unsigned(service, `${method} ${target}`)), `${method} for ${signedFor}`).toMatchObject({
            status: 403,
            Code: 'SignatureDoesNotMatch',
            CanonicalRequest: expect.stringMatching(new RegExp(`^${method}\n${rawPath}\n`)),
          })
        }
      }
      for (const [method, status] of [
        ['PUT', 200],
        ['GET', 200],
        ['DELETE', 204],
      ] as const) {
        expect((await unsigned(service, `${method} ${targets[method]}`)).status).toBe(status)
      }
      expect(errorOf(await unsigned(service, `GET ${rawPath}`))).toMatchObject({ status: 403, Code: 'AccessDenied' })
    },
  ],
  [
    'a URL that requests checksums is answered without them',
    async (service, dialect) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/k`, 'x')
      const asking = { method: 'GET', rawPath: `/${bucket}/k`, rawQuery: 'X-Amz-Checksum-Mode=ENABLED' }
      const answer = await unsigned(service, `GET ${presigned(service, dialect, asking)}`)
      expect(answer.status).toBe(200)
      expect(Object.keys(answer.headers).filter((name) => name.includes('checksum'))).toEqual([])
    },
  ],
])
