/** Checksums between @aws-sdk/client-s3 and the server: sent before or after the bytes, kept, and checked by both. */
import { Readable } from 'node:stream'
import {
  type ChecksumAlgorithm,
  CopyObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { bytes, inBothDialects, type Kept, md5, MiB, refusal, refused, sha256 } from './session.ts'

type Field = 'ChecksumCRC32' | 'ChecksumCRC32C' | 'ChecksumCRC64NVME' | 'ChecksumSHA1' | 'ChecksumSHA256'

/** What everybody gets for the digits 1 to 9: these are the check values of the catalogues. */
const digits = '123456789'
const hex = (value: string) => Buffer.from(value, 'hex').toString('base64')
const algorithms: readonly (readonly [ChecksumAlgorithm, Field, ofDigits: string])[] = [
  ['CRC32', 'ChecksumCRC32', hex('cbf43926')],
  ['CRC32C', 'ChecksumCRC32C', hex('e3069283')],
  ['CRC64NVME', 'ChecksumCRC64NVME', hex('ae8b14860a799888')],
  ['SHA1', 'ChecksumSHA1', hex('f7c3bc1d808e04732adf679965ccc34ca7ae3441')],
  ['SHA256', 'ChecksumSHA256', hex('15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225')],
]

const inPieces = (data: Buffer, size: number) =>
  Readable.from(
    (function* () {
      for (let at = 0; at < data.length; at += size) yield data.subarray(at, at + size)
    })(),
  )

/** How the client sends a body, and the header that shows it did. */
const ways: readonly (readonly [way: string, body: () => PutObjectCommandInput['Body'], header: string])[] = [
  ['before the bytes', () => Buffer.from(digits), 'x-amz-checksum-'],
  ['in a trailer', () => inPieces(Buffer.from(digits), digits.length), 'x-amz-trailer'],
]

const checksumsOf = (answer: Partial<Record<Field, string | undefined>>) =>
  Object.fromEntries(algorithms.flatMap(([, field]) => (answer[field] === undefined ? [] : [[field, answer[field]]])))

inBothDialects('@aws-sdk/client-s3: checksums', [
  ...ways.flatMap(([way, body, header]) =>
    algorithms.map(
      ([ChecksumAlgorithm, field, ofDigits]): Kept => [
        `${ChecksumAlgorithm} sent ${way} is checked, kept, and validated by the reader`,
        async ({ bucket, client, get, s3 }) => {
          const Bucket = await bucket()
          const sent: Record<string, string>[] = []
          const writer = client()
          writer.middlewareStack.add(
            (next) => async (args) => {
              sent.push({ ...(args.request as { readonly headers: Record<string, string> }).headers })
              return next(args)
            },
            { step: 'finalizeRequest', priority: 'low' },
          )
          const input = { Bucket, Key: 'k', ChecksumAlgorithm, ContentLength: digits.length }
          const made = await writer.send(new PutObjectCommand({ ...input, Body: body() }))
          expect(Object.keys(sent[0] ?? {}).some((name) => name.startsWith(header))).toBe(true)
          expect(checksumsOf(made)).toEqual({ [field]: ofDigits })
          expect(made.ChecksumType).toBe('FULL_OBJECT')

          const got = await get(Bucket, 'k', { ChecksumMode: 'ENABLED' })
          expect(got.bytes.toString()).toBe(digits)
          expect([checksumsOf(got), got.ChecksumType]).toEqual([{ [field]: ofDigits }, 'FULL_OBJECT'])
          const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'k', ChecksumMode: 'ENABLED' }))
          expect([checksumsOf(head), head.ChecksumType]).toEqual([{ [field]: ofDigits }, 'FULL_OBJECT'])
        },
      ],
    ),
  ),
  ...algorithms.map(
    ([ChecksumAlgorithm, field, ofDigits]): Kept => [
      `a wrong ${ChecksumAlgorithm} is refused and nothing is written; one that is none, too`,
      async ({ bucket, put, get }) => {
        const Bucket = await bucket()
        expect(await refusal(put(Bucket, 'k', '12345678', { [field]: ofDigits }))).toEqual(['BadDigest', 400])
        expect(await refusal(put(Bucket, 'k', digits, { [field]: 'AAAA' }))).toEqual(['InvalidRequest', 400])
        expect(await refusal(get(Bucket, 'k'))).toEqual(['NoSuchKey', 404])
        const made = await put(Bucket, 'k', digits, { [field]: ofDigits })
        expect(checksumsOf(made)).toEqual({ [field]: ofDigits })
      },
    ],
  ),
  ...algorithms.map(
    ([ChecksumAlgorithm]): Kept => [
      `12 MiB streamed with ${ChecksumAlgorithm} in a trailer come back whole, validated`,
      async ({ bucket, put, get }) => {
        const Bucket = await bucket()
        const data = bytes(12 * MiB + 3)
        await put(Bucket, 'k', inPieces(data, 100_003), { ChecksumAlgorithm, ContentLength: data.length })
        const got = await get(Bucket, 'k', { ChecksumMode: 'ENABLED' })
        expect(sha256(got.bytes)).toBe(sha256(data))
        expect(Object.keys(checksumsOf(got))).toEqual([`Checksum${ChecksumAlgorithm}`])
      },
    ],
  ),
  [
    'the client validates the checksum in the answer: with another one it refuses the bytes',
    async ({ bucket, put, client }) => {
      const Bucket = await bucket()
      await put(Bucket, 'k', digits, { ChecksumAlgorithm: 'CRC32' })
      const reported = client()
      reported.middlewareStack.add(
        (next) => async (args) => {
          const result = await next(args)
          const { headers } = result.response as { readonly headers: Record<string, string> }
          expect(headers['x-amz-checksum-crc32']).toBe(hex('cbf43926'))
          headers['x-amz-checksum-crc32'] = hex('00000000')
          return result
        },
        { step: 'deserialize', priority: 'low' },
      )
      const read = async (): Promise<unknown> => {
        const { Body }: GetObjectCommandOutput = await reported.send(new GetObjectCommand({ Bucket, Key: 'k' }))
        return Body?.transformToString()
      }
      expect((await refused(read())).message).toMatch(/^Checksum mismatch/)
    },
  ],
  [
    'a checksum is shown only on request, and not with a range',
    async ({ bucket, put, get, client }) => {
      const Bucket = await bucket()
      await put(Bucket, 'k', digits)
      const quiet = client({ config: { responseChecksumValidation: 'WHEN_REQUIRED' } })
      expect(checksumsOf(await quiet.send(new HeadObjectCommand({ Bucket, Key: 'k' })))).toEqual({})
      const piece = await get(Bucket, 'k', { ChecksumMode: 'ENABLED', Range: 'bytes=0-3' })
      expect(piece.bytes.toString()).toBe('1234')
      expect(checksumsOf(piece)).toEqual({})
    },
  ],
  [
    'an object sent without a checksum has CRC64NVME; the clients’ own default is CRC32',
    async ({ bucket, put, get, client }) => {
      const Bucket = await bucket()
      const bare = client({ config: { requestChecksumCalculation: 'WHEN_REQUIRED' } })
      await bare.send(new PutObjectCommand({ Bucket, Key: 'bare', Body: digits }))
      await put(Bucket, 'default', digits)
      const mode = { ChecksumMode: 'ENABLED' } as const
      expect(checksumsOf(await get(Bucket, 'bare', mode))).toEqual({ ChecksumCRC64NVME: hex('ae8b14860a799888') })
      expect(checksumsOf(await get(Bucket, 'default', mode))).toEqual({ ChecksumCRC32: hex('cbf43926') })
    },
  ],
  [
    'a copy has the checksum of its source, or the requested one',
    async ({ bucket, put, get, s3 }) => {
      const Bucket = await bucket()
      await put(Bucket, 'k', digits, { ChecksumAlgorithm: 'SHA1' })
      const copy = async (Key: string, ChecksumAlgorithm?: ChecksumAlgorithm) => {
        const made = await s3.send(
          new CopyObjectCommand({
            Bucket,
            Key,
            CopySource: `${Bucket}/k`,
            ...(ChecksumAlgorithm && { ChecksumAlgorithm }),
          }),
        )
        const got = await get(Bucket, Key, { ChecksumMode: 'ENABLED' })
        expect(checksumsOf(made.CopyObjectResult ?? {})).toEqual(checksumsOf(got))
        return checksumsOf(got)
      }
      expect(await copy('same')).toEqual({ ChecksumSHA1: hex('f7c3bc1d808e04732adf679965ccc34ca7ae3441') })
      for (const [algorithm, field, ofDigits] of algorithms) {
        expect(await copy(algorithm, algorithm)).toEqual({ [field]: ofDigits })
      }
    },
  ],
  [
    'Content-MD5 is checked as well',
    async ({ bucket, put, get }) => {
      const Bucket = await bucket()
      await put(Bucket, 'k', digits, { ContentMD5: md5(digits, 'base64') })
      expect(await refusal(put(Bucket, 'k', 'other', { ContentMD5: md5(digits, 'base64') }))).toEqual([
        'BadDigest',
        400,
      ])
      expect(await refusal(put(Bucket, 'k', digits, { ContentMD5: 'none' }))).toEqual(['InvalidDigest', 400])
      expect((await get(Bucket, 'k')).bytes.toString()).toBe(digits)
    },
  ],
])
