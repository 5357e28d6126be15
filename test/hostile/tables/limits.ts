/** Every limit a client can reach, on either side of it, and the numbers that are none. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHash } from 'node:crypto'
import type { CallOptions } from '../support/call.ts'
import { completionBody, openDoor, type Door } from '../support/door.ts'
import { connect, requestBytes } from '../support/wire.ts'

/** What is asked of the bucket, with what, and what comes of it: a status, or a status and a code. */
type Row = readonly [title: string, line: string, options: CallOptions, outcome: number | readonly [number, string]]

const invalid = [400, 'InvalidArgument'] as const
const notNumbers = ['-1', '1e9', '1.5', '0x10', 'NaN', 'Infinity', '%201', '%2B1', '2147483648', '9007199254740993']

const maxKeys: readonly Row[] = ['versions', 'list-type=2', ''].flatMap((listing) => [
  ...['', '0', '1', '999', '1000', '1001', '2147483647'].map(
    (value): Row => [`${listing} max-keys=${value}`, `GET ?${listing}&max-keys=${value}`, {}, 200],
  ),
  ...notNumbers.map((value): Row => [`${listing} max-keys=${value}`, `GET ?${listing}&max-keys=${value}`, {}, invalid]),
  [`${listing} max-keys twice`, `GET ?${listing}&max-keys=1&max-keys=1`, {}, invalid],
])

const partNumbers: readonly Row[] = [
  ...['1', '9999', '10000'].map(
    (number): Row => [`partNumber=${number}`, `PUT /up?partNumber=${number}&UPLOAD`, {}, 200],
  ),
  ...['0', '10001', '', ...notNumbers].map(
    (number): Row => [`partNumber=${number}`, `PUT /up?partNumber=${number}&UPLOAD`, {}, invalid],
  ),
  ['partNumber twice', 'PUT /up?partNumber=1&partNumber=1&UPLOAD', {}, invalid],
]

const keyOf = (bytes: number, letter = 'k') => encodeURIComponent(letter.repeat(bytes / Buffer.byteLength(letter)))
const tooLongKey = [400, 'KeyTooLongError'] as const
const keys: readonly Row[] = [
  ...[1, 1023, 1024].map((bytes): Row => [`a key of ${bytes} bytes`, `PUT /${keyOf(bytes)}`, {}, 200]),
  ['a key of 1025 bytes', `PUT /${keyOf(1025)}`, {}, tooLongKey],
  ['a key of 512 letters and 1024 bytes', `PUT /${keyOf(1024, 'é')}`, {}, 200],
  ['a key of 513 letters and 1026 bytes', `PUT /${keyOf(1026, 'é')}`, {}, tooLongKey],
  ['reading a key of 1025 bytes', `GET /${keyOf(1025)}`, {}, tooLongKey],
  [
    'a copy from a key of 1025 bytes',
    'PUT /copy',
    { headers: { 'x-amz-copy-source': `/limits/${keyOf(1025)}` } },
    tooLongKey,
  ],
]

const metadata = (size: number, count = 1): CallOptions => ({
  headers: Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`x-amz-meta-${String(i).padStart(4, 'n')}`, 'v'.repeat(size / count - 4)]),
  ),
})
const metadataSizes: readonly Row[] = [
  ...[2047, 2048].map((size): Row => [`${size} bytes of metadata`, 'PUT /m', metadata(size), 200]),
  ['2049 bytes of metadata', 'PUT /m', metadata(2049), [400, 'MetadataTooLarge']],
  ['2048 bytes of metadata in 32 headers', 'PUT /m', metadata(2048, 32), 200],
  ['2080 bytes of metadata in 32 headers', 'PUT /m', metadata(2080, 32), [400, 'MetadataTooLarge']],
]

const deletion = (count: number): CallOptions => {
  const listed = Array.from({ length: count }, (_, i) => `<Object><Key>k${i}</Key></Object>`)
  const body = `<Delete><Quiet>true</Quiet>${listed.join('')}</Delete>`
  return { body, headers: { 'content-md5': createHash('md5').update(body).digest('base64') } }
}
const malformed = [400, 'MalformedXML'] as const
const deletions: readonly Row[] = [
  ['deleting no key', 'POST ?delete', deletion(0), malformed],
  ['deleting 1000 keys', 'POST ?delete', deletion(1000), 200],
  ['deleting 1001 keys', 'POST ?delete', deletion(1001), malformed],
]

