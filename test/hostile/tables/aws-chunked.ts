/** Bodies in aws-chunked framing, as SDKs send them over plain HTTP: the valid ones, and each possible mistake. */
import { createHash, createHmac } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { expect } from 'vitest'
import { sha256, sign } from '../../acceptance/support/call.ts'
import { requestText } from '../../acceptance/support/wire.ts'
import type { Outcome, Row } from '../row.ts'
import type { Scene } from '../scene.ts'

const signedForm = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'
const trailerForm = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER'
const unsignedForm = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'

interface Chunk {
  size: string
  extension: string
  data: string
  end: string
}

/** A body taken apart, to be spoiled. */
interface Framed {
  chunks: Chunk[]
  /** Lines, the signature among them. */
  trailers: string[]
  end: string
}

interface Upload {
  readonly name: string
  readonly form: string
  /** Announced besides what the form needs. */
  readonly headers?: Readonly<Record<string, string>>
  /** Bytes announced, if not those that are sent. */
  readonly length?: number
  readonly trailers?: readonly string[]
  readonly spoil?: (body: Framed) => void
  readonly outcome: Outcome
}

const data = ['a'.repeat(9000), 'b'.repeat(9000), 'tail']
const whole = data.join('')
const checksum = (text: string) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(text))
  return bytes.toString('base64')
}
const good = `x-amz-checksum-crc32:${checksum(whole)}`
const announced = { 'x-amz-trailer': 'x-amz-checksum-crc32' }
const withTrailer = { form: trailerForm, headers: announced, trailers: [good] }
const unsigned = { form: unsignedForm, headers: announced, trailers: [good] }

const ok = [200] as const
const incomplete = [400, 'IncompleteBody'] as const
const broken = [400, 'IncompleteBody'] as const
const mismatch = [403, 'SignatureDoesNotMatch'] as const
const badTrailer = [400, 'MalformedTrailerError'] as const

const chunk = (body: Framed, index: number): Chunk => {
  const found = body.chunks.at(index)
  if (found === undefined) throw new Error(`No chunk ${index}.`)
  return found
}
const extension = (index: number, change: (text: string) => string) => (body: Framed) => {
  chunk(body, index).extension = change(chunk(body, index).extension)
}
const size = (text: string) => (body: Framed) => {
  chunk(body, 0).size = text
}

const uploads: readonly Upload[] = [
  { name: 'signed chunks', form: signedForm, outcome: ok },
  { name: 'signed chunks and trailers', ...withTrailer, outcome: ok },
  { name: 'unsigned chunks and trailers', ...unsigned, outcome: ok },
  { name: 'a size with leading zeros', ...unsigned, spoil: size('002328'), outcome: ok },
  ...[signedForm, unsignedForm].flatMap((form): Upload[] => [
    { name: `${form}: more bytes than announced`, form, length: whole.length - 1, outcome: incomplete },
    { name: `${form}: fewer bytes than announced`, form, length: whole.length + 1, outcome: incomplete },
    {
      name: `${form}: no last chunk`,
      form,
      spoil: (body) => void ((body.chunks.length = 3), (body.end = '')),
      outcome: incomplete,
    },
    { name: `${form}: cut off inside a chunk`, form, spoil: cutInside, outcome: incomplete },
    {
      name: `${form}: cut off before the last line end`,
      form,
      spoil: (body) => void (body.end = ''),
      outcome: incomplete,
    },
    ...['+2328', '-2328', ' 2328', '2328 ', '0x2328', '2,328', '2328h', '', '0000002328', 'ffffffffffffffff'].map(
      (text): Upload => ({ name: `${form}: a chunk size of "${text}"`, form, spoil: size(text), outcome: broken }),
    ),
    { name: `${form}: a chunk longer than announced`, form, spoil: size('2327'), outcome: broken },
    {
      name: `${form}: no line end after a chunk`,
      form,
      spoil: (body) => void (chunk(body, 0).end = ''),
      outcome: broken,
    },
  ]),
  {
    name: 'bytes after the end of signed chunks',
    form: signedForm,
    spoil: (body) => void (body.end = '\r\nmore'),
    outcome: broken,
  },
  {
    name: 'bytes after the end of trailers',
    ...unsigned,
    spoil: (body) => void (body.end = '\r\nmore'),
    outcome: incomplete,
  },
  {
    name: 'lines after the end of trailers',
    ...unsigned,
    spoil: (body) => void (body.end = '\r\nmore\r\n\r\n'),
    outcome: badTrailer,
  },
  {
    name: 'a signed chunk over 16 MiB',
    form: signedForm,
    length: 17 * 1024 ** 2,
    spoil: size((16 * 1024 ** 2 + 1).toString(16)),
    outcome: incomplete,
  },
  {
    name: 'the signatures of two chunks swapped',
    form: signedForm,
    spoil: (body) => {
      const [one, two] = [chunk(body, 0).extension, chunk(body, 1).extension]
      extension(0, () => two)(body)
      extension(1, () => one)(body)
    },
    outcome: mismatch,
  },
  {
    name: 'two chunks swapped',
    form: signedForm,
    spoil: (body) => void body.chunks.splice(0, 2, chunk(body, 1), chunk(body, 0)),
    outcome: mismatch,
  },
  {
    name: 'a chunk dropped',
    form: signedForm,
    length: whole.length - 9000,
    spoil: (body) => void body.chunks.splice(1, 1),
    outcome: mismatch,
  },
  {
    name: 'a chunk repeated',
    form: signedForm,
    length: whole.length + 9000,
    spoil: (body) => void body.chunks.splice(1, 0, chunk(body, 0)),
    outcome: mismatch,
  },
  {
    name: 'a byte changed',
    form: signedForm,
    spoil: (body) => void (chunk(body, 1).data = `c${'b'.repeat(8999)}`),
    outcome: mismatch,
  },
  {
    name: 'a signature changed',
    form: signedForm,
    spoil: extension(1, (text) => text.replace(/.{4}$/, '0000')),
    outcome: mismatch,
  },
  {
    name: 'the last signature changed',
    form: signedForm,
    spoil: extension(-1, (text) => text.replace(/.{4}$/, '0000')),
    outcome: mismatch,
  },
  { name: 'no signature on a chunk', form: signedForm, spoil: extension(0, () => ''), outcome: broken },
  {
    name: 'a signature on an unsigned chunk',
    ...unsigned,
    spoil: extension(0, () => `;chunk-signature=${'0'.repeat(64)}`),
    outcome: broken,
  },
  ...[withTrailer, unsigned].flatMap((base): Upload[] => [
    {
      name: `${base.form}: a trailer that was not announced`,
      ...base,
      trailers: [good, 'x-amz-meta-a:b'],
      outcome: badTrailer,
    },
    { name: `${base.form}: an announced trailer missing`, ...base, trailers: [], outcome: badTrailer },
    { name: `${base.form}: a trailer twice`, ...base, trailers: [good, good], outcome: badTrailer },
    { name: `${base.form}: a trailer that is no line`, ...base, trailers: ['nonsense'], outcome: badTrailer },
    {
      name: `${base.form}: a wrong checksum`,
      ...base,
      trailers: [`x-amz-checksum-crc32:${checksum('else')}`],
      outcome: [400, 'BadDigest'],
    },
    {
      name: `${base.form}: a checksum that is none`,
      ...base,
      trailers: ['x-amz-checksum-crc32:AA=='],
      outcome: [400, 'InvalidRequest'],
    },
  ]),
  {
    name: 'trailers not signed where they should be',
    ...withTrailer,
    spoil: (body) => void body.trailers.pop(),
    outcome: badTrailer,
  },
  {
    name: 'a trailer signature changed',
    ...withTrailer,
    spoil: (body) => void body.trailers.push((body.trailers.pop() ?? '').replace(/.{4}$/, '0000')),
    outcome: mismatch,
  },
  {
    name: 'a trailer changed after it was signed',
    ...withTrailer,
    spoil: (body) => void (body.trailers[0] = `x-amz-checksum-crc32:${checksum('else')}`),
    outcome: mismatch,
  },
]

