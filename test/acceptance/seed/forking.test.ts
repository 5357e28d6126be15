/** Forks by `x-varve-fork-source` of CreateBucket: of a bucket as it is, and as it was. */
import { presign, signRequest } from 'varve/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, type CallOptions, sha256 } from '../support/call.ts'
import { expectStatus, openTestService, refusal, type TestService } from '../support/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await openTestService()
})
afterAll(() => service.stop())

const ask = (line: string, options?: CallOptions) => service.ask(line, options)
const from = (source: string, more: Readonly<Record<string, string>> = {}) => ({
  headers: { 'x-varve-fork-source': source, ...more },
})
const textOf = async (path: string) => expectStatus(await ask(`GET ${path}`), 200).text
const seqOf = async (path: string, body: string) =>
  Number(expectStatus(await ask(`PUT ${path}`, { body }), 200).headers['x-varve-seq'])
const configuration = (inner: string) => `<CreateBucketConfiguration>${inner}</CreateBucketConfiguration>`

async function changedBucket() {
  const bucket = await service.bucket()
  const seq = await seqOf(`/${bucket}/k`, 'old')
  await seqOf(`/${bucket}/k`, 'new')
  return { bucket, seq }
}

describe('a bucket that is created with a source', () => {
  it('begins as the source is, and leaves it alone', async () => {
    const { bucket } = await changedBucket()
    const fork = service.name()
    const answer = expectStatus(await ask(`PUT /${fork}`, from(bucket)), 200)
    expect(answer.headers).toMatchObject({ location: `/${fork}`, 'x-varve-seq': expect.stringMatching(/^\d+$/) })
    expect(await textOf(`/${fork}/k`)).toBe('new')
    await seqOf(`/${fork}/k`, 'of the fork')
    expect(await textOf(`/${bucket}/k`)).toBe('new')
  })

  it('begins as the source was at the moment of its name', async () => {
    const { bucket, seq } = await changedBucket()
    const fork = service.name()
    expectStatus(await ask(`PUT /${fork}`, from(`${bucket}--at-${seq}`)), 200)
    expect(await textOf(`/${fork}/k`)).toBe('old')
  })

  it('can bring back a deleted bucket under its name', async () => {
    const bucket = await service.bucket()
    const seq = await seqOf(`/${bucket}/k`, 'back')
    expectStatus(await ask(`DELETE /${bucket}/k`), 204)
    expectStatus(await ask(`DELETE /${bucket}`), 204)
    expect(refusal(await ask(`PUT /${bucket}`, from(bucket)))).toEqual([404, 'NoSuchBucket'])
    expectStatus(await ask(`PUT /${bucket}`, from(`${bucket}--at-${seq}`)), 200)
    expect(await textOf(`/${bucket}/k`)).toBe('back')
  })

  it('takes the region of its source as its location, and no other', async () => {
    const { bucket } = await changedBucket()
    const create = (region: string) =>
      ask(`PUT /${service.name()}`, {
        ...from(bucket),
        body: configuration(`<LocationConstraint>${region}</LocationConstraint>`),
      })
    expectStatus(await create('eu'), 200)
    expect(refusal(await create('us'))).toEqual([400, 'InvalidRequest'])
  })

  it.each([
    ['x-amz-bucket-object-lock-enabled', 'true'],
    ['x-amz-acl', 'private'],
    ['x-amz-acl', 'public-read'],
    ['x-amz-grant-read', 'id=a'],
    ['x-amz-object-ownership', 'ObjectWriter'],
  ])('takes no setting of its own: %s: %s', async (name, value) => {
    const { bucket } = await changedBucket()
    const fork = service.name()
    const answer = await ask(`PUT /${fork}`, from(bucket, { [name]: value }))
    expect(refusal(answer)).toEqual([400, 'InvalidRequest'])
    expect((await ask(`HEAD /${fork}`)).status).toBe(404)
  })

  it('takes no tags', async () => {
    const { bucket } = await changedBucket()
    const body = configuration('<Tags><Tag><Key>a</Key><Value>b</Value></Tag></Tags>')
    expect(refusal(await ask(`PUT /${service.name()}`, { ...from(bucket), body }))).toEqual([400, 'InvalidRequest'])
  })
})

