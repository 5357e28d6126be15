/** Every checksum algorithm, wherever a checksum can be. The values come from hashlib and xxhash of Python. */
import zlib from 'node:zlib'
import { nodeHashing } from '@varve/adapters'
import type { DigestAlgorithm } from '@varve/core'
import { expect } from 'vitest'
import type { Answer } from '../support/call.ts'
import { type TestService, expectStatus, partBytesMin } from '../support/test-service.ts'
import { errorOf, recorded, type Recorded } from '../support/recorded.ts'

const hashing = await nodeHashing()
const digits = '123456789'
const large = 'x'.repeat(partBytesMin)
const shown = { 'x-amz-checksum-mode': 'ENABLED' }

/** Of the digits; and of the digests of two parts, 5 MiB of `x` and the digits. */
const values = [
  ['SHA1', '98O8HYCOBHMq32eZZczDTKeuNEE=', 'mpCRkL9T7fYLRsx/zrfqTAtXPc0='],
  ['SHA256', 'FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU=', '/CtPjHwBCKb85QIBILBLhHPLPYsvQorH+3L8VDHJxPY='],
  [
    'SHA512',
    '2eZ2LdHI6vbWGzxhkvxAjU1tXxF20MKRabwk5xw/J0rSf81YEbMT1oH35V7ALXPUmclUVba1u1A6z1dPuo/+hQ==',
    'qLl06PJkLMA5hZ09x9D7wwkn/PsSf2PHz2xH1Fhk6AOmX0R2qkoP5MGKOjcTJEzL4mJKhM+O2sTVzz2j7lFb0A==',
  ],
  ['MD5', 'JfnnlDI7RTiF9RgfG2JNCw==', 'ttiFKOLaf0kgFFUPOYK5sA=='],
  ['XXHASH64', 'jLhB20DmroM=', 'CuuaKZVQ32U='],
  ['XXHASH3', 'ctyxi2ehff8=', '+FCK7aKVoso='],
  ['XXHASH128', 'MxGUd+3l3NXpcWQnaB1YYA==', 'qZSLk/yr9qRsKyReXGki8Q=='],
] as const

const chunked = (name: string, value: string) => ({
  payloadHash: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
  headers: { 'content-encoding': 'aws-chunked', 'x-amz-trailer': name, 'x-amz-decoded-content-length': '9' },
  body: `9\r\n${digits}\r\n0\r\n${name}:${value}\r\n\r\n`,
})

const checksumsOf = ({ headers }: Answer): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-amz-checksum-') && typeof value === 'string' ? [[name, value]] : [],
    ),
  )

async function uploadTwoParts(service: TestService, path: string, algorithm: DigestAlgorithm): Promise<Answer> {
  const requested = { headers: { 'x-amz-checksum-algorithm': algorithm } }
  const started = expectStatus(await service.ask(`POST ${path}?uploads`, requested), 200)
  expect(checksumsOf(started)).toMatchObject({
    'x-amz-checksum-algorithm': algorithm,
    'x-amz-checksum-type': 'COMPOSITE',
  })
  const uploadId = started.xml().get('UploadId') ?? ''
  const parts: string[] = []
  for (const [i, body] of [large, digits].entries()) {
    const line = `PUT ${path}?partNumber=${i + 1}&uploadId=${uploadId}`
    const digest = hashing.create(algorithm)
    digest.update(Buffer.from(body))
    const value = Buffer.from(digest.finish()).toString('base64')
    const sent = { [`x-amz-checksum-${algorithm.toLowerCase()}`]: value }
    const { headers } = expectStatus(await service.ask(line, { body, headers: sent }), 200)
    const listed = `<ETag>${headers['etag']}</ETag><Checksum${algorithm}>${value}</Checksum${algorithm}>`
    parts.push(`<Part><PartNumber>${i + 1}</PartNumber>${listed}</Part>`)
  }
  const { text } = await service.ask(`GET ${path}?uploadId=${uploadId}`)
  expect(text).toContain(`<Checksum${algorithm}>`)
  const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
  return expectStatus(await service.ask(`POST ${path}?uploadId=${uploadId}`, { body }), 200)
}

