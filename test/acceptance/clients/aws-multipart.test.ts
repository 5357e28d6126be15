/** Uploads in parts, by hand with @aws-sdk/client-s3 and by @aws-sdk/lib-storage. */
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  type ChecksumAlgorithm,
  type ChecksumType,
  CompleteMultipartUploadCommand,
  type CompleteMultipartUploadCommandInput,
  type CompletedPart,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  ListObjectsV2Command,
  paginateListParts,
  UploadPartCommand,
  type UploadPartCommandInput,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { expect } from 'vitest'
import {
  byBytes,
  bytes,
  inBothDialects,
  type Kept,
  md5,
  MiB,
  refusal,
  refused,
  type Session,
  sha256,
} from './session.ts'

interface Started {
  readonly ref: { readonly Bucket: string; readonly Key: string; readonly UploadId: string | undefined }
  part(PartNumber: number, Body: Buffer, more?: Partial<UploadPartCommandInput>): Promise<CompletedPart>
  complete(Parts: CompletedPart[], more?: Partial<CompleteMultipartUploadCommandInput>): ReturnType<typeof completed>
}

const completed = ({ s3 }: Session, input: CompleteMultipartUploadCommandInput) =>
  s3.send(new CompleteMultipartUploadCommand(input))

async function start(
  session: Session,
  Bucket: string,
  more: Partial<CreateMultipartUploadCommandInput> = {},
): Promise<Started> {
  const { s3 } = session
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'k', ...more }))
  const ref = { Bucket, Key: more.Key ?? 'k', UploadId }
  return {
    ref,
    async part(PartNumber, Body, input = {}) {
      const { ETag, $metadata, ...more } = await s3.send(new UploadPartCommand({ ...ref, PartNumber, Body, ...input }))
      expect(ETag).toBe(`"${md5(Body)}"`)
      expect($metadata.attempts).toBe(1)
      const checksums = Object.entries(more).filter(([name]) => name.startsWith('Checksum'))
      return { PartNumber, ETag, ...Object.fromEntries(checksums) }
    },
    complete: (Parts, input = {}) => completed(session, { ...ref, MultipartUpload: { Parts }, ...input }),
  }
}

const composed = (...parts: readonly Buffer[]) =>
  `"${md5(Buffer.concat(parts.map((part) => Buffer.from(md5(part), 'hex'))))}-${parts.length}"`

const [first, second, last] = [bytes(5 * MiB, 1), bytes(6 * MiB + 1, 2), bytes(1 * MiB + 7, 3)] as const
const whole = Buffer.concat([first, second, last])

/** Algorithm, requested type, and the type that the object then has. */
const checksums: readonly (readonly [ChecksumAlgorithm, ChecksumType | undefined, ChecksumType])[] = [
  ['CRC32', undefined, 'COMPOSITE'],
  ['CRC32', 'FULL_OBJECT', 'FULL_OBJECT'],
  ['CRC32C', 'COMPOSITE', 'COMPOSITE'],
  ['CRC32C', 'FULL_OBJECT', 'FULL_OBJECT'],
  ['CRC64NVME', undefined, 'FULL_OBJECT'],
  ['SHA1', undefined, 'COMPOSITE'],
  ['SHA256', 'COMPOSITE', 'COMPOSITE'],
]

