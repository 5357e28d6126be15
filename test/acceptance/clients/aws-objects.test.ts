/** Objects, as @aws-sdk/client-s3 sees them: written, read whole and in part, on conditions, copied, deleted. */
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  type GetObjectCommandInput,
  HeadObjectCommand,
  NoSuchBucket,
  NoSuchKey,
  NoSuchUpload,
  NotFound,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3ServiceException,
  waitUntilObjectExists,
  waitUntilObjectNotExists,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { bytes, inBothDialects, type Kept, md5, MiB, refusal, refused, type Session, sha256 } from './session.ts'

interface Form {
  readonly form: string
  readonly size: number
  readonly body: (
    data: Buffer,
    session: Session,
  ) => Promise<PutObjectCommandInput['Body']> | PutObjectCommandInput['Body']
  /** Whether the client needs the length from its caller. */
  readonly unnamed?: true
}

/** In pieces of an odd size, as a network has them. */
const pieces = (data: Buffer) =>
  Readable.from(
    (function* () {
      for (let at = 0; at < data.length; at += 65_521) yield data.subarray(at, at + 65_521)
    })(),
  )

const forms: readonly Form[] = [
  { form: 'a string', size: 1000, body: (data) => data.toString('latin1').replaceAll(/[^ -~]/g, 'é') },
  { form: 'a Buffer', size: 100_000, body: (data) => data },
  { form: 'an empty Buffer', size: 0, body: (data) => data },
  { form: 'a Uint8Array', size: 3, body: (data) => new Uint8Array(data) },
  { form: 'a Buffer of 12 MiB and some', size: 12 * MiB + 12_345, body: (data) => data },
  { form: 'a stream of known length', size: 300_000, body: pieces, unnamed: true },
  { form: 'a stream of 13 MiB', size: 13 * MiB + 1, body: pieces, unnamed: true },
  { form: 'an empty stream', size: 0, body: pieces, unnamed: true },
  {
    form: 'a file',
    size: 200_000,
    async body(data, { server, name }) {
      const path = join(server.dir, `${name()}.scratch`)
      await writeFile(path, data)
      return createReadStream(path)
    },
  },
]

const kept = {
  CacheControl: 'max-age=60',
  ContentDisposition: 'attachment; filename="a b.txt"',
  ContentEncoding: 'gzip',
  ContentLanguage: 'de, en',
  ContentType: 'text/plain; charset=utf-8',
  WebsiteRedirectLocation: '/elsewhere',
  Metadata: { colour: 'blue', 'two-words': 'a  b', empty: '' },
} as const

/** For an object of ten bytes: the requested range, the bytes and content range of the answer, or the refusal. */
const ranges: readonly (readonly [range: string, bytes: string, contentRange: string | undefined])[] = [
  ['bytes=0-8', '012345678', 'bytes 0-8/10'],
  ['bytes=1-', '123456789', 'bytes 1-9/10'],
  ['bytes=-2', '89', 'bytes 8-9/10'],
  ['bytes=-15', '0123456789', 'bytes 0-9/10'],
  ['bytes=0-100', '0123456789', 'bytes 0-9/10'],
  ['bytes=9-9', '9', 'bytes 9-9/10'],
  ['bytes=1-0', '0123456789', undefined],
  ['bytes=0-1,3-4', '0123456789', undefined],
  ['pieces=0-1', '0123456789', undefined],
]

const past = new Date(0)
const future = new Date(Date.now() + 3_600_000)

/** Conditions on reading `ten`, made of its ETag and date; the answer's status. */
const conditions: readonly (readonly [(etag: string, date: Date) => Partial<GetObjectCommandInput>, status: number])[] =
  [
    [(IfMatch) => ({ IfMatch }), 200],
    [(etag) => ({ IfMatch: `"no", ${etag}` }), 200],
    [() => ({ IfMatch: '*' }), 200],
    [() => ({ IfMatch: '"no"' }), 412],
    [(IfNoneMatch) => ({ IfNoneMatch }), 304],
    [() => ({ IfNoneMatch: '"no"' }), 200],
    [(_, IfModifiedSince) => ({ IfModifiedSince }), 304],
    [() => ({ IfModifiedSince: past }), 200],
    [() => ({ IfModifiedSince: future }), 200],
    [(_, IfUnmodifiedSince) => ({ IfUnmodifiedSince }), 200],
    [() => ({ IfUnmodifiedSince: past }), 412],
    [(IfMatch) => ({ IfMatch, IfUnmodifiedSince: past }), 200],
    [(_, date) => ({ IfNoneMatch: '"no"', IfModifiedSince: date }), 200],
  ]

