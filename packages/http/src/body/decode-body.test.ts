import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isS3Error } from '../errors/errors.ts'
import { hashing } from '../signed-request.fixture.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import { storedContentEncoding } from './content-encoding.ts'
import { decodeBody } from './decode-body.ts'
import type { DecodeBodyOptions } from './decode-body.ts'
import { parsePayloadForm } from '../sigv4/payload-form.ts'
import { readSmallBody } from './read-small-body.ts'

const data = Buffer.from('Welcome to Amazon S3.')
const sha256 = createHash('sha256').update(data).digest('hex')
const md5 = createHash('md5').update(data).digest('base64')

async function* pieces(body: Uint8Array) {
  for (let at = 0; at < body.length; at += 4) yield body.subarray(at, at + 4)
}
const read = async (
  rawHeaders: readonly string[],
  options: Partial<DecodeBodyOptions> = {},
  body: Uint8Array = data,
) => {
  const headers = createRequestHeaders(rawHeaders)
  const decoded = decodeBody(pieces(body), {
    headers,
    payload: { kind: 'unsigned' },
    bytesMax: 1000,
    digests: hashing,
    ...options,
  })
  const read: Uint8Array[] = []
  for await (const piece of decoded.bytes) read.push(piece)
  expect(Buffer.concat(read).equals(body)).toBe(true)
  return decoded
}
const outcome = async (...args: Parameters<typeof read>) => {
  try {
    await read(...args)
    return 'taken'
  } catch (error) {
    if (isS3Error(error)) return error.code
    throw error
  }
}
const length = ['content-length', String(data.length)]

describe('a plain body', () => {
  it('is passed on as it is', async () => {
    expect(await read(length)).toMatchObject({ length: data.length, checksum: undefined, contentMd5: undefined })
    expect(await read(['transfer-encoding', 'chunked'])).toMatchObject({ length: undefined })
  })

  it('has the length it announced', async () => {
    expect(await outcome(['content-length', '22'])).toBe('IncompleteBody')
    expect(await outcome(['content-length', '20'])).toBe('IncompleteBody')
    expect(await outcome(['content-length', '0'], {}, Buffer.alloc(0))).toBe('taken')
  })

  it.each(['1e9', '+5', '-1', '0x5', '5, 5', '', ' ', '5.0', '9007199254740993', '99999999999999999999'])(
    'is refused with Content-Length %j',
    async (value) => {
      expect(await outcome(['content-length', value])).toBe('InvalidArgument')
    },
  )

  it('needs a length where a body is required, and is empty without one elsewhere', async () => {
    expect(await outcome([], { lengthRequired: true }, Buffer.alloc(0))).toBe('MissingContentLength')
    expect(await outcome(['transfer-encoding', 'chunked'], { lengthRequired: true })).toBe('taken')
    expect(await outcome([], {}, Buffer.alloc(0))).toBe('taken')
    expect(await outcome([], {}, data)).toBe('IncompleteBody')
    expect(await outcome([], { payload: { kind: 'streaming-unsigned-trailer' } }, data)).toBe('MissingContentLength')
  })

  it('has at most the bytes allowed, announced or not', async () => {
    for (const [bytesMax, expected] of [
      [22, 'taken'],
      [21, 'taken'],
      [20, 'EntityTooLarge'],
    ] as const) {
      expect(await outcome(length, { bytesMax })).toBe(expected)
      expect(await outcome(['transfer-encoding', 'chunked'], { bytesMax })).toBe(expected)
    }
  })

  it('is what was signed', async () => {
    expect(await outcome(length, { payload: { kind: 'signed', sha256 } })).toBe('taken')
    expect(await outcome(length, { payload: parsePayloadForm(sha256.toUpperCase()) })).toBe('taken')
    expect(await outcome(length, { payload: { kind: 'signed', sha256: 'a'.repeat(64) } })).toBe(
      'XAmzContentSHA256Mismatch',
    )
    const empty = Buffer.alloc(0)
    expect(await outcome(['content-length', '0'], { payload: { kind: 'signed', sha256 } }, empty)).toBe(
      'XAmzContentSHA256Mismatch',
    )
  })

  it('gives the signed hash to a caller that compares it', async () => {
    const payload = { kind: 'signed', sha256: 'a'.repeat(64) } as const
    expect(await read(length, { payload, digests: 'leave' })).toMatchObject({ sha256: 'a'.repeat(64) })
    expect(await read(length, { digests: 'leave' })).toMatchObject({ sha256: undefined })
  })

  it('has the MD5 it announced', async () => {
    expect(await read([...length, 'content-md5', md5])).toMatchObject({ contentMd5: md5 })
    const other = createHash('md5').update('other').digest('base64')
    expect(await outcome([...length, 'content-md5', other])).toBe('BadDigest')
    expect(await outcome([...length, 'content-md5', other], { digests: 'leave' })).toBe('taken')
    for (const malformed of [
      '',
      'x',
      md5.slice(0, -2),
      `${md5} `,
      `${md5}=`,
      'a'.repeat(24),
      createHash('md5').update('a').digest('hex'),
    ]) {
      expect(await outcome([...length, 'content-md5', malformed])).toBe('InvalidDigest')
    }
    expect(await outcome([...length, 'content-md5', md5, 'Content-MD5', md5])).toBe('InvalidRequest')
  })

  it('is refused before a byte is read when its headers are wrong', () => {
    const untouched = {
      [Symbol.asyncIterator]: () => {
        throw new Error('read')
      },
    }
    const headers = createRequestHeaders([...length, 'content-md5', 'x'])
    expect(() =>
      decodeBody(untouched, { headers, payload: { kind: 'unsigned' }, bytesMax: 1, digests: hashing }),
    ).toThrow(expect.objectContaining({ code: 'EntityTooLarge' }))
    expect(() =>
      decodeBody(untouched, { headers, payload: { kind: 'unsigned' }, bytesMax: 1000, digests: hashing }),
    ).toThrow(expect.objectContaining({ code: 'InvalidDigest' }))
  })

  it('shorter than what it must decode to is refused at once', async () => {
    const headers = [...length, 'x-amz-decoded-content-length', '22']
    expect(await outcome(headers, { payload: { kind: 'streaming-unsigned-trailer' } })).toBe('IncompleteBody')
  })

  it('in signed chunks needs the seed of the signature', async () => {
    const headers = [...length, 'x-amz-decoded-content-length', '1']
    await expect(read(headers, { payload: { kind: 'streaming-signed' } })).rejects.toThrow(TypeError)
  })
})

