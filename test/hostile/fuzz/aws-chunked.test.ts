/** Bodies in aws-chunked framing, spoiled, and cut into pieces as a network may cut them. */
import fc from 'fast-check'
import { decodeAwsChunked } from '#http/body/decode-aws-chunked'
import { encodeAwsChunked } from '#http/body/encode-aws-chunked'
import { parseTrailers } from '#http/body/trailers'
import { createChunkChain } from '#http/sigv4/chunk-chain'
import { deriveSigningKey } from '#http/sigv4/signing-keys'
import type { SignatureSeed } from '#http/sigv4/verification'
import { fuzz, must, outcome } from './fuzz.ts'
import { bytesOf, cutUp, near, repeated, spoiled } from './mutate.ts'

const seed: SignatureSeed = {
  signingKey: deriveSigningKey('a-secret', { date: '20260615', region: 'eu', service: 's3' }),
  scope: '20260615/eu/s3/aws4_request',
  amzDate: '20260615T120000Z',
  seedSignature: '0'.repeat(64),
}
const trailer = ['x-amz-checksum-crc32', '6Ret7g=='] as const
const codes = [
  'IncompleteBody',
  'InvalidChunkSizeError',
  'InvalidRequest',
  'MalformedTrailerError',
  'SignatureDoesNotMatch',
]
const words = [
  '0\r\n\r\n',
  '\r\n',
  ';chunk-signature=',
  '0'.repeat(64),
  'ffffffff',
  '10000000',
  '+5',
  '0x5',
  'x-amz-trailer-signature:',
  'x-svc-checksum-crc32:a\r\n',
  '\n\n',
]

interface Framed {
  readonly data: string
  readonly signed: boolean
  readonly trailers: boolean
  /** The body as sent, one byte per character. */
  readonly wire: string
  /** Where it is cut. */
  readonly cuts: readonly number[]
}

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += Buffer.from(piece).toString('latin1')
  return text
}

/** Encoding takes its time, so a few bodies are made once and spoiled often. */
const bodies: Omit<Framed, 'cuts'>[] = []
for (const data of ['', 'a', 'abcdefgh', '0\r\n\r\n', '\r\n'.repeat(20), 'x'.repeat(300)]) {
  for (const signed of [true, false]) {
    for (const trailers of [true, false]) {
      const options = { ...(signed && { seed }), ...(trailers && { trailers: () => [trailer] }), chunkBytes: 64 }
      bodies.push({ data, signed, trailers, wire: await textOf(encodeAwsChunked([bytesOf(data)], options)) })
    }
  }
}

const decode = ({ data, signed, trailers, wire, cuts }: Framed): Promise<string> =>
  textOf(
    decodeAwsChunked(cutUp(wire, cuts), {
      length: data.length,
      chain: signed ? createChunkChain(seed) : undefined,
      hasTrailers: trailers,
      smallChunks: true,
      checkNames: () => undefined,
      onTrailers: () => undefined,
    }),
  )

const cuts = fc.array(fc.nat(2000), { maxLength: 8 })
const framed = fc.constantFrom(...bodies).chain((body) =>
  fc.record({
    data: fc.constant(body.data),
    signed: fc.constant(body.signed),
    trailers: fc.constant(body.trailers),
    wire: fc.oneof(
      { weight: 1, arbitrary: fc.constant(body.wire) },
      { weight: 4, arbitrary: spoiled(fc.constant(body.wire), words) },
    ),
    cuts,
  }),
)

fuzz({
  name: 'aws-chunked body',
  inputs: framed,
  async parse(body) {
    const [cut, whole] = await Promise.all([outcome(() => decode(body)), outcome(() => decode({ ...body, cuts: [] }))])
    must(cut === whole, 'it does not matter where it is cut')
    return decode(body)
  },
  check(decoded, { data, signed }) {
    must(decoded.length === data.length, 'it is as long as was said')
    must(!signed || decoded === data, 'it is what was signed')
  },
  codes,
})

fuzz({
  name: 'long aws-chunked body',
  inputs: fc.constantFrom(...bodies).map((body) => ({ ...body, cuts: [] as number[] })),
  parse: async (body: Framed) => decode(body),
  codes,
  heavy: {
    'chunks of one byte': () => unsigned(`${'1\r\na\r\n'.repeat(160_000)}0\r\n\r\n`, 160_000),
    'chunks of 8 KiB': () => unsigned(`${`2000\r\n${'x'.repeat(8192)}\r\n`.repeat(120)}0\r\n\r\n`, 120 * 8192),
    ...repeated(['0', '\r', '\n', ';', 'f', '\r\n', 'x-a:b\r\n'], (text) => unsigned(`1\r\na\r\n0\r\n${text}`, 1)),
    ...repeated(['0', '\r', 'f'], (text) => unsigned(text, 1)),
    'in pieces of one byte': () => ({
      ...unsigned(`0\r\n${'x'.repeat(5000)}`, 0),
      cuts: Array.from({ length: 5000 }, (_, i) => i),
    }),
  },
})

function unsigned(wire: string, length: number): Framed {
  return { data: 'x'.repeat(length), signed: false, trailers: true, wire, cuts: [] }
}

fuzz({
  name: 'section of trailers',
  inputs: near(fc.constantFrom('\r\n', 'x-amz-checksum-crc32:6Ret7g==\r\n\r\n', 'x-svc-a: b\n\n'), words),
  parse: parseTrailers,
  check({ values, signedText }) {
    must(signedText.split('\n').length - 1 === values.size, 'all of them are signed, each once')
  },
  codes: ['IncompleteBody', 'MalformedTrailerError'],
  // The server parses at most 4 KiB of trailers.
  heavy: repeated(['\n', '\r\n', 'a:b\n', ':', ' ', 'a: \t', '!'], (text) => `x-a:${text.slice(0, 100_000)}\r\n\r\n`),
})
