/** URLs signed by @aws-sdk/s3-request-presigner, requested with plain fetch. */
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { expect } from 'vitest'
import { oddKeys } from './odd-keys.ts'
import { bytes, inBothDialects, type Kept, md5, MiB, refusal, type Session, sha256 } from './session.ts'

type Command = Parameters<typeof getSignedUrl>[1]
type SignOptions = Parameters<typeof getSignedUrl>[2]

const sign = (s3: S3Client, command: unknown, options?: SignOptions) => getSignedUrl(s3, command as Command, options)
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())
const send = (method: string, body?: string | Buffer, headers: Record<string, string> = {}): RequestInit => ({
  method,
  headers,
  ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }),
})

/** `[status, code]` of an answer of the server. */
async function answered(requested: Promise<Response>): Promise<readonly [status: number, code: string | undefined]> {
  const response = await requested
  return [response.status, /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1]]
}

/** Changes to a URL that the signer did not intend, and the error that each must cause. */
const tampered: readonly (readonly [what: string, to: (url: string) => string, status: number, code: string])[] = [
  ['another key', (url) => url.replace('/mine?', '/other?'), 403, 'SignatureDoesNotMatch'],
  ['a longer life', (url) => url.replace('X-Amz-Expires=900', 'X-Amz-Expires=9000'), 403, 'SignatureDoesNotMatch'],
  ['another parameter', (url) => `${url}&versionId=null`, 403, 'SignatureDoesNotMatch'],
  ['a parameter less', (url) => url.replace('&x-id=GetObject', ''), 403, 'SignatureDoesNotMatch'],
  ['another signature', (url) => url.replace(/Signature=.{8}/, 'Signature=00000000'), 403, 'SignatureDoesNotMatch'],
  ['another signer', (url) => url.replace('AK-root', 'AK-ann'), 403, 'SignatureDoesNotMatch'],
  ['an unknown signer', (url) => url.replace('AK-root', 'AK-nobody'), 403, 'InvalidAccessKeyId'],
  ['no signature', (url) => url.replace(/&X-Amz-Signature=[^&]*/, ''), 400, 'AuthorizationQueryParametersError'],
  [
    'eight days',
    (url) => url.replace('X-Amz-Expires=900', 'X-Amz-Expires=691200'),
    400,
    'AuthorizationQueryParametersError',
  ],
  ['none of the signing', (url) => url.replace(/\?.*/, ''), 403, 'AccessDenied'],
]

/** URL parsers remove dot segments before the request is sent. */
const sendableKeys = oddKeys.filter((key) => !key.split('/').some((segment) => segment === '.' || segment === '..'))

async function presignedUpload(
  { s3, bucket }: Session,
  input: Partial<PutObjectCommandInput>,
  options?: SignOptions,
): Promise<{ readonly Bucket: string; readonly url: string }> {
  const Bucket = await bucket()
  return { Bucket, url: await sign(s3, new PutObjectCommand({ Bucket, Key: 'k', ...input }), options) }
}

