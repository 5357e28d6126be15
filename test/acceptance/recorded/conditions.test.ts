/** Conditions, ranges and checksums, as S3 was recorded to judge them. */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { Answer } from '../support/call.ts'
import { type TestService, expectStatus } from '../support/test-service.ts'
import { errorOf, recorded, type Recorded } from '../support/recorded.ts'

type Headers = Readonly<Record<string, string>>

const past = 'Wed, 21 Oct 2015 07:28:00 GMT'
const future = 'Wed, 21 Oct 2099 07:28:00 GMT'
const notHeld = (Condition: string) => ({
  status: 412,
  Code: 'PreconditionFailed',
  Message: 'At least one of the pre-conditions you specified did not hold',
  Condition,
})
const unmet = (Header: string, additionalMessage: string) => ({
  status: 501,
  Code: 'NotImplemented',
  Message: 'A header you provided implies functionality that is not implemented',
  Header,
  additionalMessage,
})
const missing = (Key: string) => ({
  status: 404,
  Code: 'NoSuchKey',
  Message: 'The specified key does not exist.',
  Key,
})

/** The ways to write that judge conditions alike. */
const writes: readonly (readonly [
  how: string,
  write: (service: TestService, path: string, headers: Headers) => Promise<Answer>,
])[] = [
  ['a put', (service, path, headers) => service.ask(`PUT ${path}`, { body: 'x', headers })],
  [
    'a copy',
    async (service, path, headers) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/source`)
      return service.ask(`PUT ${path}`, { headers: { 'x-amz-copy-source': `${bucket}/source`, ...headers } })
    },
  ],
  [
    'a completion',
    async (service, path, headers) => (await service.upload(path, { 1: 'x' })).complete(undefined, { headers }),
  ],
]

recorded(
  'writes on condition',
  writes.flatMap(([how, write]): readonly Recorded[] => [
    [
      `${how} takes If-None-Match only with *, If-Match never with *, and not both`,
      async (service) => {
        const path = `/${await service.bucket()}/k`
        const { etag } = await service.put(path)
        const refused = async (headers: Headers) => errorOf(await write(service, path, headers))
        const value = (name: string) => `We don't accept the provided value of ${name} header for this API`
        expect(await refused({ 'if-none-match': etag })).toEqual(unmet('If-None-Match', value('If-None-Match')))
        expect(await refused({ 'if-match': '*' })).toEqual(unmet('If-Match', value('If-Match')))
        const both = 'Multiple conditional request headers present in the request'
        expect(await refused({ 'if-match': etag, 'if-none-match': '*' })).toEqual(unmet('If-Match,If-None-Match', both))
      },
    ],
    [
      `${how} fails where its condition does, and finds no key where there is none or a marker`,
      async (service) => {
        const bucket = await service.bucket({ versioning: 'Enabled' })
        const path = `/${bucket}/k`
        const { etag } = await service.put(path)
        const attempt = async (headers: Headers) => write(service, path, headers)
        expect(errorOf(await attempt({ 'if-none-match': '*' }))).toEqual(notHeld('If-None-Match'))
        expect(errorOf(await attempt({ 'if-match': '"no"' }))).toEqual(notHeld('If-Match'))
        expect(errorOf(await write(service, `/${bucket}/absent`, { 'if-match': etag }))).toEqual(missing('absent'))
        expectStatus(await service.ask(`DELETE ${path}`), 204)
        expect(errorOf(await attempt({ 'if-match': etag }))).toEqual(missing('k'))
        expectStatus(await attempt({ 'if-none-match': '*' }), 200)
      },
    ],
  ]),
)

