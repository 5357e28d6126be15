import { describe, expect, it, vi } from 'vitest'
import { isS3Error } from '../errors/errors.ts'
import { deriveSigningKey } from '../sigv4/signing-keys.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import { decodeBody } from './decode-body.ts'
import { encodeAwsChunked } from './encode-aws-chunked.ts'
import type { PayloadForm } from '../sigv4/payload-form.ts'

const seed = {
  signingKey: deriveSigningKey('secret', { date: '20260615', region: 'eu', service: 's3' }),
  scope: '20260615/eu/s3/aws4_request',
  amzDate: '20260615T120000Z',
  seedSignature: 'ab'.repeat(32),
}
const otherSeed = { ...seed, seedSignature: 'cd'.repeat(32) }
const data = Buffer.from('The quick brown fox jumps over the lazy dog.')
const crc = 'GQkirg=='
const trailers = () => [['x-amz-checksum-crc32', crc]] as const

type Kind = 'streaming-signed' | 'streaming-signed-trailer' | 'streaming-unsigned-trailer'
const kinds: readonly Kind[] = ['streaming-signed', 'streaming-signed-trailer', 'streaming-unsigned-trailer']

const collect = async (source: AsyncIterable<Uint8Array>) => {
  const pieces: Uint8Array[] = []
  for await (const piece of source) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}
const encode = (kind: Kind, chunkBytes = 10, bytes = data, by = seed) =>
  collect(
    encodeAwsChunked([bytes], {
      chunkBytes,
      ...(kind.startsWith('streaming-signed') && { seed: by }),
      ...(kind.endsWith('trailer') && { trailers }),
    }),
  )

interface Options {
  readonly length?: number | undefined
  readonly headers?: readonly string[]
  readonly bytesMax?: number
  readonly smallChunks?: boolean
}
const open = (kind: Kind, source: AsyncIterable<Uint8Array>, options: Options = {}) => {
  const length = 'length' in options ? options.length : data.length
  const headers = createRequestHeaders([
    'transfer-encoding',
    'chunked',
    ...(length === undefined ? [] : ['x-amz-decoded-content-length', String(length)]),
    ...(options.headers ?? (kind.endsWith('trailer') ? ['x-amz-trailer', 'x-amz-checksum-crc32'] : [])),
  ])
  const { bytesMax = 1000, smallChunks = true } = options
  return decodeBody(source, {
    headers,
    payload: { kind } as PayloadForm,
    seed,
    bytesMax,
    smallChunks,
    digests: 'leave',
  })
}
async function* pieces(body: Uint8Array, size = body.length) {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
}
const outcome = async (kind: Kind, body: Uint8Array | string, options: Options = {}) => {
  try {
    await collect(open(kind, pieces(Buffer.from(body)), options).bytes)
    return 'taken'
  } catch (error) {
    if (isS3Error(error)) return error.code
    throw error
  }
}