inBothDialects('@aws-sdk/client-s3: writing and reading', [
  ...forms.map(
    ({ form, size, body, unnamed }): Kept => [
      `${form} comes back byte for byte`,
      async (session) => {
        const { bucket, put, get, s3 } = session
        const Bucket = await bucket()
        const sent = await body(bytes(size), session)
        const expected = typeof sent === 'string' ? Buffer.from(sent) : bytes(size)
        const { ETag } = await put(Bucket, 'k', sent, unnamed && { ContentLength: size })
        expect(ETag).toBe(`"${md5(expected)}"`)
        const got = await get(Bucket, 'k')
        expect(got.ContentLength).toBe(expected.length)
        expect(sha256(got.bytes)).toBe(sha256(expected))
        expect(got).toMatchObject({ ETag, AcceptRanges: 'bytes', ContentType: 'application/octet-stream' })
        expect([got.ContentEncoding, got.ContentRange, got.VersionId]).toEqual([undefined, undefined, undefined])
        const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'k' }))
        expect(head).toMatchObject({ ETag, ContentLength: expected.length, LastModified: got.LastModified })
      },
    ],
  ),
  [
    'a stream of unknown length is stored whole',
    async ({ bucket, get, client }) => {
      const Bucket = await bucket()
      // With checksums of its own the client would not send it.
      const bare = client({ config: { requestChecksumCalculation: 'WHEN_REQUIRED' } })
      const data = bytes(200_000)
      await bare.send(new PutObjectCommand({ Bucket, Key: 'k', Body: pieces(data) }))
      expect(sha256((await get(Bucket, 'k')).bytes)).toBe(sha256(data))
    },
  ],
  [
    'an aborted request leaves what was there before',
    async ({ bucket, put, get, client }) => {
      const Bucket = await bucket()
      await put(Bucket, 'k', 'before')
      const giveUp = new AbortController()
      const Body = Readable.from(
        (async function* () {
          yield bytes(2 * MiB)
          giveUp.abort()
          yield bytes(2 * MiB)
        })(),
      )
      const requested = new PutObjectCommand({ Bucket, Key: 'k', ContentLength: 4 * MiB, Body })
      expect((await refused(client().send(requested, { abortSignal: giveUp.signal }))).name).toBe('AbortError')
      expect((await get(Bucket, 'k')).bytes.toString()).toBe('before')
    },
  ],
  [
    'headers and metadata are kept with the object',
    async ({ bucket, put, get, s3 }) => {
      const Bucket = await bucket()
      const Expires = new Date('2030-01-02T03:04:05Z')
      await put(Bucket, 'k', 'x', { ...kept, Metadata: { ...kept.Metadata, Shout: 'UP' }, Expires })
      const expected = { ...kept, Metadata: { ...kept.Metadata, shout: 'UP' }, ExpiresString: Expires.toUTCString() }
      expect(await get(Bucket, 'k')).toMatchObject(expected)
      expect(await s3.send(new HeadObjectCommand({ Bucket, Key: 'k' }))).toMatchObject(expected)
      await put(Bucket, 'k', 'x')
      const bare = await get(Bucket, 'k')
      expect([bare.Metadata, bare.CacheControl, bare.WebsiteRedirectLocation]).toEqual([{}, undefined, undefined])
      expect(bare.ContentType).toBe('application/octet-stream')
    },
  ],
  [
    'the encoding of a stream is kept without the transfer’s own',
    async ({ bucket, put, get }) => {
      const Bucket = await bucket()
      await put(Bucket, 'k', pieces(bytes(100_000)), { ContentLength: 100_000, ContentEncoding: 'gzip, br' })
      expect((await get(Bucket, 'k')).ContentEncoding?.replaceAll(' ', '')).toBe('gzip,br')
    },
  ],
  [
    'a reader may name the headers of the answer',
    async ({ bucket, put, get }) => {
      const Bucket = await bucket()
      await put(Bucket, 'k', 'x', kept)
      const answer = await get(Bucket, 'k', {
        ResponseCacheControl: 'no-store',
        ResponseContentDisposition: 'inline; filename="ä+b.txt"',
        ResponseContentEncoding: 'identity',
        ResponseContentLanguage: 'fr',
        ResponseContentType: 'application/x-a+b',
        ResponseExpires: future,
      })
      expect(answer).toMatchObject({
        CacheControl: 'no-store',
        ContentDisposition: 'inline; filename="ä+b.txt"',
        ContentEncoding: 'identity',
        ContentLanguage: 'fr',
        ContentType: 'application/x-a+b',
        ExpiresString: future.toUTCString(),
      })
    },
  ],
  [
    'metadata beyond 2 KB is refused',
    async ({ bucket, put, get }) => {
      const Bucket = await bucket()
      await put(Bucket, 'k', 'x', { Metadata: { a: 'x'.repeat(2047) } })
      expect((await get(Bucket, 'k')).Metadata?.['a']).toHaveLength(2047)
      const more = put(Bucket, 'k', 'x', { Metadata: { a: 'x'.repeat(2048) } })
      expect(await refusal(more)).toEqual(['MetadataTooLarge', 400])
    },
  ],
  [
    'a range brings the bytes it names and no others',
    async ({ bucket, put, get }) => {
      const Bucket = await bucket()
      await put(Bucket, 'ten', '0123456789')
      await put(Bucket, 'none', '')
      for (const [Range, text, ContentRange] of ranges) {
        const got = await get(Bucket, 'ten', { Range })
        expect(got.bytes.toString(), Range).toBe(text)
        expect(got.ContentRange, Range).toBe(ContentRange)
        expect(got.$metadata.httpStatusCode, Range).toBe(ContentRange === undefined ? 200 : 206)
        expect(got.ContentLength, Range).toBe(text.length)
      }
      for (const Range of ['bytes=-0', 'bytes=10-', 'bytes=100-200']) {
        expect(await refusal(get(Bucket, 'ten', { Range })), Range).toEqual(['InvalidRange', 416])
      }
      expect(await refusal(get(Bucket, 'none', { Range: 'bytes=0-0' }))).toEqual(['InvalidRange', 416])
      expect(await refused(get(Bucket, 'ten', { Range: 'bytes=10-' }))).toMatchObject({
        ActualObjectSize: '10',
        RangeRequested: 'bytes=10-',
      })
      expect(await refusal(get(Bucket, 'absent', { Range: 'bytes=100-200' }))).toEqual(['NoSuchKey', 404])
    },
  ],
  [
    'ranges of a large object are read from where they begin',
    async ({ bucket, put, get }) => {
      const Bucket = await bucket()
      const data = bytes(9 * MiB)
      await put(Bucket, 'k', data)
      for (const [start, end] of [
        [0, 0],
        [MiB - 1, MiB],
        [4 * MiB - 7, 8 * MiB + 7],
        [9 * MiB - 1, 9 * MiB - 1],
      ] as const) {
        const got = await get(Bucket, 'k', { Range: `bytes=${start}-${end}` })
        expect(sha256(got.bytes)).toBe(sha256(data.subarray(start, end + 1)))
      }
    },
  ],
  [
    'part 1 of an object that has no parts is the object',
    async ({ bucket, put, get, s3 }) => {
      const Bucket = await bucket()
      await put(Bucket, 'ten', '0123456789')
      const part = await get(Bucket, 'ten', { PartNumber: 1 })
      expect(part.bytes.toString()).toBe('0123456789')
      expect(part).toMatchObject({ ContentRange: 'bytes 0-9/10', $metadata: { httpStatusCode: 206 } })
      expect(await refusal(get(Bucket, 'ten', { PartNumber: 2 }))).toEqual(['InvalidPartNumber', 416])
      const head = s3.send(new HeadObjectCommand({ Bucket, Key: 'ten', PartNumber: 2 }))
      expect((await refused(head)).$metadata.httpStatusCode).toBe(416)
      expect(await refusal(get(Bucket, 'ten', { PartNumber: 1, Range: 'bytes=0-1' }))).toEqual(['InvalidRequest', 400])
    },
  ],
  [
    'conditions decide whether an object is sent',
    async ({ bucket, put, get, s3 }) => {
      const Bucket = await bucket()
      const { ETag = '' } = await put(Bucket, 'ten', '0123456789')
      const { LastModified = past } = await get(Bucket, 'ten')
      for (const [asks, status] of conditions) {
        const requested = asks(ETag, LastModified)
        const label = JSON.stringify(requested)
        const head = () => s3.send(new HeadObjectCommand({ Bucket, Key: 'ten', ...requested }))
        if (status === 200) {
          expect((await get(Bucket, 'ten', requested)).bytes.toString(), label).toBe('0123456789')
          expect((await head()).$metadata.httpStatusCode, label).toBe(200)
        } else {
          const { name, $metadata } = await refused(get(Bucket, 'ten', requested))
          expect($metadata.httpStatusCode, label).toBe(status)
          if (status === 412) expect(name, label).toBe('PreconditionFailed')
          expect((await refused(head())).$metadata.httpStatusCode, label).toBe(status)
        }
      }
    },
  ],
  [
    'conditions decide whether an object is written',
    async ({ bucket, put, get }) => {
      const Bucket = await bucket()
      const first = await put(Bucket, 'k', 'one', { IfNoneMatch: '*' })
      expect(await refusal(put(Bucket, 'k', 'two', { IfNoneMatch: '*' }))).toEqual(['PreconditionFailed', 412])
      expect(await refusal(put(Bucket, 'k', 'two', { IfMatch: '"no"' }))).toEqual(['PreconditionFailed', 412])
      expect(await refusal(put(Bucket, 'absent', 'two', { IfMatch: '"no"' }))).toEqual(['NoSuchKey', 404])
      expect(await refusal(put(Bucket, 'k', 'two', { IfMatch: '*' }))).toEqual(['NotImplemented', 501])
      expect(await refusal(put(Bucket, 'k', 'two', { IfNoneMatch: '"a"' }))).toEqual(['NotImplemented', 501])
      expect((await get(Bucket, 'k')).bytes.toString()).toBe('one')
      await put(Bucket, 'k', 'two', { IfMatch: first.ETag })
      expect((await get(Bucket, 'k')).bytes.toString()).toBe('two')
    },
  ],
  [
    'of many writes that require an absent key, exactly one succeeds',
    async ({ bucket, put, get }) => {
      const Bucket = await bucket()
      const writers = Array.from({ length: 8 }, (_, number) => put(Bucket, 'k', `by ${number}`, { IfNoneMatch: '*' }))
      const outcomes = await Promise.allSettled(writers)
      const won = outcomes.flatMap(({ status }, number) => (status === 'fulfilled' ? [number] : []))
      expect(won).toHaveLength(1)
      const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.name] : []))
      expect(new Set(lost)).toEqual(new Set(['PreconditionFailed']))
      expect((await get(Bucket, 'k')).bytes.toString()).toBe(`by ${won[0]}`)
    },
  ],
  [
    'a reader of an object that is overwritten gets the old or the new one, whole',
    async ({ bucket, put, get }) => {
      const Bucket = await bucket()
      const bodies = [bytes(2 * MiB, 1), bytes(2 * MiB, 2)]
      await put(Bucket, 'k', bodies[0])
      const reads = Promise.all(Array.from({ length: 6 }, () => get(Bucket, 'k')))
      await put(Bucket, 'k', bodies[1])
      const known = new Set(bodies.map(sha256))
      for (const got of [...(await reads), await get(Bucket, 'k')]) {
        expect(known).toContain(sha256(got.bytes))
        expect(got.ETag).toBe(`"${md5(got.bytes)}"`)
      }
    },
  ],
  [
    'an object deleted is gone; deleting what is not there succeeds',
    async ({ bucket, put, get, s3 }) => {
      const Bucket = await bucket()
      await put(Bucket, 'k')
      const remove = (Key: string) => s3.send(new DeleteObjectCommand({ Bucket, Key }))
      for (const Key of ['k', 'k', 'never']) {
        const { $metadata, DeleteMarker, VersionId } = await remove(Key)
        expect($metadata.httpStatusCode).toBe(204)
        expect([DeleteMarker, VersionId]).toEqual([undefined, undefined])
      }
      expect(await refusal(get(Bucket, 'k'))).toEqual(['NoSuchKey', 404])
      expect(await refused(get(Bucket, 'k'))).toMatchObject({ Key: 'k' })
      expect(await refusal(s3.send(new HeadObjectCommand({ Bucket, Key: 'k' })))).toEqual(['NotFound', 404])
    },
  ],
  [
    'an object is deleted on condition',
    async ({ bucket, put, s3 }) => {
      const Bucket = await bucket()
      const { ETag } = await put(Bucket, 'k')
      const remove = (IfMatch: string | undefined) => s3.send(new DeleteObjectCommand({ Bucket, Key: 'k', IfMatch }))
      expect(await refusal(remove('"no"'))).toEqual(['PreconditionFailed', 412])
      expect((await remove(ETag)).$metadata.httpStatusCode).toBe(204)
    },
  ],
  [
    'waiters see objects come and go',
    async ({ bucket, put, s3 }) => {
      const requested = { Bucket: await bucket(), Key: 'k' }
      const waiting = { client: s3, maxWaitTime: 10, minDelay: 1, maxDelay: 1 }
      expect((await waitUntilObjectNotExists(waiting, requested)).state).toBe('SUCCESS')
      await put(requested.Bucket, 'k')
      expect((await waitUntilObjectExists(waiting, requested)).state).toBe('SUCCESS')
    },
  ],
  [
    'a request that names a missing bucket is refused with NoSuchBucket',
    async ({ put, get, s3, name }) => {
      const Bucket = name()
      expect(await refusal(put(Bucket, 'k'))).toEqual(['NoSuchBucket', 404])
      expect(await refusal(put(Bucket, 'k', bytes(2 * MiB)))).toEqual(['NoSuchBucket', 404])
      expect(await refusal(get(Bucket, 'k'))).toEqual(['NoSuchBucket', 404])
      expect(await refusal(s3.send(new HeadObjectCommand({ Bucket, Key: 'k' })))).toEqual(['NotFound', 404])
      expect(await refusal(s3.send(new DeleteObjectCommand({ Bucket, Key: 'k' })))).toEqual(['NoSuchBucket', 404])
    },
  ],
  [
    'errors are of the classes the client has for them',
    async ({ bucket, put, get, s3, name }) => {
      const Bucket = await bucket()
      const absent = { Bucket, Key: 'absent' }
      expect(await refused(get(Bucket, 'absent'))).toBeInstanceOf(NoSuchKey)
      expect(await refused(s3.send(new HeadObjectCommand(absent)))).toBeInstanceOf(NotFound)
      expect(await refused(put(name(), 'k'))).toBeInstanceOf(NoSuchBucket)
      const UploadId = 'nonsense'
      expect(await refused(s3.send(new AbortMultipartUploadCommand({ ...absent, UploadId })))).toBeInstanceOf(
        NoSuchUpload,
      )
      expect(await refused(get(Bucket, 'absent', { VersionId: 'nonsense' }))).toBeInstanceOf(S3ServiceException)
    },
  ],
  [
    'a key longer than 1024 bytes is refused; one of 1024 is a key',
    async ({ bucket, put, get }) => {
      const Bucket = await bucket()
      const longest = 'é'.repeat(512)
      await put(Bucket, longest, 'x')
      expect((await get(Bucket, longest)).bytes.toString()).toBe('x')
      expect(await refusal(put(Bucket, `${longest}x`, 'x'))).toEqual(['KeyTooLongError', 400])
    },
  ],
])
