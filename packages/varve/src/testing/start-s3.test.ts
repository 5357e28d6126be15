import { afterEach, describe, expect, it } from 'vitest'
import { createIdentity } from '@varve/http'
import type { StartS3Options } from './options.ts'
import { arrival, begin, send, textOf } from './send.fixture.ts'
import { startS3 } from './start-s3.ts'
import { testClock } from './test-clock.ts'
import type { TestS3 } from './test-s3.ts'

const started: TestS3[] = []

async function start(options: StartS3Options = {}): Promise<TestS3> {
  const s3 = await startS3(options)
  started.push(s3)
  return s3
}

afterEach(async () => {
  for (const s3 of started.splice(0)) await s3.stop()
})

const hourMs = 3_600_000

describe.each([true, false])('a server for tests (listen: %s)', (listen) => {
  it('answers requests, and shows what they did in its store', async () => {
    const s3 = await start({ listen, buckets: ['photos'] })
    expect(await send(s3, 'PUT', '/photos/cat.txt', { body: 'a small cat' })).toMatchObject({ status: 200 })
    expect(await send(s3, 'GET', '/photos/cat.txt')).toMatchObject({ status: 200, text: 'a small cat' })
    expect(await (await s3.store.objects.get('photos', 'cat.txt')).text()).toBe('a small cat')
  })

  it('passes on long bodies in both directions', async () => {
    const s3 = await start({ listen, buckets: ['photos'] })
    const body = 'miaow '.repeat(500_000)
    await send(s3, 'PUT', '/photos/long', { body })
    expect((await send(s3, 'GET', '/photos/long')).text).toBe(body)
  })

  it('shares nothing with another', async () => {
    const [one, two] = [await start({ listen, buckets: ['photos'] }), await start({ listen, buckets: ['photos'] })]
    await send(one, 'PUT', '/photos/cat.txt', { body: 'a small cat' })
    expect(await send(two, 'GET', '/photos/cat.txt')).toMatchObject({ status: 404 })
    await one.stop()
    expect(await send(two, 'GET', '/photos')).toMatchObject({ status: 200 })
  })

  it('takes signatures for any region, and makes buckets in any', async () => {
    const s3 = await start({ listen })
    const body =
      '<CreateBucketConfiguration><LocationConstraint>eu-west-3</LocationConstraint></CreateBucketConfiguration>'
    expect(await send(s3, 'PUT', '/here', { region: 'eu-west-3', body })).toMatchObject({ status: 200 })
    expect((await s3.store.buckets.head('here')).region).toBe('eu-west-3')
    expect(await send(s3, 'GET', '/', { region: 'moon-north-1' })).toMatchObject({ status: 200 })
  })

  it('ends requests whose bodies stall when it stops, and answers none after that', async () => {
    const s3 = await start({ listen, buckets: ['photos'] })
    const arrived = arrival(s3)
    const stalled = begin(s3, 'PUT', '/photos/a', { body: 'x'.repeat(200_000), stallsAfter: 100_000 })
    const refusal = expect(stalled.then(textOf)).rejects.toMatchObject({ code: 'ECONNRESET' })
    await arrived()
    await Promise.all([s3.stop(), s3.stop()])
    await refusal
    await expect(send(s3, 'GET', '/')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await expect(s3.reset()).rejects.toMatchObject({ code: 'StoreClosed' })
    await expect(s3.fork()).rejects.toMatchObject({ code: 'StoreClosed' })
    expect(s3.store.state).toBe('closed')
  })
})

describe('a server for tests with a region of its own', () => {
  it('makes buckets there', async () => {
    const s3 = await start({ region: 'auto' })
    const body = '<CreateBucketConfiguration><LocationConstraint>auto</LocationConstraint></CreateBucketConfiguration>'
    expect(await send(s3, 'PUT', '/here', { region: 'auto', body })).toMatchObject({ status: 200 })
    expect((await s3.store.buckets.head('here')).region).toBe('auto')
  })

  it('encrypts where it is requested, without a key from the test', async () => {
    const s3 = await start({ buckets: ['photos'] })
    for (const mode of ['AES256', 'aws:kms'] as const) {
      await s3.store.objects.put('photos', mode, 'a hidden cat', { encryption: { mode } })
      const { headers, text } = await send(s3, 'GET', `/photos/${encodeURIComponent(mode)}`)
      expect([headers['x-amz-server-side-encryption'], text]).toEqual([mode, 'a hidden cat'])
    }
  })
})

describe('the credentials of a server for tests', () => {
  it('are those that are given, and no others', async () => {
    const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
    const s3 = await start({ credentials })
    expect(s3.credentials).toEqual(credentials)
    expect(await send(s3, 'GET', '/')).toMatchObject({ status: 200 })
    const others = { accessKeyId: 'test', secretAccessKey: 'test' }
    expect(await send(s3, 'GET', '/', { credentials: others })).toMatchObject({ status: 403 })
    const wrong = { ...credentials, secretAccessKey: 'wrong' }
    expect((await send(s3, 'GET', '/', { credentials: wrong })).text).toContain('SignatureDoesNotMatch')
  })

  it('may have any access key id, with the secret of the server, and are one user', async () => {
    const s3 = await start({ credentials: 'any' })
    const [one, two] = ['AKIA1', 'AKIA2'].map((accessKeyId) => ({ accessKeyId, secretAccessKey: 'test' }))
    expect(await send(s3, 'PUT', '/photos', { ...(one && { credentials: one }) })).toMatchObject({ status: 200 })
    const list = await send(s3, 'GET', '/', { ...(two && { credentials: two }) })
    expect(list.text).toContain('<Name>photos</Name>')
    const wrong = { accessKeyId: 'AKIA1', secretAccessKey: 'wrong' }
    expect(await send(s3, 'GET', '/', { credentials: wrong })).toMatchObject({ status: 403 })
  })

  it('stand beside those of other identities', async () => {
    const credentials = { accessKeyId: 'ANN', secretAccessKey: 'secret-of-ann' }
    const s3 = await start({ buckets: ['photos'], identities: [createIdentity({ name: 'ann', ...credentials })] })
    expect(await send(s3, 'GET', '/photos', { credentials })).toMatchObject({ status: 403 })
    expect(await send(s3, 'PUT', '/of-ann', { credentials })).toMatchObject({ status: 200 })
  })

  it('are not shared by what a client writes into them', async () => {
    const s3 = await start()
    Object.assign(s3.clientConfig.credentials, { $source: {} })
    expect(s3.clientConfig.credentials).toEqual({ accessKeyId: 'test', secretAccessKey: 'test' })
  })
})

describe('the clock of a server for tests', () => {
  it('is the time of everything that is written, whatever time clients sign with', async () => {
    const clock = testClock(new Date('2020-02-29T12:00:00Z'))
    const s3 = await start({ clock, buckets: ['photos'] })
    await send(s3, 'PUT', '/photos/a', { body: 'a' })
    clock.advance(40 * 24 * hourMs)
    await send(s3, 'PUT', '/photos/b', { body: 'b' })
    const times = await Promise.all(
      ['a', 'b'].map(async (key) => (await send(s3, 'HEAD', `/photos/${key}`)).headers['last-modified']),
    )
    expect(times).toEqual(['Sat, 29 Feb 2020 12:00:00 GMT', 'Thu, 09 Apr 2020 12:00:00 GMT'])
  })

  it('ends locks and expires objects when the test moves it', async () => {
    const clock = testClock()
    const s3 = await start({ clock, buckets: ['logs'] })
    await s3.store.buckets.create('locked', { versioning: 'Enabled', settings: { ObjectLock: {} } })
    const until = clock.now() + 300 * 24 * hourMs
    const { versionId } = await s3.store.objects.put('locked', 'k', 'bytes', {
      retention: { mode: 'COMPLIANCE', until },
    })
    const remove = () => s3.store.objects.delete('locked', 'k', { versionId })
    await expect(remove()).rejects.toMatchObject({ code: 'AccessDenied' })
    const rule = {
      id: 'month',
      status: 'Enabled',
      filterForm: 'filter',
      filter: { prefix: '' },
      expiration: { days: 30 },
    } as const
    await s3.store.buckets.settings.put('logs', 'Lifecycle', { rules: [rule] })
    await s3.store.objects.put('logs', 'old', 'line')
    clock.advance(301 * 24 * hourMs)
    await remove()
    await s3.store.applyLifecycle()
    expect((await send(s3, 'GET', '/logs/old')).status).toBe(404)
  })

  it('may fail for a while, and the server goes on when it is back', async () => {
    let fails = false
    const now = () => (fails ? Number.NaN : Date.now())
    const s3 = await start({ clock: { now }, buckets: ['photos'] })
    await s3.reset()
    fails = true
    await s3.reset().catch(() => undefined)
    await expect(s3.reset()).rejects.toMatchObject({ code: 'InvalidArgument' })
    fails = false
    await s3.reset()
    expect((await send(s3, 'GET', '/photos')).status).toBe(200)
  })

  it('counts as passed in forks, and after a reset', async () => {
    const clock = testClock()
    const template = await start({ clock })
    await template.store.buckets.create('locked', { versioning: 'Enabled', settings: { ObjectLock: {} } })
    const until = clock.now() + 300 * 24 * hourMs
    const retention = { mode: 'COMPLIANCE', until } as const
    const { versionId } = await template.store.objects.put('locked', 'k', 'bytes', { retention })
    clock.advance(301 * 24 * hourMs)
    const fork = await template.fork()
    started.push(fork)
    await fork.store.objects.delete('locked', 'k', { versionId })
    await fork.reset()
    await fork.store.objects.delete('locked', 'k', { versionId })
  })
})

describe('startS3', () => {
  it.each<[string, unknown, string]>([
    ['options', 5, 'options'],
    ['options', null, 'options'],
    ['options.ports', { ports: 1 }, 'options'],
    ['options.port', { port: '80' }, 'options.port'],
    ['options.port', { port: 70_000 }, 'options.port'],
    ['options.listen', { listen: 1 }, 'options.listen'],
    ['options.region', { region: 'no region' }, 'options.region'],
    ['options.credentials', { credentials: 'none' }, 'options.credentials'],
    ['options.credentials', { credentials: { accessKeyId: 'a' } }, 'options.credentials'],
    ['options.identities', { identities: [5] }, 'options.identities[0]'],
    ['options.buckets', { buckets: 'photos' }, 'options.buckets'],
    ['options.versioning', { versioning: true }, 'options.versioning'],
    ['options.clock', { clock: {} }, 'options.clock'],
    ['options.clock.now()', { clock: { now: () => Number.NaN } }, 'options.clock.now()'],
    ['options.clock.now()', { clock: { now: () => new Date() } }, 'options.clock.now()'],
    ['options.dialect', { dialect: 'gcs' }, 'options.dialect'],
  ])('refuses wrong %s', async (_, options, ArgumentName) => {
    const refused = { code: 'InvalidArgument', details: { ArgumentName } }
    await expect(startS3(options as never)).rejects.toMatchObject(refused)
  })

  it('refuses names that no bucket can have, and takes one that is given twice once', async () => {
    await expect(startS3({ buckets: ['No'] })).rejects.toMatchObject({ code: 'InvalidBucketName' })
    const s3 = await start({ buckets: ['photos', 'photos'], versioning: 'Enabled' })
    expect((await s3.store.buckets.head('photos')).versioning).toBe('Enabled')
  })

  it('is stopped at the end of the block that uses it', async () => {
    const s3 = await startS3()
    await s3[Symbol.asyncDispose]()
    expect(s3.store.state).toBe('closed')
    await expect(fetch(s3.url)).rejects.toThrow('fetch failed')
  })

  it('fails with the error of the system where it cannot listen', async () => {
    const { port } = await start()
    await expect(startS3({ port: port ?? 0 })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  it('takes times that a clock can show, and moves it forwards', () => {
    for (const from of ['today', -1, Number.NaN, new Date(Number.NaN), {}])
      expect(() => testClock(from as never)).toThrow(expect.objectContaining({ code: 'InvalidArgument' }))
    const clock = testClock(1000)
    for (const ms of [-1, 0.5, '1', undefined])
      expect(() => clock.advance(ms as never)).toThrow(expect.objectContaining({ code: 'InvalidArgument' }))
    clock.advance(500)
    expect(clock.now()).toBe(1500)
  })
})