recorded('reads on condition', [
  [
    'a condition that fails is named: 412 for those that must hold, 304 without a body for those that must not',
    async (service) => {
      const path = `/${await service.bucket()}/k`
      const { etag } = await service.put(path, 'data')
      const modified = (await service.ask(`HEAD ${path}`)).headers['last-modified'] ?? ''
      const get = async (headers: Headers) => service.ask(`GET ${path}`, { headers })
      expect(errorOf(await get({ 'if-match': '"no"' }))).toEqual(notHeld('If-Match'))
      expect(errorOf(await get({ 'if-unmodified-since': past }))).toEqual(notHeld('If-Unmodified-Since'))
      const unchanged: readonly Headers[] = [
        { 'if-none-match': etag },
        { 'if-none-match': etag.replaceAll('"', '') },
        { 'if-modified-since': modified },
      ]
      for (const headers of unchanged) {
        const { status, text } = await get(headers)
        expect([status, text], JSON.stringify(headers)).toEqual([304, ''])
        expect((await service.ask(`HEAD ${path}`, { headers })).status).toBe(304)
      }
      const holding: readonly Headers[] = [{ 'if-modified-since': future }, { 'if-unmodified-since': modified }]
      for (const headers of holding) {
        expect((await get(headers)).text, JSON.stringify(headers)).toBe('data')
      }
    },
  ],
  [
    'an ETag that matches beats a date that does not',
    async (service) => {
      const path = `/${await service.bucket()}/k`
      const { etag } = await service.put(path, 'data')
      const get = async (headers: Headers) => (await service.ask(`GET ${path}`, { headers })).status
      expect(await get({ 'if-match': etag, 'if-unmodified-since': past })).toBe(200)
      expect(await get({ 'if-none-match': '"no"', 'if-modified-since': future })).toBe(200)
      expect(await get({ 'if-none-match': etag, 'if-modified-since': past })).toBe(304)
    },
  ],
  [
    '304 has the headers that caches keep, and comes before a range',
    async (service) => {
      const path = `/${await service.bucket()}/k`
      const put = await service.ask(`PUT ${path}`, { body: 'data', headers: { 'cache-control': 'no-store' } })
      const etag = put.headers['etag'] ?? ''
      const headers = { 'if-none-match': etag, range: 'bytes=100-200' }
      const { status, text, headers: sent } = await service.ask(`GET ${path}`, { headers })
      expect([status, text]).toEqual([304, ''])
      expect(sent).toMatchObject({ etag, 'cache-control': 'no-store', 'last-modified': expect.any(String) })
      const failed = await service.ask(`GET ${path}`, { headers: { 'if-match': '"no"', range: 'bytes=100-200' } })
      expect(failed.status).toBe(412)
    },
  ],
  [
    'a condition on the source of a copy is 412 when it fails, under its own name',
    async (service) => {
      const bucket = await service.bucket()
      const { etag } = await service.put(`/${bucket}/k`, 'data')
      const modified = (await service.ask(`HEAD /${bucket}/k`)).headers['last-modified'] ?? ''
      const upload = await service.upload(`/${bucket}/parts`)
      const targets = [`/${bucket}/copy`, `${upload.path}?partNumber=1&uploadId=${upload.uploadId}`]
      const copy = async (target: string, conditions: Headers) =>
        service.ask(`PUT ${target}`, { headers: { 'x-amz-copy-source': `${bucket}/k`, ...conditions } })
      const cases: readonly (readonly [fails: string, conditions: Headers])[] = [
        ['If-Match', { 'x-amz-copy-source-if-match': '"no"' }],
        ['If-None-Match', { 'x-amz-copy-source-if-none-match': etag }],
        ['If-None-Match', { 'x-amz-copy-source-if-none-match': etag.replaceAll('"', '') }],
        ['If-Unmodified-Since', { 'x-amz-copy-source-if-unmodified-since': past }],
        ['If-Modified-Since', { 'x-amz-copy-source-if-modified-since': modified }],
        [
          'If-Unmodified-Since',
          { 'x-amz-copy-source-if-none-match': '"no"', 'x-amz-copy-source-if-unmodified-since': past },
        ],
      ]
      for (const target of targets) {
        for (const [fails, conditions] of cases) {
          const condition = `x-amz-copy-source-${fails}`
          expect(errorOf(await copy(target, conditions)), fails).toEqual(notHeld(condition))
        }
        expectStatus(await copy(target, { 'x-amz-copy-source-if-modified-since': future }), 200)
        const beaten = { 'x-amz-copy-source-if-match': etag, 'x-amz-copy-source-if-unmodified-since': past }
        expectStatus(await copy(target, beaten), 200)
      }
    },
  ],
])

const ten = '0123456789'