inBothDialects('@aws-sdk/client-s3: uploads in parts', [
  [
    'parts become one object, in the order of their numbers, with the headers the upload began with',
    async (session) => {
      const { bucket, get, s3 } = session
      const Bucket = await bucket()
      const described = { ContentType: 'text/odd', CacheControl: 'no-store', Metadata: { colour: 'blue' } }
      const { part, complete } = await start(session, Bucket, described)
      // Numbers have gaps, and arrive in no order.
      const parts = [await part(10_000, last), await part(2, first), await part(7, second)]
      expect(await refusal(get(Bucket, 'k'))).toEqual(['NoSuchKey', 404])
      const made = await complete(parts.sort((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0)))
      const ETag = composed(first, second, last)
      expect(made).toMatchObject({ Bucket, Key: 'k', ETag, Location: expect.stringMatching(/^http:.*\/k$/) })
      const got = await get(Bucket, 'k')
      expect([sha256(got.bytes), got.ETag]).toEqual([sha256(whole), ETag])
      expect(got).toMatchObject(described)
      const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket }))
      expect(Contents).toMatchObject([{ Key: 'k', Size: whole.length, ETag }])
      const straddling = await get(Bucket, 'k', { Range: `bytes=${5 * MiB - 3}-${5 * MiB + 2}` })
      expect(straddling.bytes.equals(whole.subarray(5 * MiB - 3, 5 * MiB + 3))).toBe(true)
    },
  ],
  [
    'a part is read by its number',
    async (session) => {
      const { bucket, get, s3 } = session
      const Bucket = await bucket()
      const { part, complete } = await start(session, Bucket)
      await complete([await part(3, first), await part(9, last)])
      const size = first.length + last.length
      for (const [PartNumber, body, ContentRange] of [
        [1, first, `bytes 0-${first.length - 1}/${size}`],
        [2, last, `bytes ${first.length}-${size - 1}/${size}`],
      ] as const) {
        const got = await get(Bucket, 'k', { PartNumber })
        expect(got.bytes.equals(body)).toBe(true)
        expect(got).toMatchObject({ PartsCount: 2, ContentRange, $metadata: { httpStatusCode: 206 } })
        const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'k', PartNumber }))
        expect([head.PartsCount, head.ContentLength]).toEqual([2, body.length])
      }
      expect(await refusal(get(Bucket, 'k', { PartNumber: 3 }))).toEqual(['InvalidPartNumber', 416])
    },
  ],
  [
    'the last upload of a number counts, and parts that are not listed are dropped',
    async (session) => {
      const { bucket, get } = session
      const Bucket = await bucket()
      const { part, complete } = await start(session, Bucket)
      await part(1, second)
      const parts = [await part(1, first), await part(3, last)]
      await part(2, second)
      await complete(parts)
      expect(sha256((await get(Bucket, 'k')).bytes)).toBe(sha256(Buffer.concat([first, last])))
    },
  ],
  [
    'what is wrong with a list of parts is named, and the upload can be finished all the same',
    async (session) => {
      const { bucket, get } = session
      const Bucket = await bucket()
      const { part, complete } = await start(session, Bucket)
      const [one, two, three] = [await part(1, first), await part(2, last), await part(3, last)]
      expect(await refusal(complete([one, two, three]))).toEqual(['EntityTooSmall', 400])
      expect(await refusal(complete([three, one]))).toEqual(['InvalidPartOrder', 400])
      expect(await refusal(complete([one, { ...two, PartNumber: 4 }]))).toEqual(['InvalidPart', 400])
      expect(await refusal(complete([{ ...one, ETag: two.ETag }]))).toEqual(['InvalidPart', 400])
      expect(await refused(complete([{ ...one, ETag: two.ETag }]))).toMatchObject({ PartNumber: '1' })
      expect((await refused(complete([]))).$metadata.httpStatusCode).toBe(400)
      expect(await refusal(complete([one], { MpuObjectSize: 7 }))).toEqual(['InvalidRequest', 400])
      await complete([one, two], { MpuObjectSize: first.length + last.length })
      expect((await get(Bucket, 'k')).ETag).toBe(composed(first, last))
    },
  ],
  [
    'a number listed twice is read by the dialect',
    async (session) => {
      const { bucket, get, dialect } = session
      const Bucket = await bucket()
      const { part, complete } = await start(session, Bucket)
      const resent = await part(1, last)
      const parts = [await part(1, first), await part(1, last)]
      expect(await refusal(complete([resent, resent]))).toEqual(['InvalidPartOrder', 400])
      if (dialect === 'neutral') {
        expect(await refusal(complete(parts))).toEqual(['InvalidPartOrder', 400])
      } else {
        await complete(parts)
        expect((await get(Bucket, 'k')).bytes.equals(last)).toBe(true)
      }
    },
  ],
  [
    'completing again is answered by the dialect, and makes nothing new',
    async (session) => {
      const { bucket, put, get, dialect } = session
      const Bucket = await bucket('Enabled')
      const { part, complete } = await start(session, Bucket)
      const parts = [await part(1, last)]
      const { $metadata: _, ...made } = await complete(parts)
      expect(made.VersionId).toMatch(/\S/)
      const later = await put(Bucket, 'k', 'later')
      if (dialect === 'aws') expect(await complete(parts)).toMatchObject(made)
      else expect(await refusal(complete(parts))).toEqual(['NoSuchUpload', 404])
      expect((await get(Bucket, 'k')).VersionId).toBe(later.VersionId)
      expect((await get(Bucket, 'k', { VersionId: made.VersionId })).bytes.equals(last)).toBe(true)
    },
  ],
  [
    'an aborted upload is gone with its parts; one that never was is refused everywhere',
    async (session) => {
      const { bucket, s3 } = session
      const Bucket = await bucket()
      const { ref, part, complete } = await start(session, Bucket)
      const one = await part(1, last)
      expect((await s3.send(new AbortMultipartUploadCommand(ref))).$metadata.httpStatusCode).toBe(204)
      const gone = { ...ref, PartNumber: 1 }
      const requested = [
        () => complete([one]),
        () => s3.send(new UploadPartCommand({ ...gone, Body: 'x' })),
        () => s3.send(new AbortMultipartUploadCommand(ref)),
        () => s3.send(new AbortMultipartUploadCommand({ ...ref, UploadId: 'nonsense' })),
        () => s3.send(new UploadPartCommand({ ...gone, UploadId: 'nonsense', Body: 'x' })),
        async () => (await paginateListParts({ client: s3 }, { ...ref }).next()).value,
      ]
      for (const ask of requested) expect(await refusal(ask()), ask.toString()).toEqual(['NoSuchUpload', 404])
      const other = await start(session, Bucket)
      const elsewhere = { ...other.ref, Key: 'other' }
      expect(await refusal(s3.send(new AbortMultipartUploadCommand(elsewhere)))).toEqual(['NoSuchUpload', 404])
    },
  ],
  [
    'part numbers are 1 to 10,000',
    async (session) => {
      const { bucket, s3 } = session
      const { ref } = await start(session, await bucket())
      for (const PartNumber of [0, -1, 10_001]) {
        const requested = s3.send(new UploadPartCommand({ ...ref, PartNumber, Body: 'x' }))
        expect(await refusal(requested)).toEqual(['InvalidArgument', 400])
      }
    },
  ],
  [
    'paginateListParts finds each part once, in order',
    async (session) => {
      const { bucket, s3 } = session
      const { ref, part } = await start(session, await bucket())
      const numbers = [1, 2, 5, 9, 10_000]
      await Promise.all(numbers.map((number) => part(number, bytes(number))))
      for (const pageSize of [1, 2, 5, 1000]) {
        const found = []
        for await (const page of paginateListParts({ client: s3, pageSize }, { ...ref })) {
          found.push(...(page.Parts ?? []))
          expect(found.length, 'the paginator goes round and round').toBeLessThanOrEqual(numbers.length)
        }
        expect(found.map(({ PartNumber, Size, ETag }) => [PartNumber, Size, ETag])).toEqual(
          numbers.map((number) => [number, number, `"${md5(bytes(number))}"`]),
        )
      }
    },
  ],
  [
    'parts are copied, whole and in pieces, from any version',
    async (session) => {
      const { bucket, put, get, s3 } = session
      const [from, Bucket] = [await bucket('Enabled'), await bucket()]
      const old = await put(from, 'odd key+%2F', whole)
      await put(from, 'odd key+%2F', 'newer')
      const CopySource = `${from}/${encodeURIComponent('odd key+%2F')}?versionId=${old.VersionId}`
      const { ref, complete, part } = await start(session, Bucket)
      const ranged = { ...ref, CopySource, CopySourceRange: `bytes=0-${6 * MiB - 1}` }
      const copied = await s3.send(new UploadPartCopyCommand({ ...ranged, PartNumber: 1 }))
      expect(copied.CopySourceVersionId).toBe(old.VersionId)
      const all = await s3.send(new UploadPartCopyCommand({ ...ref, CopySource, PartNumber: 2 }))
      const etags = [copied, all].map(({ CopyPartResult }) => CopyPartResult?.ETag)
      expect(etags).toEqual([`"${md5(whole.subarray(0, 6 * MiB))}"`, `"${md5(whole)}"`])
      await complete([...etags.map((ETag, at) => ({ ETag, PartNumber: at + 1 })), await part(3, last)])
      const expected = Buffer.concat([whole.subarray(0, 6 * MiB), whole, last])
      expect(sha256((await get(Bucket, 'k')).bytes)).toBe(sha256(expected))
    },
  ],
  [
    'a part that cannot be copied is refused by name',
    async (session) => {
      const { bucket, put, s3, name } = session
      const Bucket = await bucket()
      await put(Bucket, 'ten', '0123456789')
      const { ref } = await start(session, Bucket)
      const copy = (more: { CopySource: string; CopySourceRange?: string; CopySourceIfMatch?: string }) =>
        refusal(s3.send(new UploadPartCopyCommand({ ...ref, PartNumber: 1, ...more })))
      const CopySource = `${Bucket}/ten`
      expect((await copy({ CopySource, CopySourceRange: 'bytes=0-10' }))[0]).toBe('InvalidArgument')
      for (const CopySourceRange of ['bytes=5-', 'bytes=-5', 'bytes=5-4', 'nonsense']) {
        expect(await copy({ CopySource, CopySourceRange }), CopySourceRange).toEqual(['InvalidArgument', 400])
      }
      expect(await copy({ CopySource, CopySourceIfMatch: '"no"' })).toEqual(['PreconditionFailed', 412])
      expect(await copy({ CopySource: `${Bucket}/absent` })).toEqual(['NoSuchKey', 404])
      expect(await copy({ CopySource: `${name()}/k` })).toEqual(['NoSuchBucket', 404])
    },
  ],
  [
    'uploads under way are listed by key and beginning, in pages of any size, prefixes rolled up',
    async (session) => {
      const { bucket, s3 } = session
      const Bucket = await bucket()
      const begun: string[] = []
      for (const Key of ['b', 'a/1', 'a/1', 'a/2', 'ä', 'b']) {
        begun.push(`${Key} ${(await start(session, Bucket, { Key })).ref.UploadId}`)
      }
      const keyOf = (upload: string) => upload.replace(/ .*$/, '')
      const expected = [...begun].sort((a, b) => byBytes(keyOf(a), keyOf(b)))
      const walk = async (input: Partial<ListMultipartUploadsCommandInput>) => {
        const found: string[] = []
        for (let markers = {}; ; ) {
          const page = await s3.send(new ListMultipartUploadsCommand({ Bucket, ...input, ...markers }))
          found.push(...(page.Uploads ?? []).map(({ Key, UploadId }) => `${Key} ${UploadId}`))
          found.push(...(page.CommonPrefixes ?? []).map(({ Prefix = '' }) => Prefix))
          if (page.IsTruncated !== true) return found
          markers = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        }
      }
      for (const MaxUploads of [1, 2, 3, 6, 1000]) {
        expect(await walk({ MaxUploads })).toEqual(expected)
        expect(await walk({ MaxUploads, Prefix: 'a/' })).toEqual(expected.filter((upload) => upload.startsWith('a/')))
        const rolled = await walk({ MaxUploads, Delimiter: '/' })
        expect(rolled.sort()).toEqual([...expected.filter((upload) => !upload.startsWith('a/')), 'a/'].sort())
      }
    },
  ],
  [
    'a completion on condition is made only while the condition holds, whatever happened since the upload began',
    async (session) => {
      const { bucket, put, get, s3 } = session
      const Bucket = await bucket()
      const began = async () => {
        const upload = await start(session, Bucket)
        return { ...upload, parts: [await upload.part(1, last)] }
      }
      const fresh = await began()
      const made = await fresh.complete(fresh.parts, { IfNoneMatch: '*' })
      const late = await began()
      expect(await refusal(late.complete(late.parts, { IfNoneMatch: '*' }))).toEqual(['PreconditionFailed', 412])
      expect(await refusal(late.complete(late.parts, { IfMatch: '"no"' }))).toEqual(['PreconditionFailed', 412])
      await late.complete(late.parts, { IfMatch: made.ETag })
      const rewritten = await began()
      const { ETag } = await put(Bucket, 'k', 'meanwhile')
      const conflict = ['ConditionalRequestConflict', 409]
      expect(await refusal(rewritten.complete(rewritten.parts, { IfMatch: ETag }))).toEqual(conflict)
      const deleted = await began()
      await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k' }))
      expect(await refusal(deleted.complete(deleted.parts, { IfNoneMatch: '*' }))).toEqual(conflict)
      expect(await refusal(deleted.complete(deleted.parts, { IfMatch: ETag }))).toEqual(['NoSuchKey', 404])
      expect(await refusal(get(Bucket, 'k'))).toEqual(['NoSuchKey', 404])
    },
  ],
  ...checksums.map(
    ([ChecksumAlgorithm, requested, type]): Kept => [
      `${ChecksumAlgorithm} of the parts ${requested === undefined ? '' : `requested as ${requested} `}makes a checksum ${type} of the object`,
      async (session) => {
        const { bucket, put, get } = session
        const Bucket = await bucket()
        const ChecksumType = requested && { ChecksumType: requested }
        const { part, complete } = await start(session, Bucket, { ChecksumAlgorithm, ...ChecksumType })
        const parts = [await part(1, first, { ChecksumAlgorithm }), await part(2, last, { ChecksumAlgorithm })]
        const field = `Checksum${ChecksumAlgorithm}` as 'ChecksumCRC32'
        for (const one of parts) expect(one[field]).toMatch(/=$/)
        const wrong = { ...parts[0], [field]: parts[1]?.[field] }
        expect((await refused(complete([wrong, ...parts.slice(1)]))).name).toBe('InvalidPart')
        const made = await complete(parts, { ...ChecksumType })
        expect(made.ChecksumType).toBe(type)
        const got = await get(Bucket, 'k', { ChecksumMode: 'ENABLED' })
        expect([got[field], got.ChecksumType]).toEqual([made[field], type])
        expect(sha256(got.bytes)).toBe(sha256(Buffer.concat([first, last])))
        if (type === 'COMPOSITE') expect(got[field]).toMatch(/=-2$/)
        else expect((await put(Bucket, 'same', got.bytes, { ChecksumAlgorithm }))[field]).toBe(got[field])
      },
    ],
  ),
])

