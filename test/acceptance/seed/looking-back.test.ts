/** Buckets as they were: `BUCKET--at-MOMENT` and `x-varve-at`, for every read, read-only, and as the source of copies. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { presign, signRequest } from 'varve/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '#http/operations/table'
import { hasSocket } from '../../layouts/layout-parts.ts'
import { type Answer, type CallOptions, call, sha256 } from '../support/call.ts'
import { requestOf } from '../support/row-request.ts'
import { expectStatus, openTestService, refusal, type TestService } from '../support/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await openTestService()
})
afterAll(() => service.stop())

const ask = (line: string, options?: CallOptions) => service.ask(line, options)
const seqOf = ({ headers }: Answer) => Number(headers['x-varve-seq'])
const keysOf = (answer: Answer) =>
  expectStatus(answer, 200)
    .xml()
    .all('Contents')
    .map((entry) => entry.get('Key'))
const compact = (date: Date) => date.toISOString().replaceAll(/[-:.]/g, '').toLowerCase()
const tagging = (value: string) =>
  `<Tagging><TagSet><Tag><Key>stage</Key><Value>${value}</Value></Tag></TagSet></Tagging>`

/** Asks the owner of the store, over its control socket, to erase what is removed from the bucket. */
const keepNothingOf = (bucket: string): Promise<void> => control('PUT', '/-/v1/retention', { bucket, keepMs: 0 })

async function control(method: string, path: string, body?: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const socketPath = join(service.server.dir, 'control', 'socket')
  const sent = request({ socketPath, method, path, headers }).end(body && JSON.stringify(body))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  expect(answer.statusCode).toBe(200)
}