recorded('ranges of ten bytes', [
  [
    'a range within is 206, cut where the object ends; what is no range, or several, is 200 and all of it',
    async (service) => {
      const path = `/${await service.bucket()}/k`
      await service.put(path, ten)
      const whole = [200, ten, undefined]
      for (const [range, expected] of [
        ['0-8', [206, '012345678', 'bytes 0-8/10']],
        ['1-1', [206, '1', 'bytes 1-1/10']],
        ['1-', [206, '123456789', 'bytes 1-9/10']],
        ['-2', [206, '89', 'bytes 8-9/10']],
        ['-15', [206, ten, 'bytes 0-9/10']],
        ['0-100', [206, ten, 'bytes 0-9/10']],
        ['1-0', whole],
        ['-1-', whole],
        ['0--1', whole],
        ['0-1,3-4,7-9', whole],
        ['-', whole],
        ['garbage', whole],
      ] as const) {
        const { status, text, headers } = await service.ask(`GET ${path}`, { headers: { range: `bytes=${range}` } })
        expect([status, text, headers['content-range']], range).toEqual(expected)
      }
      expect((await service.ask(`GET ${path}`, { headers: { range: '0-8' } })).status).toBe(200)
    },
  ],
  [
    'a range outside is 416 with the size, and so is any of an empty object but its last bytes; a missing key comes first',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/k`, ten)
      await service.put(`/${bucket}/empty`, '')
      const get = async (key: string, range: string) =>
        errorOf(await service.ask(`GET /${bucket}/${key}`, { headers: { range } }))
      for (const [key, range, ActualObjectSize] of [
        ['k', 'bytes=-0', '10'],
        ['k', 'bytes=100-200', '10'],
        ['empty', 'bytes=0-0', '0'],
        ['empty', 'bytes=0-', '0'],
        ['empty', 'bytes=-0', '0'],
      ] as const) {
        expect(await get(key, range), range).toEqual({
          status: 416,
          Code: 'InvalidRange',
          Message: 'The requested range is not satisfiable',
          ActualObjectSize,
          RangeRequested: range,
        })
      }
      expect(await get('absent', 'bytes=100-200')).toEqual(missing('absent'))
    },
  ],
  [
    'the last bytes of an empty object are 200; a range that is the whole object carries its checksum',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/k`, ten)
      await service.put(`/${bucket}/empty`, '')
      for (const [key, range, status, isChecked] of [
        ['k', '0-9', 206, true],
        ['k', '0-', 206, true],
        ['k', '0-100', 206, true],
        ['k', '-10', 206, true],
        ['k', '-11', 206, true],
        ['k', '0-8', 206, false],
        ['k', '1-', 206, false],
        ['k', '-9', 206, false],
        ['k', '1-0', 200, true],
        ['empty', '-1', 200, true],
        ['empty', '-100', 200, true],
      ] as const) {
        for (const method of ['GET', 'HEAD']) {
          const headers = { range: `bytes=${range}`, 'x-amz-checksum-mode': 'ENABLED' }
          const answer = await service.ask(`${method} /${bucket}/${key}`, { headers })
          const found = Object.keys(answer.headers).some((name) => /^x-\w+-checksum-crc/.test(name))
          expect([answer.status, found], `${method} ${key} ${range}`).toEqual([status, isChecked])
          if (key === 'empty') expect(answer.headers['content-range']).toBeUndefined()
        }
      }
    },
  ],
  [
    'a plus in the source of a copy is a space, as in a form',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/a%20b`, 'space')
      await service.put(`/${bucket}/a+b`, 'plus')
      for (const [source, body] of [
        ['a+b', 'space'],
        ['a%20b', 'space'],
        ['a%2Bb', 'plus'],
      ] as const) {
        const headers = { 'x-amz-copy-source': `${bucket}/${source}` }
        expectStatus(await service.ask(`PUT /${bucket}/copy`, { headers }), 200)
        expect((await service.ask(`GET /${bucket}/copy`)).body.toString(), source).toBe(body)
      }
    },
  ],
  [
    'the range of a copied part has both ends, and lies in its source',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/k`, ten)
      const { path, uploadId } = await service.upload(`/${bucket}/parts`)
      const copy = async (range: string) => {
        const headers = { 'x-amz-copy-source': `${bucket}/k`, 'x-amz-copy-source-range': range }
        return service.ask(`PUT ${path}?partNumber=1&uploadId=${uploadId}`, { headers })
      }
      expectStatus(await copy('bytes=0-8'), 200)
      for (const range of ['0-8', 'bytes=1-0', 'bytes=-1-', 'bytes=0-1,3-4', 'bytes=-', 'bytes=1-', 'bytes=-2']) {
        expect(errorOf(await copy(range)), range).toEqual({
          status: 400,
          Code: 'InvalidArgument',
          Message:
            'The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy',
          ArgumentName: 'x-amz-copy-source-range',
          ArgumentValue: range,
        })
      }
      expect(errorOf(await copy('bytes=0-100'))).toEqual({
        status: 400,
        Code: 'InvalidArgument',
        Message: 'Range specified is not valid for source object of size: 10',
        ArgumentName: 'x-amz-copy-source-range',
        ArgumentValue: 'bytes=0-100',
      })
      expect(errorOf(await copy('bytes=100-200'))).toEqual({
        status: 400,
        Code: 'InvalidRequest',
        Message: 'The specified copy range is invalid for the source object size',
      })
    },
  ],
])

/** As long as those of the algorithm, and of no bytes that are sent. */
const lengths = { CRC32: 4, CRC32C: 4, CRC64NVME: 8, SHA1: 20, SHA256: 32 } as const
const newLengths = { SHA512: 64, MD5: 16, XXHASH64: 8, XXHASH3: 8, XXHASH128: 16 } as const
const wrong = { ...lengths, ...newLengths }
const algorithms = Object.keys(wrong) as (keyof typeof wrong)[]

