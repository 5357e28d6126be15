/** Every limit a client can reach, on either side of it, and the numbers that are none. */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { completionBody } from '../../acceptance/support/test-service.ts'
import { requestBytes } from '../../acceptance/support/wire.ts'
import { ask, type Requested, type Outcome, type Row } from '../row.ts'

/** The request, its options and its outcome. Lines begin in the bucket, except for those that begin with `//`. */
type Limit = readonly [name: string, line: string, options: Requested, outcome: Outcome]

const ok = [200] as const

const invalid = [400, 'InvalidArgument'] as const
const notNumbers = ['-1', '1e9', '1.5', '0x10', 'NaN', 'Infinity', '%201', '%2B1', '2147483648', '9007199254740993']

const maxKeys: readonly Limit[] = ['versions', 'list-type=2', ''].flatMap((listing) => [
  ...['', '0', '1', '999', '1000', '1001', '2147483647'].map(
    (value): Limit => [`${listing} max-keys=${value}`, `GET ?${listing}&max-keys=${value}`, {}, ok],
  ),
  ...notNumbers.map(
    (value): Limit => [`${listing} max-keys=${value}`, `GET ?${listing}&max-keys=${value}`, {}, invalid],
  ),
  [`${listing} max-keys twice`, `GET ?${listing}&max-keys=1&max-keys=1`, {}, invalid],
])

const partNumbers: readonly Limit[] = [
  ...['1', '9999', '10000'].map(
    (number): Limit => [`partNumber=${number}`, `PUT /up?partNumber=${number}&UPLOAD`, {}, ok],
  ),
  ...['0', '10001', '', ...notNumbers].map(
    (number): Limit => [`partNumber=${number}`, `PUT /up?partNumber=${number}&UPLOAD`, {}, invalid],
  ),
  ['partNumber twice', 'PUT /up?partNumber=1&partNumber=1&UPLOAD', {}, invalid],
]

const keyOf = (bytes: number, letter = 'k') => encodeURIComponent(letter.repeat(bytes / Buffer.byteLength(letter)))
const tooLongKey = [400, 'KeyTooLongError'] as const
const keys: readonly Limit[] = [
  ...[1, 1023, 1024].map((bytes): Limit => [`a key of ${bytes} bytes`, `PUT /${keyOf(bytes)}`, {}, ok]),
  ['a key of 1025 bytes', `PUT /${keyOf(1025)}`, {}, tooLongKey],
  ['a key of 512 letters and 1024 bytes', `PUT /${keyOf(1024, 'é')}`, {}, ok],
  ['a key of 513 letters and 1026 bytes', `PUT /${keyOf(1026, 'é')}`, {}, tooLongKey],
  ['reading a key of 1025 bytes', `GET /${keyOf(1025)}`, {}, tooLongKey],
  [
    'a copy from a key of 1025 bytes',
    'PUT /copy',
    { headers: { 'x-amz-copy-source': `/hostile/${keyOf(1025)}` } },
    tooLongKey,
  ],
]

const metadata = (size: number, count = 1): Requested => ({
  headers: Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`x-amz-meta-${String(i).padStart(4, 'n')}`, 'v'.repeat(size / count - 4)]),
  ),
})
const metadataSizes: readonly Limit[] = [
  ...[2047, 2048].map((size): Limit => [`${size} bytes of metadata`, 'PUT /m', metadata(size), ok]),
  ['2049 bytes of metadata', 'PUT /m', metadata(2049), [400, 'MetadataTooLarge']],
  ['2048 bytes of metadata in 32 headers', 'PUT /m', metadata(2048, 32), ok],
  ['2080 bytes of metadata in 32 headers', 'PUT /m', metadata(2080, 32), [400, 'MetadataTooLarge']],
]