/** A versioned bucket that had `k` with `old` and `gone` at `then`, and has other objects and settings now. */
async function changedBucket() {
  const bucket = await service.bucket({ versioning: 'Enabled' })
  const write = async (path: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
    expectStatus(await ask(`PUT /${bucket}${path}`, { body, headers }), 200)
  await write('/k', 'old', { 'x-amz-tagging': 'stage=then', 'x-amz-meta-colour': 'blue' })
  await write('/dir/gone', 'gone now')
  const settled = await ask(`PUT /${bucket}?tagging`, { body: tagging('then') })
  const seq = seqOf(expectStatus(settled, 204))
  await pause(5)
  const time = new Date()
  await pause(5)
  await write('/k', 'new and longer', { 'x-amz-tagging': 'stage=now' })
  await write('/added', 'added')
  expectStatus(await ask(`DELETE /${bucket}/dir/gone`), 204)
  expectStatus(await ask(`DELETE /${bucket}?tagging`), 204)
  await service.setVersioning(bucket, 'Suspended')
  return { bucket, seq, time, at: `${bucket}--at-${seq}` }
}

describe('a bucket as it was', () => {
  let made: Awaited<ReturnType<typeof changedBucket>>
  beforeAll(async () => {
    made = await changedBucket()
  })

  it('has the objects of then, and every answer has the position', async () => {
    const { at, seq } = made
    const answer = expectStatus(await ask(`GET /${at}/k`), 200)
    expect(answer.text).toBe('old')
    expect(answer.headers).toMatchObject({
      'x-varve-at': String(seq),
      'x-amz-meta-colour': 'blue',
      'x-amz-tagging-count': '1',
    })
    expect((await ask(`GET /${at}/dir/gone`)).text).toBe('gone now')
    const absent = await ask(`GET /${at}/added`)
    expect(refusal(absent)).toEqual([404, 'NoSuchKey'])
    expect(absent.headers['x-varve-at']).toBe(String(seq))
    const known = await ask(`GET /${at}/k`, { headers: { 'if-none-match': String(answer.headers['etag']) } })
    expect([known.status, known.headers['x-varve-at']]).toEqual([304, String(seq)])
    expect((await ask(`GET /${made.bucket}/k`)).headers['x-varve-at']).toBeUndefined()
  })

  it('is named by a position, a time, or a moment in a signed header or parameter', async () => {
    const { bucket, seq, time } = made
    const forms: readonly (readonly [string, CallOptions?])[] = [
      [`GET /${bucket}--at-${seq}/k`],
      [`GET /${bucket}--at-00${seq}/k`],
      [`GET /${bucket}--at-${compact(time)}/k`],
      [`GET /${bucket}/k`, { headers: { 'x-varve-at': String(seq) } }],
      [`GET /${bucket}/k`, { headers: { 'X-Varve-At': time.toISOString() } }],
      [`GET /${bucket}/k?x-varve-at=${seq}`],
      [`GET /${bucket}/k?X-Varve-At=${compact(time)}`],
      [`GET /${bucket}/k?x-varve-at=${encodeURIComponent(time.toISOString())}`],
    ]
    for (const [line, options] of forms) {
      const answer = await ask(line, options)
      expect([line, answer.status, answer.text, answer.headers['x-varve-at']]).toEqual([line, 200, 'old', String(seq)])
    }
  })

  // The owner of the store is asked to erase bytes.
  it.skipIf(!hasSocket)('is named by a snapshot, which keeps its bytes', async () => {
    const { bucket, seq } = await changedBucket()
    const name = `made-${seq}`
    await control('POST', '/-/v1/snapshots', { name, at: seq })
    await keepNothingOf(bucket)
    for (const [line, options] of [
      [`GET /${bucket}--at-${name}/dir/gone`],
      [`GET /${bucket}/dir/gone`, { headers: { 'x-varve-at': name } }],
    ] as const) {
      const answer = expectStatus(await ask(line, options), 200)
      expect([answer.text, answer.headers['x-varve-at']]).toEqual(['gone now', String(seq)])
    }
    const copy = { headers: { 'x-amz-copy-source': `${bucket}--at-${name}/dir/gone` } }
    expectStatus(await ask(`PUT /${bucket}/back`, copy), 200)
    expect(refusal(await ask(`GET /${bucket}--at-${name}/k`, { as: 'nobody' }))).toEqual([403, 'AccessDenied'])
    await control('DELETE', `/-/v1/snapshot?name=${name}`)
    expect(refusal(await ask(`GET /${bucket}--at-${name}/k`))).toEqual([404, 'NoSuchSnapshot'])
  })

  it('is named by a host', async () => {
    const { bucket, seq, time } = made
    const host = `${bucket}--at-${compact(time)}.localhost`
    const payloadHash = sha256(new Uint8Array())
    const signed = signRequest(
      { method: 'GET', rawPath: '/k', rawQuery: '', headers: [['host', host]] },
      { ...service.server.credentials('root'), region: 'eu', now: Date.now(), payloadHash },
    )
    const answer = await ask('GET /k', { as: 'nobody', headers: Object.fromEntries(signed.headers) })
    expect([answer.status, answer.text, answer.headers['x-varve-at']]).toEqual([200, 'old', String(seq)])
  })

  it('answers heads, ranges, parts, conditions and versions', async () => {
    const { at, bucket, seq } = made
    const head = expectStatus(await ask(`HEAD /${at}/k`), 200)
    expect(head.headers).toMatchObject({ 'content-length': '3', 'x-varve-at': String(seq) })
    const range = expectStatus(await ask(`GET /${at}/k`, { headers: { range: 'bytes=1-' } }), 206)
    expect([range.text, range.headers['content-range']]).toEqual(['ld', 'bytes 1-2/3'])
    expect((await ask(`GET /${at}/k?partNumber=1`)).status).toBe(206)
    expect((await ask(`GET /${at}/k`, { headers: { range: 'bytes=9-' } })).status).toBe(416)
    expect((await ask(`GET /${at}/k`, { headers: { 'if-match': '"other"' } })).status).toBe(412)
    const id = head.headers['x-amz-version-id']
    expect((await ask(`GET /${at}/k?versionId=${id}`)).text).toBe('old')
    const later = (await ask(`HEAD /${bucket}/added`)).headers['x-amz-version-id']
    expect(refusal(await ask(`GET /${at}/added?versionId=${later}`))).toEqual([404, 'NoSuchVersion'])
  })

  it('lists objects, levels and versions of then', async () => {
    const { at, bucket } = made
    expect(keysOf(await ask(`GET /${at}`))).toEqual(['dir/gone', 'k'])
    expect(keysOf(await ask(`GET /${at}?list-type=2`))).toEqual(['dir/gone', 'k'])
    const level = (await ask(`GET /${at}?list-type=2&delimiter=/&max-keys=1`)).xml()
    expect(level.all('CommonPrefixes').map((entry) => entry.get('Prefix'))).toEqual(['dir/'])
    expect(level.get('Name')).toBe(at)
    const token = encodeURIComponent(level.get('NextContinuationToken') ?? '')
    expect(keysOf(await ask(`GET /${at}?list-type=2&delimiter=/&continuation-token=${token}`))).toEqual(['k'])
    const versions = expectStatus(await ask(`GET /${at}?versions`), 200).xml()
    expect(versions.all('Version').map((entry) => [entry.get('Key'), entry.get('IsLatest')])).toEqual([
      ['dir/gone', 'true'],
      ['k', 'true'],
    ])
    expect(versions.all('DeleteMarker')).toEqual([])
    expect(keysOf(await ask(`GET /${bucket}`))).toEqual(['added', 'k'])
  })

  it('has the tags, attributes, ACL and settings of then', async () => {
    const { at } = made
    expect((await ask(`GET /${at}/k?tagging`)).text).toContain('<Value>then</Value>')
    const attributes = { 'x-amz-object-attributes': 'ObjectSize' }
    expect((await ask(`GET /${at}/k?attributes`, { headers: attributes })).text).toContain('<ObjectSize>3<')
    expect((await ask(`GET /${at}/k?acl`)).text).toContain('FULL_CONTROL')
    expect((await ask(`GET /${at}?acl`)).text).toContain('FULL_CONTROL')
    expect((await ask(`GET /${at}?tagging`)).text).toContain('<Value>then</Value>')
    expect((await ask(`GET /${at}?versioning`)).text).toContain('<Status>Enabled</Status>')
    expect(refusal(await ask(`GET /${at}?policy`))).toEqual([404, 'NoSuchBucketPolicy'])
    expect((await ask(`GET /${at}?policyStatus`)).text).toContain('<IsPublic>false<')
    expect((await ask(`HEAD /${at}`)).status).toBe(200)
    expect((await ask(`GET /${at}?location`)).status).toBe(200)
  })

  it('is the source of copies, which keep what the object had', async () => {
    const { at, bucket } = made
    const copied = await ask(`PUT /${bucket}/copy`, { headers: { 'x-amz-copy-source': `/${at}/k` } })
    expect(expectStatus(copied, 200).headers['x-varve-seq']).toMatch(/^\d+$/)
    const copy = await ask(`GET /${bucket}/copy`)
    expect([copy.text, copy.headers['x-amz-meta-colour'], copy.headers['x-amz-tagging-count']]).toEqual([
      'old',
      'blue',
      '1',
    ])
    const back = await ask(`PUT /${bucket}/k`, { headers: { 'x-amz-copy-source': `${at}/k` } })
    expectStatus(back, 200)
    expect((await ask(`GET /${bucket}/k`)).text).toBe('old')
    const upload = await service.upload(`/${bucket}/whole`)
    const headers = { 'x-amz-copy-source': `/${at}/dir/gone`, 'x-amz-copy-source-range': 'bytes=0-3' }
    const part = await ask(`PUT /${bucket}/whole?partNumber=1&uploadId=${upload.uploadId}`, { headers })
    const ETag = expectStatus(part, 200).xml().get('ETag') ?? ''
    expectStatus(await upload.complete([{ PartNumber: 1, ETag }]), 200)
    expect((await ask(`GET /${bucket}/whole`)).text).toBe('gone')
    const absent = await ask(`PUT /${bucket}/x`, { headers: { 'x-amz-copy-source': `/${at}/added` } })
    expect(refusal(absent)).toEqual([404, 'NoSuchKey'])
  })

  it('is read by presigned URLs, which nobody can turn towards another moment', async () => {
    const { at, bucket, seq } = made
    const { host } = service.server
    const signed = (rawPath: string, rawQuery = '') => {
      const url = presign(
        { method: 'GET', rawPath, rawQuery, headers: [['host', host]] },
        { ...service.server.credentials('root'), region: 'eu', now: Date.now(), expiresSeconds: 60 },
      )
      return `${rawPath}?${url.rawQuery}`
    }
    const get = (target: string, headers = {}) => call(service.server, `GET ${target}`, { as: 'nobody', headers })
    const past = signed(`/${at}/k`)
    expect((await get(past)).text).toBe('old')
    expect((await get(signed(`/${bucket}/k`, `x-varve-at=${seq}`))).text).toBe('old')
    const now = signed(`/${bucket}/k`)
    expect((await get(now)).status).toBe(200)
    expect((await get(now, { 'x-varve-at': String(seq) })).code()).toBe('AccessDenied')
    expect((await get(`${now}&x-varve-at=${seq}`)).code()).toBe('SignatureDoesNotMatch')
    expect((await get(now.replace(`/${bucket}/`, `/${at}/`))).code()).toBe('SignatureDoesNotMatch')
  })

  it('may have a name of more than 63 characters', async () => {
    const bucket = `b${'x'.repeat(62)}`
    expectStatus(await ask(`PUT /${bucket}`), 200)
    const { headers } = expectStatus(await ask(`PUT /${bucket}/k`, { body: 'one' }), 200)
    expectStatus(await ask(`PUT /${bucket}/k`, { body: 'two' }), 200)
    const at = `${bucket}--at-${headers['x-varve-seq']}`
    expect(keysOf(await ask(`GET /${at}`))).toEqual(['k'])
    expect(refusal(await ask(`PUT /${at}`))).toEqual([400, 'InvalidBucketName'])
    expect(refusal(await ask(`GET /${bucket}x--at-5`))).toEqual([400, 'InvalidBucketName'])
  })

  // The owner of the store is asked to erase bytes.
  it.skipIf(!hasSocket)('answers 410 for bytes that were erased, and never other bytes', async () => {
    const bucket = await service.bucket()
    await keepNothingOf(bucket)
    const { headers } = await ask(`PUT /${bucket}/k`, { body: 'old' })
    const at = `${bucket}--at-${headers['x-varve-seq']}`
    expectStatus(await ask(`PUT /${bucket}/k`, { body: 'new' }), 200)
    const erased = async () => (await ask(`GET /${at}/k`)).status === 410
    await expect.poll(erased, { timeout: 30_000 }).toBe(true)
    expect(refusal(await ask(`GET /${at}/k`))).toEqual([410, 'ObjectErased'])
    expect((await ask(`HEAD /${at}/k`)).headers['content-length']).toBe('3')
    const copy = await ask(`PUT /${bucket}/copy`, { headers: { 'x-amz-copy-source': `/${at}/k` } })
    expect(refusal(copy)).toEqual([410, 'ObjectErased'])
    expect(refusal(await ask(`GET /${bucket}/copy`))).toEqual([404, 'NoSuchKey'])
  })

  it('was another bucket, if the name had another one then', async () => {
    const bucket = await service.bucket()
    const first = seqOf(await ask(`PUT /${bucket}/k`, { body: 'of the first' }))
    expectStatus(await ask(`DELETE /${bucket}/k`), 204)
    const between = seqOf(expectStatus(await ask(`DELETE /${bucket}`), 204))
    const again = seqOf(expectStatus(await ask(`PUT /${bucket}`), 200))
    expect(refusal(await ask(`GET /${bucket}--at-${between}`))).toEqual([404, 'NoSuchBucket'])
    expect(keysOf(await ask(`GET /${bucket}--at-${first}`))).toEqual(['k'])
    expect(keysOf(await ask(`GET /${bucket}--at-${again}`))).toEqual([])
    expectStatus(await ask(`DELETE /${bucket}`), 204)
    expect(keysOf(await ask(`GET /${bucket}--at-${first}`))).toEqual(['k'])
  })
})

describe('every write', () => {
  it('answers the position of its event', async () => {
    const created = await ask(`PUT /${service.name()}-new`)
    const bucket = await service.bucket()
    const first = seqOf(await ask(`PUT /${bucket}/k`, { body: 'one' }))
    expect(first).toBeGreaterThan(seqOf(created))
    const tagged = seqOf(await ask(`PUT /${bucket}/k?tagging`, { body: tagging('x') }))
    const upload = await service.upload(`/${bucket}/whole`, { 1: 'part' })
    const completed = seqOf(await upload.complete())
    const removed = seqOf(await ask(`DELETE /${bucket}/k`))
    expect([first < tagged, tagged < completed, completed < removed]).toEqual([true, true, true])
    expect((await ask(`GET /${bucket}--at-${removed - 1}/k?tagging`)).text).toContain('<Value>x</Value>')
    // Nothing was changed, so there is no event.
    expect((await ask(`DELETE /${bucket}/k`)).headers['x-varve-seq']).toBeUndefined()
    expect((await ask(`PUT /${bucket}/k`, { headers: { 'if-match': '"x"' } })).headers['x-varve-seq']).toBeUndefined()
    expect((await ask(`GET /${bucket}`)).headers['x-varve-seq']).toBeUndefined()
  })
})

describe('moments and names', () => {
  let bucket: string
  beforeAll(async () => {
    bucket = await service.bucket()
    await service.put(`/${bucket}/k`)
  })

  it.each([
    ['of the future, by position', '999999999999', [400, 'MomentOutOfRange']],
    ['of the future, by time', '29991231t235959z', [400, 'MomentOutOfRange']],
    ['before the store', '19700101t000000z', [400, 'MomentOutOfRange']],
    ['of a snapshot that there is not', 'before-import', [404, 'NoSuchSnapshot']],
    ['before the bucket', '0', [404, 'NoSuchBucket']],
    ['of no form', '2026-11-20', [404, 'NoSuchBucket']],
    ['of no day', '20260230t000000z', [404, 'NoSuchBucket']],
    ['of a word that is relative', 'yesterday', [404, 'NoSuchBucket']],
    ['with nothing', '', [400, 'InvalidBucketName']],
    ['twice', '5--at-6', [404, 'NoSuchBucket']],
    ['in upper case', '20260101T000000Z', [400, 'InvalidBucketName']],
    ['with a NUL', '5%00', [400, 'InvalidBucketName']],
    ['with a line', '5%0A', [400, 'InvalidBucketName']],
  ] as const)('%s', async (_, moment, expected) => {
    expect(refusal(await ask(`GET /${bucket}--at-${moment}`))).toEqual(expected)
  })

  it.each(['', ' ', '-1', '1.5', 'now', '2026-11-20', '5,6', '%', 'a'.repeat(300)])(
    'x-varve-at: %j is refused',
    async (moment) => {
      const headers = { 'x-varve-at': moment }
      expect(refusal(await ask(`GET /${bucket}`, { headers }))).toEqual([400, 'InvalidArgument'])
      expect(refusal(await ask(`GET /${bucket}?x-varve-at=${encodeURIComponent(moment)}`))).toEqual([
        400,
        'InvalidArgument',
      ])
    },
  )

  it('are given once, for a bucket', async () => {
    const headers = { 'x-varve-at': '5' }
    expect(refusal(await ask(`GET /${bucket}?x-varve-at=5`, { headers }))).toEqual([400, 'InvalidArgument'])
    expect(refusal(await ask(`GET /${bucket}?x-varve-at=5&X-VARVE-AT=5`))).toEqual([400, 'InvalidArgument'])
    expect(refusal(await ask(`GET /${bucket}--at-5`, { headers }))).toEqual([400, 'InvalidRequest'])
    expect(refusal(await ask('GET /', { headers }))).toEqual([400, 'InvalidRequest'])
  })

  it('cannot be the name of a new bucket', async () => {
    for (const name of ['x--at-5', 'x--at-20261120t100000z', 'x--at-before-import', `${bucket}--at-0`]) {
      const answer = await ask(`PUT /${name}`)
      expect([...refusal(answer), answer.xml().get('Message')]).toEqual([
        400,
        'InvalidBucketName',
        'A name BUCKET--at-MOMENT means a bucket as it was, which can only be read.',
      ])
    }
    expect((await ask('PUT /x--at-yesterday')).status).toBe(200)
    expect(refusal(await ask(`PUT /${bucket}`, { headers: { 'x-varve-at': '5' } }))).toEqual([405, 'MethodNotAllowed'])
  })
})

/** Everything that is neither a read nor listed here is refused with 405. */
const decided: Readonly<Record<string, readonly [number, string]>> = {
  CreateBucket: [400, 'InvalidBucketName'],
  ListMultipartUploads: [501, 'NotImplemented'],
  ListParts: [501, 'NotImplemented'],
  GetObjectTorrent: [501, 'NotImplemented'],
  GetObjectAttributes: [400, 'InvalidRequest'],
  // A form carries its signature in its fields.
  PostObject: [412, 'PreconditionFailed'],
}

/** Reads of what the bucket of the test did not have. */
const absent = new Set([404, 400])

describe('every operation on a bucket as it was', () => {
  let at: string
  beforeAll(async () => {
    const bucket = await service.bucket({ versioning: 'Enabled' })
    await service.put(`/${bucket}/k`)
    const { headers } = await ask(`PUT /${bucket}?tagging`, { body: tagging('x') })
    at = `${bucket}--at-${headers['x-varve-seq']}`
    expectStatus(await ask(`DELETE /${bucket}/k`), 204)
  })

  it.each(operations.filter(({ level }) => level !== 'service').map((row) => [row.name, row] as const))(
    'is decided: %s',
    async (name, row) => {
      const answer = await ask(...requestOf(row, at))
      const isRead = row.method === 'GET' || row.method === 'HEAD'
      const outcome = [answer.status, answer.code()]
      if (row.handler === undefined) expect(outcome).toEqual([501, 'NotImplemented'])
      else if (decided[name] !== undefined) expect(outcome).toEqual(decided[name])
      else if (!isRead) expect(outcome).toEqual([405, 'MethodNotAllowed'])
      else {
        if (!absent.has(answer.status)) expect(answer.status).toBe(200)
        expect(answer.headers['x-varve-at']).toMatch(/^\d+$/)
      }
    },
  )

  it('changes nothing, as a form neither', async () => {
    const form = (fields: string) => `--b\r\nContent-Disposition: form-data; name="key"\r\n\r\n${fields}--b--\r\n`
    const body = form('k\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nbytes\r\n')
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    expect(refusal(await ask(`POST /${at}`, { as: 'nobody', headers, body }))).toEqual([405, 'MethodNotAllowed'])
    const whole = at.replace(/--at-.*/, '')
    expect(keysOf(await ask(`GET /${whole}`))).toEqual([])
  })
})