describe('a small body', () => {
  it('is read whole, up to its limit', async () => {
    expect(Buffer.from(await readSmallBody(pieces(data), 21)).equals(data)).toBe(true)
    await expect(readSmallBody(pieces(data), 20)).rejects.toMatchObject({ code: 'MaxMessageLengthExceeded' })
    expect((await readSmallBody(pieces(Buffer.alloc(0)), 0)).length).toBe(0)
  })
})

describe('the content encoding to store', () => {
  it.each([
    [undefined, undefined],
    ['gzip', 'gzip'],
    ['gzip, br', 'gzip, br'],
    ['aws-chunked', undefined],
    ['AWS-Chunked', undefined],
    ['aws-chunked,gzip', 'gzip'],
    ['gzip, aws-chunked , br', 'gzip,br'],
    ['aws-chunked, aws-chunked', undefined],
    ['', ''],
  ])('of %j is %j', (sent, stored) => {
    expect(storedContentEncoding(sent)).toBe(stored)
  })
})

describe('the promise about a payload', () => {
  it.each([
    [sha256, { kind: 'signed', sha256 }],
    ['UNSIGNED-PAYLOAD', { kind: 'unsigned' }],
    ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD', { kind: 'streaming-signed' }],
    ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER', { kind: 'streaming-signed-trailer' }],
    ['STREAMING-UNSIGNED-PAYLOAD-TRAILER', { kind: 'streaming-unsigned-trailer' }],
  ])('%s is known', (value, form) => {
    expect(parsePayloadForm(value)).toEqual(form)
  })

  it.each([
    ['', 'InvalidArgument'],
    ['unsigned-payload', 'InvalidArgument'],
    ['STREAMING', 'InvalidArgument'],
    [sha256.slice(1), 'InvalidArgument'],
    [`${sha256}0`, 'InvalidArgument'],
    ['__proto__', 'InvalidArgument'],
    ['STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER', 'NotImplemented'],
  ])('%j is refused: %s', (value, code) => {
    expect(() => parsePayloadForm(value)).toThrow(expect.objectContaining({ code }))
  })
})

describe('the checksum that a request declares', () => {
  const checksum = (value: Buffer): readonly string[] => [...length, 'x-amz-checksum-sha256', value.toString('base64')]
  const right = createHash('sha256').update(data).digest()

  it('is compared, unless the consumer compares it', async () => {
    expect(await outcome(checksum(right))).toBe('taken')
    expect(await outcome(checksum(Buffer.alloc(32)))).toBe('BadDigest')
    expect(await outcome(checksum(Buffer.alloc(32)), { digests: 'leave' })).toBe('taken')
  })

  it('is not of this body where the request completes an upload', async () => {
    expect(await outcome(checksum(Buffer.alloc(32)), { compositeChecksum: true })).toBe('taken')
  })
})