const listed = (count: number) =>
  completionBody(Array.from({ length: count }, (_, i) => ({ PartNumber: Math.min(i + 1, 10_000), ETag: 'x' })))
const completions: readonly Row[] = [
  ['completing with 10000 parts', 'POST /up?UPLOAD', { body: listed(10_000) }, [400, 'InvalidPart']],
  ['completing with 10001 parts', 'POST /up?UPLOAD', { body: listed(10_001) }, malformed],
  ...['01', '1.0', '1e3', '-1', '', '9007199254740993', '1 1'].map(
    (PartNumber): Row => [
      `completing with part ${PartNumber}`,
      'POST /up?UPLOAD',
      { body: completionBody([{ PartNumber, ETag: 'x' }]) },
      malformed,
    ],
  ),
]

const bucketName = (length: number) => 'n'.repeat(length)
const badName = [400, 'InvalidBucketName'] as const
const buckets: readonly Row[] = [
  ...[3, 62, 63].map((length): Row => [`a bucket name of ${length}`, `PUT //${bucketName(length)}`, {}, 200]),
  ...[1, 2, 64, 300].map((length): Row => [`a bucket name of ${length}`, `PUT //${bucketName(length)}`, {}, badName]),
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
  ].map((name): Row => [`the bucket name ${name}`, `PUT //${name}`, {}, badName]),
]

describe('limits', () => {
  let door: Door
  let uploadId: string
  beforeAll(async () => {
    door = await openDoor()
    await door.ask('PUT /limits')
    ;({ uploadId } = await door.upload('/limits/up', { 1: 'one' }))
  })
  afterAll(() => door.stop())

  for (const [title, line, options, outcome] of [
    ...maxKeys,
    ...partNumbers,
    ...keys,
    ...metadataSizes,
    ...deletions,
    ...completions,
    ...buckets,
  ]) {
    it.concurrent(`answers ${title.length > 60 ? `${title.slice(0, 60)}…` : title} with ${String(outcome)}`, async () => {
      const target = line.includes(' //') ? line.replace(' //', ' /') : line.replace(' ', ' /limits')
      const answer = await door.ask(target.replace('UPLOAD', `uploadId=${uploadId}`), options)
      const code = answer.code()
      expect(code === undefined ? answer.status : [answer.status, code]).toEqual(outcome)
    })
  }

  it('shows as MaxKeys what is in effect', async () => {
    for (const [asked, effective] of [
      ['0', '0'],
      ['999', '999'],
      ['1000', '1000'],
      ['1001', '1000'],
      ['2147483647', '1000'],
      ['', '1000'],
    ]) {
      const listing = await door.list('limits', `max-keys=${asked}`)
      expect(listing.get('MaxKeys')).toBe(effective)
      if (asked === '0') expect([listing.get('IsTruncated'), listing.all('Version')]).toEqual(['false', []])
    }
  })

  it.each([
    [5 * 1024 ** 3, 100, undefined],
    [5 * 1024 ** 3 + 1, 400, 'EntityTooLarge'],
    [2 ** 53 - 1, 400, 'EntityTooLarge'],
    ['9007199254740993', 400, 'InvalidArgument'],
  ])('answers one PUT of %s bytes with %s before any of them is sent', async (length, status, code) => {
    const wire = await connect(door.server)
    wire.send(
      requestBytes(door.server, 'PUT /limits/large', { extra: [`content-length: ${length}`, 'expect: 100-continue'] }),
    )
    const answer = await wire.answer()
    wire.vanish()
    expect([answer.status, answer.code()]).toEqual([status, code])
  })

  it('answers a PUT that does not say how long it is with 411', async () => {
    const wire = await connect(door.server)
    wire.send(requestBytes(door.server, 'PUT /limits/endless'))
    const answer = await wire.answer()
    wire.vanish()
    expect([answer.status, answer.code()]).toEqual([411, 'MissingContentLength'])
  })
})