recorded(
  'checksums of every algorithm',
  values.flatMap(([algorithm, whole, composite]): readonly Recorded[] => {
    const name = `x-amz-checksum-${algorithm.toLowerCase()}`
    const ofWhole = { [name]: whole, 'x-amz-checksum-type': 'FULL_OBJECT' }
    return [
      [
        `${algorithm} comes in a header or a trailer, is compared, kept, shown and copied`,
        async (service) => {
          const path = `/${await service.bucket()}/k`
          const put = await service.ask(`PUT ${path}`, { body: digits, headers: { [name]: whole } })
          expect(checksumsOf(expectStatus(put, 200))).toEqual(ofWhole)
          const streamed = await service.ask(`PUT ${path}-streamed`, chunked(name, whole))
          expect(checksumsOf(expectStatus(streamed, 200))).toEqual(ofWhole)
          for (const line of [`HEAD ${path}`, `GET ${path}`, `GET ${path}-streamed`]) {
            expect(checksumsOf(await service.ask(line, { headers: shown })), line).toEqual(ofWhole)
          }
          const wrong = Buffer.alloc(Buffer.from(whole, 'base64').length, 1).toString('base64')
          for (const refused of [{ body: digits, headers: { [name]: wrong } }, chunked(name, wrong)]) {
            expect(errorOf(await service.ask(`PUT ${path}`, refused))).toMatchObject({ Code: 'BadDigest' })
          }
          await service.put(`${path}-plain`, digits)
          const headers = { 'x-amz-copy-source': `${path}-plain`, 'x-amz-checksum-algorithm': algorithm }
          const copied = expectStatus(await service.ask(`PUT ${path}-copy`, { headers }), 200)
          expect(copied.xml().get(`Checksum${algorithm}`)).toBe(whole)
          const attributes = { 'x-amz-object-attributes': 'Checksum' }
          const got = await service.ask(`GET ${path}-copy?attributes`, { headers: attributes })
          expect(got.xml().all('Checksum')[0]?.get(`Checksum${algorithm}`)).toBe(whole)
        },
      ],
      [
        `${algorithm} of parts makes a composite of the whole`,
        async (service) => {
          const path = `/${await service.bucket()}/k`
          const completed = await uploadTwoParts(service, path, algorithm)
          expect(completed.xml().get(`Checksum${algorithm}`)).toBe(`${composite}-2`)
          const ofParts = { [name]: `${composite}-2`, 'x-amz-checksum-type': 'COMPOSITE' }
          expect(checksumsOf(await service.ask(`HEAD ${path}`, { headers: shown }))).toEqual(ofParts)
          const refused = { 'x-amz-checksum-algorithm': algorithm, 'x-amz-checksum-type': 'FULL_OBJECT' }
          expect(errorOf(await service.ask(`POST ${path}?uploads`, { headers: refused }))).toMatchObject({
            Code: 'InvalidRequest',
          })
        },
      ],
    ]
  }),
)

recorded('checksums of uploads that name no algorithm', [
  [
    'an upload without an algorithm gets a CRC64NVME of the whole, whatever its parts are checked by; parts show none',
    async (service) => {
      const bucket = await service.bucket()
      const path = `/${bucket}/k`
      await service.put(`/${bucket}/last`, digits)
      await service.put(`/${bucket}/whole`, large + large + digits)
      const ofWhole = checksumsOf(await service.ask(`HEAD /${bucket}/whole`, { headers: shown }))
      const started = expectStatus(await service.ask(`POST ${path}?uploads`), 200)
      expect(checksumsOf(started)).toEqual({})
      const upload = `uploadId=${started.xml().get('UploadId')}`
      const crc32 = Buffer.alloc(4)
      crc32.writeUInt32BE(zlib.crc32(large))
      const ofPart = { 'x-amz-checksum-crc32': crc32.toString('base64') }
      const sent = [
        await service.ask(`PUT ${path}?partNumber=1&${upload}`, { body: large, headers: ofPart }),
        await service.ask(`PUT ${path}?partNumber=2&${upload}`, { body: large }),
        await service.ask(`PUT ${path}?partNumber=3&${upload}`, { headers: { 'x-amz-copy-source': `${bucket}/last` } }),
      ].map((answer) => expectStatus(answer, 200))
      expect(sent.map(checksumsOf)).toEqual([ofPart, {}, {}])
      const parts = sent.map(({ headers, text }, i) => {
        const etag = headers['etag'] ?? /&quot;.*&quot;/.exec(text)?.[0]
        return `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag}</ETag></Part>`
      })
      const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
      const complete = (headers: Record<string, string>) => service.ask(`POST ${path}?${upload}`, { body, headers })
      const wrong = Buffer.alloc(8, 1).toString('base64')
      expect(errorOf(await complete({ 'x-amz-checksum-crc64nvme': wrong }))).toMatchObject({ Code: 'BadDigest' })
      const ofOther = { 'x-amz-checksum-crc32': Buffer.alloc(4, 1).toString('base64') }
      expect(errorOf(await complete(ofOther))).toMatchObject({ Code: 'InvalidRequest' })
      const value = ofWhole['x-amz-checksum-crc64nvme'] ?? ''
      const completed = expectStatus(await complete({ 'x-amz-checksum-crc64nvme': value }), 200).xml()
      expect([completed.get('ChecksumCRC64NVME'), completed.get('ChecksumType')]).toEqual([value, 'FULL_OBJECT'])
      expect(checksumsOf(await service.ask(`HEAD ${path}`, { headers: shown }))).toEqual(ofWhole)
      expect(checksumsOf(await service.ask(`HEAD ${path}?partNumber=2`, { headers: shown }))).toEqual({})
      const attributes = { 'x-amz-object-attributes': 'Checksum,ObjectParts' }
      const { text } = await service.ask(`GET ${path}?attributes`, { headers: attributes })
      expect(text).toContain(`<ChecksumCRC64NVME>${value}</ChecksumCRC64NVME><ChecksumType>FULL_OBJECT</ChecksumType>`)
    },
  ],
])