describe('a body in signed and unsigned chunks', () => {
  it.each(kinds)('%s: is decoded, however the network cuts it', async (kind) => {
    const body = await encode(kind)
    for (const size of [1, 2, 3, 7, 16, 1000]) {
      const decoded = open(kind, pieces(body, size))
      expect((await collect(decoded.bytes)).equals(data)).toBe(true)
      expect([...decoded.trailers]).toEqual(kind.endsWith('trailer') ? trailers() : [])
    }
  })

  it.each(kinds)('%s: may be empty', async (kind) => {
    const body = await encode(kind, 10, Buffer.alloc(0))
    expect(await outcome(kind, body, { length: 0 })).toBe('taken')
  })

  it.each(kinds)('%s: is refused when cut off anywhere', async (kind) => {
    const body = await encode(kind)
    for (let end = 0; end < body.length; end++) {
      expect([end, await outcome(kind, body.subarray(0, end))]).toEqual([end, 'IncompleteBody'])
    }
  })

  it.each(kinds)('%s: is refused when anything follows', async (kind) => {
    const body = await encode(kind)
    for (const more of ['x', '0\r\n\r\n', 'a'.repeat(10_000)]) {
      expect(await outcome(kind, Buffer.concat([body, Buffer.from(more)]))).not.toBe('taken')
    }
  })

  it.each(['streaming-signed', 'streaming-signed-trailer'] as const)(
    '%s: is refused when any byte of it changes',
    async (kind) => {
      const body = await encode(kind)
      const letters = /[a-zA-Z]/
      for (let at = 0; at < body.length; at++) {
        const spoiled = Buffer.from(body)
        spoiled[at] = (body[at] ?? 0) ^ 1
        expect([at, await outcome(kind, spoiled)]).not.toEqual([at, 'taken'])
        // Hex digits and names of trailers may be written in either case: that changes no meaning.
        spoiled[at] = (body[at] ?? 0) ^ 0x20
        if (!letters.test(String.fromCharCode(body[at] ?? 0)))
          expect([at, await outcome(kind, spoiled)]).not.toEqual([at, 'taken'])
      }
    },
  )

  it('is refused when chunks are swapped, dropped, doubled, or signed after another request', async () => {
    const body = (await encode('streaming-signed', 11)).toString('latin1')
    const chunks = body.match(/b;chunk-signature=.{64}\r\n.{11}\r\n/gs) ?? []
    expect(chunks.length).toBe(4)
    const [a = '', b = '', c = '', d = ''] = chunks
    const last = body.slice(chunks.join('').length)
    expect(await outcome('streaming-signed', a + b + c + d + last)).toBe('taken')
    for (const spoiled of [a + c + b + d + last, b + a + c + d + last, a + b + b + d + last, a + a + c + d + last]) {
      expect(await outcome('streaming-signed', spoiled)).toBe('SignatureDoesNotMatch')
    }
    expect(await outcome('streaming-signed', a + b + d + last, { length: 33 })).toBe('SignatureDoesNotMatch')
    expect(await outcome('streaming-signed', a + b + c + last, { length: 33 })).toBe('SignatureDoesNotMatch')
    const other = await encode('streaming-signed', 11, data, otherSeed)
    expect(await outcome('streaming-signed', other)).toBe('SignatureDoesNotMatch')
  })

  it.each(kinds)('%s: is refused when it is not as long as announced', async (kind) => {
    const body = await encode(kind)
    expect(await outcome(kind, body, { length: data.length - 1 })).toBe('IncompleteBody')
    expect(await outcome(kind, body, { length: data.length + 1 })).toBe('IncompleteBody')
    expect(await outcome(kind, body, { length: undefined })).toBe('MissingContentLength')
    expect(await outcome(kind, body, { length: 1001 })).toBe('EntityTooLarge')
  })

  it.each([
    ['+5\r\nhello\r\n0\r\n\r\n'],
    ['-5\r\nhello\r\n0\r\n\r\n'],
    [' 5\r\nhello\r\n0\r\n\r\n'],
    ['5 \r\nhello\r\n0\r\n\r\n'],
    ['0x5\r\nhello\r\n0\r\n\r\n'],
    ['\r\nhello\r\n0\r\n\r\n'],
    ['0000000005\r\nhello\r\n0\r\n\r\n'],
    ['5;a=b\r\nhello\r\n0\r\n\r\n'],
    ['5\nhello\r\n0\r\n\r\n'],
    ['5\r\nhello!\r\n0\r\n\r\n'],
    ['5\r\nhello\n0\r\n\r\n'],
    ['5\r\nhello0\r\n\r\n'],
    [`${'5'.repeat(10_000)}\r\n`],
    ['5'.repeat(10_000)],
  ])('is refused for broken framing: %j', async (body) => {
    expect(await outcome('streaming-unsigned-trailer', body, { length: 5, headers: [] })).toBe('IncompleteBody')
  })

  it('is refused with chunks too large to be signed as one, and takes large unsigned ones', async () => {
    const headers = createRequestHeaders(['transfer-encoding', 'chunked', 'x-amz-decoded-content-length', '5368709120'])
    const attempt = (kind: Kind, header: string) =>
      collect(
        decodeBody(pieces(Buffer.from(header)), { headers, payload: { kind }, seed, bytesMax: 6e9, digests: 'leave' })
          .bytes,
      )
    const signature = `;chunk-signature=${'0'.repeat(64)}\r\n`
    await expect(attempt('streaming-signed', `1000001${signature}`)).rejects.toMatchObject({ code: 'IncompleteBody' })
    await expect(attempt('streaming-signed', `1000000${signature}`)).rejects.toMatchObject({ code: 'IncompleteBody' })
    await expect(attempt('streaming-unsigned-trailer', '140000000\r\nx')).rejects.toMatchObject({
      code: 'IncompleteBody',
    })
    await expect(attempt('streaming-unsigned-trailer', '140000001\r\nx')).rejects.toMatchObject({
      code: 'IncompleteBody',
    })
  })

  it.each(kinds)('%s: may have some small chunks, but is refused when it is made of them', async (kind) => {
    const made = (chunks: number) => encode(kind, 1, Buffer.alloc(chunks, 'x'))
    for (const [chunks, expected] of [
      [1000, 'taken'],
      [1001, 'InvalidChunkSizeError'],
    ] as const) {
      const taken = collect(open(kind, pieces(await made(chunks)), { length: chunks, bytesMax: 2000 }).bytes)
      expect(await taken.then(() => 'taken').catch((error: { code: string }) => error.code)).toBe(expected)
    }
  })

  it.each([
    [[10], 'taken'],
    [[8192, 10], 'taken'],
    [[8192, 9000, 10], 'taken'],
    [[10, 8192], 'InvalidChunkSizeError'],
    [[8191, 1], 'InvalidChunkSizeError'],
    [[8192, 10, 10], 'InvalidChunkSizeError'],
  ] as const)('of chunks of %j bytes, where only the last may be small: %s', async (sizes, expected) => {
    const framed = sizes.map((size) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`).join('')
    const length = sizes.reduce((sum, size) => sum + size, 0)
    const options = { length, headers: [], bytesMax: 20_000, smallChunks: false }
    expect(await outcome('streaming-unsigned-trailer', `${framed}0\r\n\r\n`, options)).toBe(expected)
  })

  it('reports the wrong name of a trailer as such, not as a wrong signature', async () => {
    const body = Buffer.from(await encode('streaming-signed-trailer')).toString('latin1')
    const other = body.replace('x-amz-checksum-crc32:', 'x-amz-checksum-crc3z:')
    expect(await outcome('streaming-signed-trailer', other)).toBe('MalformedTrailerError')
  })

  it('is refused unsigned where signed was promised, and signed where unsigned was', async () => {
    expect(await outcome('streaming-signed-trailer', await encode('streaming-unsigned-trailer'))).toBe('IncompleteBody')
    expect(await outcome('streaming-unsigned-trailer', await encode('streaming-signed-trailer'))).toBe('IncompleteBody')
  })
})

describe('trailers', () => {
  const kind = 'streaming-unsigned-trailer'
  const text = '2c\r\nThe quick brown fox jumps over the lazy dog.\r\n0\r\n'
  const announced = { headers: ['x-amz-trailer', 'x-amz-checksum-crc32'] }

  it.each([
    [`x-amz-checksum-crc32:${crc}\r\n\r\n`, 'taken'],
    [`X-Amz-Checksum-CRC32: ${crc} \r\n\r\n`, 'taken'],
    [`x-svc-checksum-crc32:${crc}\r\n\r\n`, 'taken'],
    [`x-amz-checksum-crc32:${crc}\n\n`, 'taken'],
    ['\r\n', 'MalformedTrailerError'],
    [`x-amz-checksum-crc32:${crc}\r\nx-amz-checksum-crc32:${crc}\r\n\r\n`, 'MalformedTrailerError'],
    [`x-amz-checksum-crc32:${crc}\r\nx-amz-checksum-sha1:${crc}\r\n\r\n`, 'MalformedTrailerError'],
    [`x-amz-checksum-crc32c:${crc}\r\n\r\n`, 'MalformedTrailerError'],
    [`x-amz-checksum-crc32:${crc}\r\nx-amz-trailer-signature:00\r\n\r\n`, 'MalformedTrailerError'],
    ['x-amz-checksum-crc32\r\n\r\n', 'MalformedTrailerError'],
    [`x-amz-checksum-crc32 :${crc}\r\n\r\n`, 'MalformedTrailerError'],
    [` x-amz-checksum-crc32:${crc}\r\n\r\n`, 'MalformedTrailerError'],
    [`x-amz-checksum-crc32:${crc}\0\r\n\r\n`, 'MalformedTrailerError'],
    [`:${crc}\r\n\r\n`, 'MalformedTrailerError'],
    [`x-amz-checksum-crc32:${'A'.repeat(5000)}\r\n\r\n`, 'MalformedTrailerError'],
    ['x-amz-checksum-crc32:\r\n\r\n', 'InvalidRequest'],
    ['x-amz-checksum-crc32:AAAA\r\n\r\n', 'InvalidRequest'],
    ['x-amz-checksum-crc32:!!!!!!==\r\n\r\n', 'InvalidRequest'],
    [`x-amz-checksum-crc32:${crc}\r\n`, 'IncompleteBody'],
    ['', 'IncompleteBody'],
  ])('%j: %s', async (rest, expected) => {
    expect(await outcome(kind, text + rest, announced)).toBe(expected)
  })

  it('that were not announced are refused', async () => {
    expect(await outcome(kind, `${text}x-amz-checksum-crc32:${crc}\r\n\r\n`, { headers: [] })).toBe(
      'MalformedTrailerError',
    )
    expect(await outcome(kind, `${text}\r\n`, { headers: [] })).toBe('taken')
  })

  it('may stay away when a header brought their value already', async () => {
    const headers = [...announced.headers, 'x-amz-checksum-crc32', crc]
    expect(await outcome(kind, `${text}\r\n`, { headers })).toBe('taken')
  })

  it('must be signed when chunks are', async () => {
    const body = (await encode('streaming-signed-trailer')).toString('latin1')
    const unsigned = body.replace(/x-amz-trailer-signature:.{64}\r\n/, '')
    expect(await outcome('streaming-signed-trailer', unsigned)).toBe('MalformedTrailerError')
    const forged = body.replace(/(x-amz-trailer-signature:).{64}/, `$1${'0'.repeat(64)}`)
    expect(await outcome('streaming-signed-trailer', forged)).toBe('SignatureDoesNotMatch')
    const swapped = body.replace(crc, 'AAAAAA==')
    expect(await outcome('streaming-signed-trailer', swapped)).toBe('SignatureDoesNotMatch')
    const moved = body.replace(/(x-amz-checksum.*\r\n)(x-amz-trailer.*\r\n)/, '$2$1')
    expect(await outcome('streaming-signed-trailer', moved)).toBe('MalformedTrailerError')
  })

  it('give the expected checksum once the body has been read', async () => {
    const decoded = open(kind, pieces(await encode(kind)))
    const expected = decoded.checksum?.expected
    if (typeof expected !== 'function') throw new Error('not a trailer')
    expect([decoded.checksum?.algorithm, expected()]).toEqual(['CRC32', undefined])
    await collect(decoded.bytes)
    expect(expected()).toBe(crc)
  })
})

describe('the source of a body', () => {
  it('is closed when decoding fails or is left early, and not read ahead', async () => {
    const closed = vi.fn()
    async function* endless() {
      try {
        for (;;) yield Buffer.from('5\r\nhello\r\n')
      } finally {
        closed()
      }
    }
    for await (const piece of open('streaming-unsigned-trailer', endless()).bytes) {
      expect(Buffer.from(piece).toString()).toBe('hello')
      break
    }
    expect(closed).toHaveBeenCalledOnce()
    await expect(collect(open('streaming-unsigned-trailer', endless()).bytes)).rejects.toMatchObject({
      code: 'IncompleteBody',
    })
    expect(closed).toHaveBeenCalledTimes(2)
  })

  it('passes its own errors on unchanged', async () => {
    const reset = new RangeError('the socket is gone')
    async function* failing() {
      yield Buffer.from('5\r\nhel')
      throw reset
    }
    for (const kind of kinds.slice(2)) await expect(collect(open(kind, failing()).bytes)).rejects.toBe(reset)
  })
})
