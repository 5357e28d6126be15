/** Names, headers, ranges and parameters that would break out of where they belong, or act on what was not authorised. */
import { expect } from 'vitest'
import { completionBody } from '../../acceptance/support/test-service.ts'
import { ask, type Outcome, type Row } from '../row.ts'

const invalid: Outcome = [400, 'InvalidArgument']
const denied: Outcome = [403, 'AccessDenied']
const noKey: Outcome = [404, 'NoSuchKey']
const noUpload: Outcome = [404, 'NoSuchUpload']
const ok: Outcome = [200]

const responses: readonly Row[] = [
  ['response-content-disposition', '%0d%0aSet-Cookie:x'],
  ['response-content-type', 'a%00b'],
  ['response-cache-control', '%E2%98%83'],
  ['response-expires', '%0a'],
  ['response-content-language', 'a%7fb'],
].map(([name, value]) => ({
  ...ask(`${name}=${value}`, `GET /hostile/object?${name}=${value}`, {}, invalid),
  also: (_scene, answer) => expect(answer.headers['set-cookie']).toBeUndefined(),
}))

/** Refused by Node before anyone sees them, or never sent by it: a header of an answer holds none either. */
const metadata = (name: string, value: string, outcome: Outcome): Row =>
  ask(`metadata with ${name}`, 'PUT /hostile/metadata', { headers: { 'x-amz-meta-a': value } }, outcome)
const metadatas: readonly Row[] = [
  metadata('a line end', 'a\nx-injected: b', [400, 'InvalidRequest']),
  metadata('CR LF, which makes two headers', 'a\r\nx-injected: b', [403, 'SignatureDoesNotMatch']),
  metadata('NUL', 'a\u0000b', [400, 'InvalidRequest']),
  {
    ...metadata('a snowman', Buffer.from('\u2603').toString('latin1'), ok),
    async also({ service }) {
      const answer = await service.ask('HEAD /hostile/metadata')
      const [, base64 = ''] = /^=\?utf-8\?b\?(.*)\?=$/i.exec(answer.headers['x-amz-meta-a'] ?? '') ?? []
      expect(Buffer.from(base64, 'base64').toString('utf8')).toBe('\u2603')
    },
  },
]

const whole: Outcome = ok
const part: Outcome = [206]
const none: Outcome = [416, 'InvalidRange']
const ranges: readonly Row[] = (
  [
    ['bytes=0-0', part, '0'],
    ['bytes=0-8', part, '012345678'],
    ['bytes=1-', part, '123456789'],
    ['bytes=-2', part, '89'],
    ['bytes=-15', part, '0123456789'],
    ['bytes=0-100', part, '0123456789'],
    ['bytes=0-99999999999999999999', part, '0123456789'],
    ['bytes=-99999999999999999999', part, '0123456789'],
    ['bytes=1-0', whole, '0123456789'],
    ['bytes=5-2', whole, '0123456789'],
    ['bytes=-1-', whole, '0123456789'],
    ['bytes=0--1', whole, '0123456789'],
    ['bytes=0-1,3-4', whole, '0123456789'],
    [`bytes=${Array.from({ length: 1000 }, (_, i) => `${i}-${i}`).join(',')}`, whole, '0123456789'],
    ['bytes=-', whole, '0123456789'],
    ['garbage', whole, '0123456789'],
    ['items=0-1', whole, '0123456789'],
    ['bytes=-0', none, undefined],
    ['bytes=100-200', none, undefined],
    ['bytes=10-', none, undefined],
    ['bytes=99999999999999999999-', none, undefined],
  ] as const
).map(([range, outcome, text]) => ({
  ...ask(`the range ${range}`, 'GET /hostile/ten', { headers: { range } }, outcome),
  also(_scene, answer) {
    if (text === undefined) return
    expect([answer.text, answer.headers['content-range'] === undefined]).toEqual([text, outcome === whole])
  },
}))