/** `length` bytes, read as fast as they are taken. */
const stream = (data: Buffer, size = 200_003) =>
  Readable.from(
    (function* () {
      for (let at = 0; at < data.length; at += size) yield data.subarray(at, at + size)
    })(),
  )

const sources: readonly (readonly [source: string, size: number, of: (data: Buffer) => Upload['params']['Body']])[] = [
  ['a small Buffer', 1000, (data) => data],
  ['an empty Buffer', 0, (data) => data],
  ['a small stream', 1000, (data) => stream(data)],
  ['an empty stream', 0, (data) => stream(data)],
  ['a stream of 5 MiB', 5 * MiB, (data) => stream(data)],
  ['a stream of 17 MiB and some', 17 * MiB + 13, (data) => stream(data)],
  ['a Buffer of 12 MiB', 12 * MiB, (data) => data],
  ['a web stream of 12 MiB', 12 * MiB, (data) => new Blob([new Uint8Array(data)]).stream()],
  ['a Blob of 6 MiB', 6 * MiB, (data) => new Blob([new Uint8Array(data)])],
]

inBothDialects('@aws-sdk/lib-storage', [
  ...sources.map(
    ([source, size, of]): Kept => [
      `${source} is uploaded without anyone saying how long it is`,
      async ({ s3, bucket, get }) => {
        const Bucket = await bucket('Enabled')
        const data = bytes(size, 9)
        const params = {
          Bucket,
          Key: 'folder/a b+c',
          Body: of(data),
          ContentType: 'text/odd',
          Metadata: { colour: 'red' },
        }
        const upload = new Upload({ client: s3, params })
        const reported: number[] = []
        upload.on('httpUploadProgress', ({ loaded = 0 }) => reported.push(loaded))
        const made = await upload.done()
        expect(made).toMatchObject({ Bucket, Key: 'folder/a b+c', Location: expect.stringContaining('a%20b%2Bc') })
        expect(Math.max(...reported)).toBe(size)
        const got = await get(Bucket, 'folder/a b+c', { ChecksumMode: 'ENABLED' })
        expect(sha256(got.bytes)).toBe(sha256(data))
        expect(got).toMatchObject({ ETag: made.ETag, VersionId: made.VersionId, ContentType: 'text/odd' })
        expect(got.Metadata).toEqual({ colour: 'red' })
        expect((await s3.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads).toBeUndefined()
      },
    ],
  ),
  [
    'larger parts, sent one at a time or eight at once, are the same object',
    async ({ s3, bucket, get }) => {
      const Bucket = await bucket()
      const data = bytes(20 * MiB + 5)
      for (const queueSize of [1, 8]) {
        const params = { Bucket, Key: `k-${queueSize}`, Body: stream(data), ChecksumAlgorithm: 'SHA256' as const }
        await new Upload({ client: s3, params, queueSize, partSize: 6 * MiB }).done()
        const got = await get(Bucket, params.Key, { ChecksumMode: 'ENABLED' })
        expect([sha256(got.bytes), got.ChecksumType]).toEqual([sha256(data), 'COMPOSITE'])
      }
    },
  ],
  [
    'an upload given up, or whose source breaks, leaves no object and nothing that cannot be aborted',
    async ({ client, bucket, get, s3 }) => {
      const Bucket = await bucket()
      const breaking = Readable.from(
        (async function* () {
          yield bytes(6 * MiB)
          throw new Error('broken on purpose')
        })(),
      )
      const broken = new Upload({ client: client(), params: { Bucket, Key: 'broken', Body: breaking } })
      expect((await refused(broken.done())).message).toBe('broken on purpose')

      const given = new Upload({ client: client(), params: { Bucket, Key: 'given-up', Body: stream(bytes(20 * MiB)) } })
      given.on('httpUploadProgress', () => void given.abort())
      expect((await refused(given.done())).name).toBe('AbortError')

      for (const key of ['broken', 'given-up']) expect(await refusal(get(Bucket, key))).toEqual(['NoSuchKey', 404])
      // The client aborts its failed uploads, some of them after its promise settled. The test aborts those that are
      // left.
      const left = async () => (await s3.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads ?? []
      for (
        let uploads = await left(), tries = 0;
        uploads.length > 0 && tries < 50;
        uploads = await left(), tries += 1
      ) {
        const aborts = uploads.map(({ Key, UploadId }) => new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
        await Promise.allSettled(aborts.map((abort) => s3.send(abort)))
      }
      expect(await left()).toEqual([])
    },
  ],
])