inBothDialects('@aws-sdk/s3-request-presigner', [
  [
    'an object is put, looked at, read, read in part and deleted by URL alone',
    async ({ s3, bucket, get }) => {
      const target = { Bucket: await bucket(), Key: 'folder/a b+c%2F&=?.txt' }
      const data = bytes(12 * MiB + 1)
      const put = await fetch(await sign(s3, new PutObjectCommand(target)), send('PUT', data))
      expect([put.status, put.headers.get('etag')]).toEqual([200, `"${md5(data)}"`])
      expect(sha256((await get(target.Bucket, target.Key)).bytes)).toBe(sha256(data))

      const head = await fetch(await sign(s3, new HeadObjectCommand(target)), { method: 'HEAD' })
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(data.length)])
      const url = await sign(s3, new GetObjectCommand(target))
      expect(sha256(await bytesOf(await fetch(url)))).toBe(sha256(data))
      const part = await fetch(url, { headers: { range: 'bytes=5-9' } })
      expect([part.status, await bytesOf(part)]).toEqual([206, data.subarray(5, 10)])
      const same = await fetch(url, { headers: { 'if-none-match': put.headers.get('etag') ?? '' } })
      expect(same.status).toBe(304)

      const gone = await fetch(await sign(s3, new DeleteObjectCommand(target)), { method: 'DELETE' })
      expect(gone.status).toBe(204)
      expect(await answered(fetch(url))).toEqual([404, 'NoSuchKey'])
    },
  ],
  [
    'every key a URL can name is put and read by URL',
    async ({ s3, bucket, get }) => {
      const Bucket = await bucket()
      const look = async (Key: string) => {
        const put = await fetch(await sign(s3, new PutObjectCommand({ Bucket, Key })), send('PUT', `of ${Key}`))
        expect([put.status, Key]).toEqual([200, Key])
        expect((await get(Bucket, Key)).bytes.toString()).toBe(`of ${Key}`)
        const got = await fetch(await sign(s3, new GetObjectCommand({ Bucket, Key })))
        expect(await got.text()).toBe(`of ${Key}`)
      }
      await Promise.all(sendableKeys.map(look))
    },
  ],
  [
    'the metadata of an upload that is in the URL is kept with the object',
    async (session) => {
      const Metadata = { colour: 'blue', 'two-words': 'a b+c' }
      const { Bucket, url } = await presignedUpload(session, { Metadata, StorageClass: 'STANDARD' })
      expect(url).toContain('x-amz-meta-colour=blue')
      expect((await fetch(url, send('PUT', 'x', { 'content-type': 'text/odd' }))).status).toBe(200)
      const got = await session.get(Bucket, 'k')
      expect([got.Metadata, got.ContentType]).toEqual([Metadata, 'text/odd'])
    },
  ],
  [
    'an option in the URL is applied, or refused where the server does not have it',
    async (session) => {
      const kept = await presignedUpload(session, { StorageClass: 'GLACIER' })
      expect((await fetch(kept.url, send('PUT', 'x'))).status).toBe(200)
      expect((await session.get(kept.Bucket, 'k')).StorageClass).toBe('GLACIER')
      const { Bucket, url } = await presignedUpload(session, { WriteOffsetBytes: 1 })
      expect(await answered(fetch(url, send('PUT', 'x'))), url).toEqual([501, 'NotImplemented'])
      expect(await refusal(session.get(Bucket, 'k'))).toEqual(['NoSuchKey', 404])
    },
  ],
  [
    'headers that were signed have to be sent as they were signed',
    async (session) => {
      const signableHeaders = new Set(['content-type', 'host'])
      const { Bucket, url } = await presignedUpload(session, { ContentType: 'text/odd' }, { signableHeaders })
      expect(await answered(fetch(url, send('PUT', 'x', { 'content-type': 'text/even' })))).toEqual([
        403,
        'SignatureDoesNotMatch',
      ])
      expect((await fetch(url, send('PUT', 'x', { 'content-type': 'text/odd' }))).status).toBe(200)
      expect((await session.get(Bucket, 'k')).ContentType).toBe('text/odd')

      const unhoistableHeaders = new Set(['x-amz-meta-colour', 'x-amz-checksum-sha256'])
      const ChecksumSHA256 = Buffer.from(sha256('x'), 'hex').toString('base64')
      const input = { Metadata: { colour: 'blue' }, ChecksumSHA256 }
      const exact = await presignedUpload(session, input, { unhoistableHeaders })
      const headers = { 'x-amz-meta-colour': 'blue', 'x-amz-checksum-sha256': ChecksumSHA256 }
      expect(await answered(fetch(exact.url, send('PUT', 'y', headers)))).toEqual([400, 'BadDigest'])
      expect((await answered(fetch(exact.url, send('PUT', 'x'))))[0]).toBe(403)
      expect((await fetch(exact.url, send('PUT', 'x', headers))).status).toBe(200)
    },
  ],
  [
    'an unsigned header changes nothing that was signed',
    async (session) => {
      const { Bucket, url } = await presignedUpload(session, {})
      const requested = fetch(url, send('PUT', 'x', { 'x-amz-meta-colour': 'red' }))
      expect(await answered(requested)).toEqual([403, 'AccessDenied'])
      expect(await refusal(session.get(Bucket, 'k'))).toEqual(['NoSuchKey', 404])
    },
  ],
  [
    'conditions, versions and headers of the answer are part of the URL',
    async ({ s3, bucket, put }) => {
      const Bucket = await bucket('Enabled')
      const { VersionId } = await put(Bucket, 'k', 'first')
      await put(Bucket, 'k', 'second')
      const url = await sign(
        s3,
        new GetObjectCommand({
          Bucket,
          Key: 'k',
          VersionId,
          ResponseContentType: 'text/odd',
          ResponseContentDisposition: 'attachment; filename="a b.txt"',
        }),
      )
      const got = await fetch(url)
      expect(await got.text()).toBe('first')
      expect(got.headers.get('content-type')).toBe('text/odd')
      expect(got.headers.get('content-disposition')).toBe('attachment; filename="a b.txt"')
      expect(got.headers.get('x-amz-version-id')).toBe(VersionId)
    },
  ],
  [
    'an upload in parts can be made with a URL for each part',
    async ({ s3, bucket, get }) => {
      const target = { Bucket: await bucket(), Key: 'k' }
      const { UploadId } = await s3.send(new CreateMultipartUploadCommand(target))
      const bodies = [bytes(5 * MiB, 1), bytes(7 * MiB, 2)]
      const Parts = []
      for (const [index, body] of bodies.entries()) {
        const part = { ...target, UploadId, PartNumber: index + 1 }
        const response = await fetch(await sign(s3, new UploadPartCommand(part)), send('PUT', body))
        expect(response.status).toBe(200)
        Parts.push({ PartNumber: index + 1, ETag: response.headers.get('etag') ?? '' })
      }
      await s3.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } }))
      expect(sha256((await get(target.Bucket, 'k')).bytes)).toBe(sha256(Buffer.concat(bodies)))
    },
  ],
  [
    'a bucket is listed by URL',
    async ({ s3, bucket, put }) => {
      const Bucket = await bucket()
      await put(Bucket, 'a b&c')
      const response = await fetch(await sign(s3, new ListObjectsV2Command({ Bucket, Prefix: 'a b' })))
      expect(await response.text()).toContain('<Key>a b&amp;c</Key>')
    },
  ],
  ...tampered.map(
    ([what, to, status, code]): Kept => [
      `a URL changed to have ${what} is refused`,
      async ({ s3, bucket, put }) => {
        const Bucket = await bucket()
        for (const key of ['mine', 'other']) await put(Bucket, key)
        const url = await sign(s3, new GetObjectCommand({ Bucket, Key: 'mine' }))
        expect((await fetch(url)).status).toBe(200)
        expect(to(url)).not.toBe(url)
        expect(await answered(fetch(to(url)))).toEqual([status, code])
        // Meant to read: good for nothing else.
        expect(await answered(fetch(url, send('PUT', 'x')))).toEqual([403, 'SignatureDoesNotMatch'])
        expect(await answered(fetch(url, { method: 'DELETE' }))).toEqual([403, 'SignatureDoesNotMatch'])
      },
    ],
  ),
  [
    'a URL is valid from its date until it expires',
    async ({ s3, bucket, put }) => {
      const Bucket = await bucket()
      await put(Bucket, 'k')
      const command = new GetObjectCommand({ Bucket, Key: 'k' })
      const at = (minutes: number, expiresIn: number) =>
        sign(s3, command, { signingDate: new Date(Date.now() + minutes * 60_000), expiresIn })
      expect((await fetch(await at(-59, 3600))).status).toBe(200)
      expect(await answered(fetch(await at(-61, 3600)))).toEqual([403, 'AccessDenied'])
      expect((await fetch(await at(-60 * 24 * 6, 604_800))).status).toBe(200)
      expect((await answered(fetch(await at(60, 3600))))[0]).toBe(403)
    },
  ],
  [
    'a URL allows what its signer may do',
    async ({ bucket, put, client }) => {
      const Bucket = await bucket()
      await put(Bucket, 'k')
      const url = await sign(client({ as: 'ann' }), new GetObjectCommand({ Bucket, Key: 'k' }))
      expect(await answered(fetch(url))).toEqual([403, 'AccessDenied'])
    },
  ],
])
