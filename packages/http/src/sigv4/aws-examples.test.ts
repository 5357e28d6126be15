import { describe, expect, it } from 'vitest'
import { decodeBody } from '../body/decode-body.ts'
import { encodeAwsChunked } from '../body/encode-aws-chunked.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import { presign, signRequest } from './sign-request.ts'
import type { HeaderPairs } from './signing-arguments.ts'
import type { VerifiedV4 } from './verification.ts'
import { asRead } from './received.fixture.ts'
import { verifyRequest } from '../authentication/verify-request.ts'

/** The examples that AWS publishes for SigV4 with S3: inputs and signatures as printed there. */

const accessKeyId = 'AKIAIOSFODNN7EXAMPLE'
const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
const now = Date.UTC(2013, 4, 24)
const signing = { accessKeyId, secretAccessKey, region: 'us-east-1', now }
const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const host = ['host', 'examplebucket.s3.amazonaws.com'] as const

interface Example {
  readonly name: string
  readonly method: string
  readonly rawPath: string
  readonly rawQuery?: string
  readonly headers: HeaderPairs
  readonly payloadHash: string
  readonly signature: string
}

const chunkedHeaders: HeaderPairs = [
  ['host', 's3.amazonaws.com'],
  ['x-amz-storage-class', 'REDUCED_REDUNDANCY'],
  ['content-encoding', 'aws-chunked'],
  ['x-amz-decoded-content-length', '66560'],
]

const chunked: Example = {
  name: 'PUT in signed chunks',
  method: 'PUT',
  rawPath: '/examplebucket/chunkObject.txt',
  headers: [...chunkedHeaders, ['content-length', '66824']],
  payloadHash: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  signature: '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
}

const chunkedWithTrailer: Example = {
  name: 'PUT in signed chunks with a trailer',
  method: 'PUT',
  rawPath: '/examplebucket/chunkObject.txt',
  headers: [...chunkedHeaders, ['x-amz-trailer', 'x-amz-checksum-crc32c']],
  payloadHash: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
  signature: '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e',
}

const examples: readonly Example[] = [
  {
    name: 'GET object',
    method: 'GET',
    rawPath: '/test.txt',
    headers: [host, ['range', 'bytes=0-9']],
    payloadHash: empty,
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    name: 'PUT object',
    method: 'PUT',
    rawPath: '/test$file.text',
    headers: [host, ['date', 'Fri, 24 May 2013 00:00:00 GMT'], ['x-amz-storage-class', 'REDUCED_REDUNDANCY']],
    payloadHash: '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    name: 'GET bucket lifecycle',
    method: 'GET',
    rawPath: '/',
    rawQuery: 'lifecycle',
    headers: [host],
    payloadHash: empty,
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    name: 'list objects',
    method: 'GET',
    rawPath: '/',
    rawQuery: 'max-keys=2&prefix=J',
    headers: [host],
    payloadHash: empty,
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
  chunked,
  chunkedWithTrailer,
]

const options = {
  now,
  regions: ['us-east-1'] as const,
  credentials: (id: string) => (id === accessKeyId ? { name: 'example', secretAccessKey } : undefined),
}

const verifyExample = (example: Example): VerifiedV4<{ name: string; secretAccessKey: string }> => {
  const signed = signRequest(example, { ...signing, payloadHash: example.payloadHash })
  expect(signed.seedSignature).toBe(example.signature)
  const request = { ...example, rawQuery: example.rawQuery ?? '', rawHeaders: signed.headers.flat() }
  const verified = verifyRequest(asRead(request), options)
  if (verified.anonymous || verified.version === 'AWS') throw new Error('not verified by V4')
  return verified
}

describe('the examples AWS publishes', () => {
  it.each(examples)('$name: signs to the published signature and verifies it', (example) => {
    expect(verifyExample(example)).toMatchObject({ identity: { name: 'example' }, seedSignature: example.signature })
  })

  it('presigned GET: signs to the published URL and verifies it', () => {
    const request = { method: 'GET', rawPath: '/test.txt', headers: [host] }
    const { rawQuery, signature } = presign(request, { ...signing, expiresSeconds: 86_400 })
    expect(signature).toBe('aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404')
    const verified = verifyRequest(asRead({ ...request, rawQuery, rawHeaders: [...host] }), options)
    expect(verified).toMatchObject({ presigned: true, payload: { kind: 'unsigned' } })
  })
})

const data = Buffer.alloc(66_560, 'a')

const chunk = (size: string, signature: string, bytes: Buffer) => [
  Buffer.from(`${size};chunk-signature=${signature}\r\n`),
  bytes,
  Buffer.from('\r\n'),
]

const decode = async (example: Example, body: Buffer) => {
  const seed = verifyExample(example)
  const sent = example.headers.filter(([name]) => name !== 'content-length')
  const headers = createRequestHeaders([...sent.flat(), 'content-length', String(body.length)])
  async function* source() {
    yield body
  }
  const decoded = decodeBody(source(), { headers, payload: seed.payload, seed, bytesMax: 1e9, digests: 'leave' })
  const pieces: Uint8Array[] = []
  for await (const piece of decoded.bytes) pieces.push(piece)
  return { bytes: Buffer.concat(pieces), trailers: decoded.trailers }
}

const encode = async (example: Example, trailers?: () => HeaderPairs) => {
  const pieces: Uint8Array[] = []
  const seed = verifyExample(example)
  for await (const piece of encodeAwsChunked([data], { seed, ...(trailers && { trailers }) })) pieces.push(piece)
  return Buffer.concat(pieces)
}

describe('the chunked examples AWS publishes', () => {
  it('decode, and are what the encoder makes', async () => {
    const body = Buffer.concat([
      ...chunk('10000', 'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648', data.subarray(0, 65_536)),
      ...chunk('400', '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497', data.subarray(65_536)),
      ...chunk('0', 'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9', Buffer.alloc(0)),
    ])
    expect(body.length).toBe(66_824)
    expect((await decode(chunked, body)).bytes.equals(data)).toBe(true)
    expect((await encode(chunked)).equals(body)).toBe(true)
  })

  it('decode with a signed trailer, in either spelling of its line ends', async () => {
    const head = [
      ...chunk('10000', 'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2', data.subarray(0, 65_536)),
      ...chunk('400', '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7', data.subarray(65_536)),
      Buffer.from('0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n'),
    ]
    const signature = 'x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435'
    const plain = Buffer.concat([...head, Buffer.from(`x-amz-checksum-crc32c:sOO8/Q==\r\n${signature}\r\n\r\n`)])
    const odd = Buffer.concat([...head, Buffer.from(`x-amz-checksum-crc32c:sOO8/Q==\n\r\n${signature}\r\n\r\n`)])
    for (const body of [plain, odd]) {
      const { bytes, trailers } = await decode(chunkedWithTrailer, body)
      expect(bytes.equals(data)).toBe(true)
      expect([...trailers]).toEqual([['x-amz-checksum-crc32c', 'sOO8/Q==']])
    }
    const encoded = await encode(chunkedWithTrailer, () => [['x-amz-checksum-crc32c', 'sOO8/Q==']])
    expect(encoded.equals(plain)).toBe(true)
  })
})