const path = '/hostile/chunked'

/** What is stored of a good one, without its framing and without the name of it. */
const stored =
  (kept?: string): NonNullable<Row['also']> =>
  async ({ service }) => {
    const { headers, text } = await service.ask(`GET ${path}`)
    expect([headers['content-encoding'], headers['content-length'], text === whole]).toEqual([
      kept,
      String(whole.length),
      true,
    ])
  }

const codings = [
  ['aws-chunked', undefined],
  ['aws-chunked,gzip', 'gzip'],
  ['gzip,aws-chunked', 'gzip'],
] as const

export const awsChunked: readonly Row[] = [
  ...uploads.map(
    (upload): Row => ({
      name: upload.name,
      bytes: (scene) => bytesOf(scene, upload),
      outcome: upload.outcome,
      ...(upload.outcome[0] === 200 && { also: stored() }),
    }),
  ),
  ...codings.map(
    ([coding, kept]): Row => ({
      name: `Content-Encoding: ${coding}`,
      bytes: (scene) =>
        bytesOf(scene, { name: '', ...unsigned, headers: { ...announced, 'content-encoding': coding }, outcome: ok }),
      outcome: ok,
      also: stored(kept),
    }),
  ),
]

function cutInside(body: Framed): void {
  body.chunks.length = 2
  const last = chunk(body, 1)
  last.data = last.data.slice(0, 100)
  last.end = ''
  body.end = ''
}

function bytesOf({ server }: Scene, row: Upload): string {
  const line = `PUT ${path}`
  const length = String(row.length ?? whole.length)
  const headers = { ...row.headers, 'x-amz-decoded-content-length': length }
  const seed = sign(server, line, { payloadHash: row.form, headers })
  const secret = seed.signingKey.export()
  let previous = seed.seedSignature
  const next = (kind: string, ...rest: readonly string[]): string => {
    const text = [`AWS4-HMAC-SHA256-${kind}`, seed.amzDate, seed.scope, previous, ...rest].join('\n')
    previous = createHmac('sha256', secret).update(text).digest('hex')
    return previous
  }
  const hash = (text: string) => createHash('sha256').update(text).digest('hex')
  const isSigned = row.form !== unsignedForm
  const frame = (text: string): Chunk => ({
    size: text.length.toString(16),
    extension: isSigned ? `;chunk-signature=${next('PAYLOAD', sha256(Buffer.alloc(0)), hash(text))}` : '',
    data: text,
    end: text === '' ? '' : '\r\n',
  })
  const chunks = [...data, ''].map(frame)
  const trailers = [...(row.trailers ?? [])]
  if (row.form === trailerForm) {
    trailers.push(`x-amz-trailer-signature:${next('TRAILER', hash(trailers.map((text) => `${text}\n`).join('')))}`)
  }
  const body: Framed = { chunks, trailers, end: '\r\n' }
  row.spoil?.(body)
  const text =
    body.chunks.map((one) => `${one.size}${one.extension}\r\n${one.data}${one.end}`).join('') +
    body.trailers.map((trailer) => `${trailer}\r\n`).join('') +
    body.end
  const lines = seed.headers.map(([name, value]) => `${name}: ${value}`)
  return requestText(line, [...lines, `content-length: ${text.length}`], text)
}