const copy = (source: string, outcome: Outcome): Row =>
  ask(
    `a copy from ${source}, which is not the asker's`,
    'PUT /anns/stolen',
    { as: 'ann', headers: { 'x-amz-copy-source': source } },
    outcome,
  )
const completion = (as: string, line: string): Row =>
  ask(`${line} with another's upload`, line, { as, body: completionBody([{ PartNumber: 1, ETag: 'x' }]) }, noUpload)
/** What is authorised is what is acted on: the same parsed value. */
const authority: readonly Row[] = [
  copy('/hostile/secret', denied),
  copy('hostile/secret', denied),
  copy('%2Fhostile%2Fsecret', denied),
  copy('/anns/../hostile/secret', noKey),
  copy('/anns/%2e%2e/hostile/secret', noKey),
  copy('//hostile/secret', invalid),
  copy('/hostile/secret?versionId=null', denied),
  copy('/anns/x%3FversionId=null', noKey),
  ask('a read through ..', 'GET /anns/../hostile/secret', { as: 'ann' }, noKey),
  ask('a read through %2e%2e%2f', 'GET /anns/%2e%2e%2fhostile%2fsecret', { as: 'ann' }, noKey),
  ask("a read of another's bucket", 'GET /hostile/secret', { as: 'ann' }, denied),
  completion('ann', 'POST /anns/up?UPLOAD'),
  completion('root', 'POST /hostile/other?UPLOAD'),
  completion('root', 'POST /anns/up?UPLOAD'),
  ask("a part for another key's upload", 'PUT /hostile/other?partNumber=1&UPLOAD', { body: 'x' }, noUpload),
  ask("an abort of another key's upload", 'DELETE /hostile/other?UPLOAD', {}, noUpload),
  ask('an override without a signature', 'GET /hostile/object?response-content-type=a', { as: 'nobody' }, denied),
]

/** A subresource that is not built is never taken for the object itself. */
const subresources: readonly Row[] = [
  'DELETE /hostile/ten?some-day',
  'PUT /hostile/ten?encryption',
  'PUT /hostile/ten?renameObject',
  'POST /hostile/ten?restore',
  'DELETE /hostile?replication',
  'PUT /hostile?replication',
].map((line) => ask(line, line, {}, [501, 'NotImplemented']))

const words = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf']
const parameters: readonly Row[] = words.flatMap((word) => [
  ask(`the parameter ${word}`, `GET /hostile/object?${word}=x`, {}, ok),
  ask(`the header ${word}`, 'GET /hostile/object', { headers: { [word]: 'x' } }, ok),
  ask(`the upload ${word}`, `GET /hostile/up?uploadId=${word}`, {}, noUpload),
  ask(`the version ${word}`, `GET /hostile/object?versionId=${word}`, {}, invalid),
  ask(`the key ${word}`, `GET /hostile/${word}`, {}, noKey),
  ask(
    `the bucket ${word.toLowerCase()}x`,
    `GET /${word.toLowerCase()}x`,
    {},
    word === '__proto__' ? [400, 'InvalidBucketName'] : [404, 'NoSuchBucket'],
  ),
])

const bytes = 'x'.repeat(15_000)
const longOnes: readonly Row[] = ['prefix', 'delimiter', 'key-marker'].map((name) =>
  ask(`a ${name} of 15 KB`, `GET /hostile?versions&${name}=${bytes}`, {}, ok),
)

const dates: readonly Row[] = ['yesterday', '0', '9'.repeat(1000), 'Sun, 99 Nov 1994 99:99:99 GMT', '-1'].map((date) =>
  ask(`If-Modified-Since: ${date}`, 'GET /hostile/object', { headers: { 'if-modified-since': date } }, ok),
)

export const edges: readonly Row[] = [
  ...responses,
  ...metadatas,
  ...ranges,
  ...authority,
  ...subresources,
  ...parameters,
  ...longOnes,
  ...dates,
]