describe('a fork is refused', () => {
  it('of a bucket that does not exist, or did not at the moment', async () => {
    const { bucket } = await changedBucket()
    for (const source of ['absent', `${bucket}--at-1`]) {
      expect([source, ...refusal(await ask(`PUT /${service.name()}`, from(source)))]).toEqual([
        source,
        404,
        'NoSuchBucket',
      ])
    }
  })

  it.each([
    ['', 'InvalidBucketName'],
    ['A', 'InvalidBucketName'],
    ['a/b', 'InvalidBucketName'],
  ])('of a source of the name %j with %s', async (source, code) => {
    expect((await ask(`PUT /${service.name()}`, from(source))).code()).toBe(code)
  })

  it.each([
    ['999999999', 'MomentOutOfRange'],
    ['no-snapshot', 'NoSuchSnapshot'],
  ])('of a source at %s with %s', async (moment, code) => {
    const { bucket } = await changedBucket()
    expect((await ask(`PUT /${service.name()}`, from(`${bucket}--at-${moment}`))).code()).toBe(code)
  })

  it('under a name that exists, also if the requester owns that bucket', async () => {
    const { bucket } = await changedBucket()
    for (const existing of [bucket, await service.bucket()]) {
      expect(refusal(await ask(`PUT /${existing}`, from(bucket)))).toEqual([409, 'BucketAlreadyExists'])
    }
  })

  it('under the name of a bucket as it was', async () => {
    const { bucket } = await changedBucket()
    expect(refusal(await ask(`PUT /${bucket}--at-5`, from(bucket)))).toEqual([400, 'InvalidBucketName'])
  })

  it('after 8 forks, each of the one before', async () => {
    let source = (await changedBucket()).bucket
    for (let depth = 1; depth <= 8; depth++) {
      const fork = service.name()
      expectStatus(await ask(`PUT /${fork}`, from(source)), 200)
      source = fork
    }
    expect(refusal(await ask(`PUT /${service.name()}`, from(source)))).toEqual([400, 'ForkTooDeep'])
  })
})

describe('the header of a fork', () => {
  it('is refused by every other operation', async () => {
    const { bucket } = await changedBucket()
    for (const line of [`PUT /${bucket}/x`, `GET /${bucket}`, `HEAD /${bucket}`, `DELETE /${bucket}`, 'GET /']) {
      expect([line, (await ask(line, from('other'))).status]).toEqual([line, 400])
    }
    expect(await textOf(`/${bucket}/k`)).toBe('new')
  })

  it('counts only where a signature of version 4 covers it', async () => {
    const { bucket } = await changedBucket()
    const { host, credentials } = service.server
    const rawPath = `/${service.name()}`
    const request = { method: 'PUT', rawPath, rawQuery: '', headers: [['host', host]] as const }
    const signing = { ...credentials('root'), region: 'eu', now: Date.now() }
    const signed = signRequest(request, { ...signing, payloadHash: sha256(new Uint8Array()) })
    const { rawQuery } = presign(request, { ...signing, expiresSeconds: 60 })
    const send = (line: string, headers: Readonly<Record<string, string>> = {}) =>
      call(service.server, line, { as: 'nobody', headers: { ...headers, ...from(bucket).headers } })
    for (const answer of [
      await send(`PUT ${rawPath}`),
      await send(`PUT ${rawPath}`, Object.fromEntries(signed.headers)),
      await send(`PUT ${rawPath}?${rawQuery}`),
    ]) {
      expect(refusal(answer)).toEqual([403, 'AccessDenied'])
    }
    expect((await ask(`HEAD ${rawPath}`)).status).toBe(404)
  })

  it('is not a parameter of the URL', async () => {
    const { bucket } = await changedBucket()
    const answer = await ask(`PUT /${service.name()}?x-varve-fork-source=${bucket}`)
    expect(refusal(answer)).toEqual([501, 'NotImplemented'])
  })
})