recorded('checksums', [
  ...algorithms.map(
    (algorithm): Recorded => [
      `a ${algorithm} that is none, and one of other bytes, are refused in S3’s words, and nothing is stored`,
      async (service) => {
        const path = `/${await service.bucket()}/k`
        const name = `x-amz-checksum-${algorithm.toLowerCase()}`
        const put = async (value: string) =>
          errorOf(await service.ask(`PUT ${path}`, { body: 'Hello World', headers: { [name]: value } }))
        for (const none of ['TEST', 'not base64!']) {
          expect(await put(none)).toEqual({
            status: 400,
            Code: 'InvalidRequest',
            Message: `Value for ${name} header is invalid.`,
          })
        }
        expect(await put(Buffer.alloc(wrong[algorithm], 1).toString('base64'))).toEqual({
          status: 400,
          Code: 'BadDigest',
          Message: `The ${algorithm} you specified did not match the calculated checksum.`,
        })
        expect((await service.ask(`GET ${path}`)).status).toBe(404)
      },
    ],
  ),
  [
    'two checksums are one too many',
    async (service) => {
      const headers = { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-checksum-crc32c': 'AAAAAA==' }
      const answer = await service.ask(`PUT /${await service.bucket()}/k`, { body: '', headers })
      expect(errorOf(answer)).toEqual({
        status: 400,
        Code: 'InvalidRequest',
        Message: 'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
      })
    },
  ],
  [
    'an MD5 that is none is InvalidDigest, and one of other bytes BadDigest',
    async (service) => {
      const path = `/${await service.bucket()}/k`
      const put = async (md5: string) =>
        errorOf(await service.ask(`PUT ${path}`, { body: 'something', headers: { 'content-md5': md5 } }))
      for (const none of ['__invalid__', '000', 'not base64 encoded checksum', 'MTIz', 'dGVzdC1zdHJpbmc=']) {
        expect(await put(none)).toEqual({
          status: 400,
          Code: 'InvalidDigest',
          Message: 'The Content-MD5 you specified was invalid.',
          'Content-MD5': none,
        })
      }
      const other = createHash('md5').update('something1')
      expect(await put(other.copy().digest('base64'))).toEqual({
        status: 400,
        Code: 'BadDigest',
        Message: 'The Content-MD5 you specified did not match what we received.',
        ExpectedDigest: other.digest('hex'),
        CalculatedDigest: createHash('md5').update('something').digest('base64'),
      })
    },
  ],
  [
    'an object sent without a checksum has a CRC64NVME of all of it, shown on request',
    async (service) => {
      const path = `/${await service.bucket()}/k`
      await service.put(path, 'Hello World')
      const plain = (await service.ask(`GET ${path}`)).headers
      expect(plain['x-amz-checksum-crc64nvme']).toBeUndefined()
      const { headers } = await service.ask(`HEAD ${path}`, { headers: { 'x-amz-checksum-mode': 'ENABLED' } })
      expect(headers['x-amz-checksum-crc64nvme']).toMatch(/^.{11}=$/)
      expect(headers['x-amz-checksum-type']).toBe('FULL_OBJECT')
    },
  ],
  [
    'an algorithm that is only named changes nothing, known or not, and a checksum of another one counts',
    async (service) => {
      const path = `/${await service.bucket()}/k`
      const sha256 = createHash('sha256').update('Hello World').digest('base64')
      const stored = async (headers: Headers) => {
        expectStatus(await service.ask(`PUT ${path}`, { body: 'Hello World', headers }), 200)
        const got = await service.ask(`HEAD ${path}`, { headers: { 'x-amz-checksum-mode': 'ENABLED' } })
        return Object.keys(got.headers).filter((name) => /^x-amz-checksum-(crc|sha)/.test(name))
      }
      for (const named of ['SHA256', 'TEST']) {
        expect(await stored({ 'x-amz-checksum-algorithm': named })).toEqual(['x-amz-checksum-crc64nvme'])
      }
      const both = { 'x-amz-checksum-algorithm': 'SHA1', 'x-amz-checksum-sha256': sha256 }
      expect(await stored(both)).toEqual(['x-amz-checksum-sha256'])
    },
  ],
  [
    'deleting many needs an MD5 or a checksum of the request, and either will do',
    async (service) => {
      const bucket = await service.bucket()
      const body = '<Delete><Object><Key>a</Key></Object></Delete>'
      const ask = async (headers: Headers) => service.ask(`POST /${bucket}?delete`, { body, headers })
      expect(errorOf(await ask({}))).toMatchObject({ status: 400, Code: 'InvalidRequest' })
      const of = (algorithm: string) => createHash(algorithm).update(body).digest('base64')
      expectStatus(await ask({ 'content-md5': of('md5') }), 200)
      expectStatus(await ask({ 'x-amz-checksum-sha256': of('sha256') }), 200)
    },
  ],
])