const deletion = (count: number): Requested => {
  const listed = Array.from({ length: count }, (_, i) => `<Object><Key>k${i}</Key></Object>`)
  const body = `<Delete><Quiet>true</Quiet>${listed.join('')}</Delete>`
  return { body, headers: { 'content-md5': createHash('md5').update(body).digest('base64') } }
}
const malformed = [400, 'MalformedXML'] as const
const deletions: readonly Limit[] = [
  ['deleting no key', 'POST ?delete', deletion(0), malformed],
  ['deleting 1000 keys', 'POST ?delete', deletion(1000), ok],
  ['deleting 1001 keys', 'POST ?delete', deletion(1001), malformed],
]

const listed = (count: number) =>
  completionBody(Array.from({ length: count }, (_, i) => ({ PartNumber: Math.min(i + 1, 10_000), ETag: 'x' })))
const completions: readonly Limit[] = [
  ['completing with 10000 parts', 'POST /up?UPLOAD', { body: listed(10_000) }, [400, 'InvalidPart']],
  ['completing with 10001 parts', 'POST /up?UPLOAD', { body: listed(10_001) }, malformed],
  ...['01', '1.0', '1e3', '-1', '', '9007199254740993', '1 1'].map(
    (PartNumber): Limit => [
      `completing with part ${PartNumber}`,
      'POST /up?UPLOAD',
      { body: completionBody([{ PartNumber, ETag: 'x' }]) },
      malformed,
    ],
  ),
]

const bucketName = (length: number) => 'n'.repeat(length)
const badName = [400, 'InvalidBucketName'] as const
const buckets: readonly Limit[] = [
  ...[3, 62, 63].map((length): Limit => [`a bucket name of ${length}`, `PUT //${bucketName(length)}`, {}, ok]),
  ...[1, 2, 64, 300].map((length): Limit => [`a bucket name of ${length}`, `PUT //${bucketName(length)}`, {}, badName]),
  ...[
    'a..b',
    'Aaa',
    '192.168.0.1',
    'xn--a',
    '-aa',
    'aa-',
    'a_b',
    '...',
    'a.-b',
    '%2e%2e%2e',
    'a%20b',
    'é%C3%A9aa'.slice(1),
  ].map((name): Limit => [`the bucket name ${name}`, `PUT //${name}`, {}, badName]),
]

/** What is in effect is what is shown. */
const shownMaxKeys: readonly Row[] = [
  ['0', '0'],
  ['999', '999'],
  ['1000', '1000'],
  ['1001', '1000'],
  ['2147483647', '1000'],
  ['', '1000'],
].map(([requested, effective]) => ({
  ...ask(`max-keys=${requested}, in effect ${effective}`, `GET /hostile?versions&max-keys=${requested}`, {}, ok),
  also(_scene, answer) {
    const listing = answer.xml()
    expect(listing.get('MaxKeys')).toBe(effective)
    if (requested === '0') expect([listing.get('IsTruncated'), listing.all('Version')]).toEqual(['false', []])
  },
}))

const sizes: readonly Row[] = (
  [
    [5 * 1024 ** 3, [100]],
    [5 * 1024 ** 3 + 1, [400, 'EntityTooLarge']],
    [2 ** 53 - 1, [400, 'EntityTooLarge']],
    ['9007199254740993', invalid],
  ] as const
).map(([length, outcome]) => ({
  name: `a PUT of ${length} bytes, before any of them is sent`,
  bytes: ({ server }) =>
    requestBytes(server, 'PUT /hostile/large', { extra: [`content-length: ${length}`, 'expect: 100-continue'] }),
  outcome,
}))

export const limits: readonly Row[] = [
  ...[...maxKeys, ...partNumbers, ...keys, ...metadataSizes, ...deletions, ...completions, ...buckets].map(
    ([name, line, options, outcome]) => ask(name, placed(line), options, outcome),
  ),
  ...shownMaxKeys,
  ...sizes,
]

function placed(line: string): string {
  return line.includes(' //') ? line.replace(' //', ' /') : line.replace(' ', ' /hostile')
}
