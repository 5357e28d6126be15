import { afterEach, describe, expect, it } from 'vitest'
import type { StartS3Options } from './options.ts'
import { arrival, begin, send, textOf } from './send.fixture.ts'
import { startS3 } from './start-s3.ts'
import type { TestS3 } from './test-s3.ts'

const started: TestS3[] = []

async function start(options: StartS3Options = {}): Promise<TestS3> {
  const s3 = await startS3({ buckets: ['photos'], ...options })
  started.push(s3)
  return s3
}

async function forkOf(template: TestS3): Promise<TestS3> {
  const fork = await template.fork()
  started.push(fork)
  return fork
}

afterEach(async () => {
  for (const s3 of started.splice(0)) await s3.stop()
})

async function keysOf({ store }: TestS3): Promise<string[]> {
  const keys = []
  for await (const entry of store.objects.list('photos')) if ('key' in entry) keys.push(entry.key)
  return keys
}

describe.each([true, false])('a reset (listen: %s)', (listen) => {
  it('brings back what was there at the start, and nothing else', async () => {
    const s3 = await start({ listen })
    await send(s3, 'PUT', '/others')
    await send(s3, 'PUT', '/photos/a', { body: 'a' })
    await s3.reset()
    expect((await send(s3, 'GET', '/')).text.match(/<Name>.*?</g)).toEqual(['<Name>photos<'])
    expect((await send(s3, 'GET', '/photos/a')).status).toBe(404)
    expect((await send(s3, 'PUT', '/photos/a', { body: 'a' })).status).toBe(200)
  })

  it('refuses an upload that it interrupts, so that it is in neither state', async () => {
    const s3 = await start({ listen })
    const before = s3.store
    const arrived = arrival(s3)
    const upload = begin(s3, 'PUT', '/photos/a', { body: 'x'.repeat(100_000), stallsAfter: 50_000 })
    await arrived()
    await s3.reset()
    const answer = await upload
    expect(answer.statusCode).toBe(409)
    expect(await textOf(answer)).toContain('<Code>OperationAborted</Code>')
    expect(await keysOf(s3)).toEqual([])
    await expect.poll(() => before.state).toBe('closed')
  })

  it('cuts a download that it interrupts', async () => {
    const s3 = await start({ listen })
    await s3.store.objects.put('photos', 'long', Buffer.alloc(20_000_000, 'm'))
    const answer = await begin(s3, 'GET', '/photos/long')
    await s3.reset()
    await s3.store.objects.put('photos', 'long', Buffer.alloc(20_000_000, 'w'))
    const received: Buffer[] = []
    const reading = (async () => {
      for await (const chunk of answer) received.push(chunk as Buffer)
    })()
    await expect(reading).rejects.toMatchObject({ code: 'ECONNRESET' })
    const bytes = Buffer.concat(received)
    expect(bytes.length).toBeLessThan(20_000_000)
    expect(bytes.includes('w')).toBe(false)
  })

  it('leaves connections that are idle to the next requests', async () => {
    const s3 = await start({ listen: false })
    const { requestHandler } = s3
    for (let i = 0; i < 3; i++) {
      const answer = await begin(s3, 'PUT', `/photos/${i}`, { body: 'a', requestHandler })
      expect([answer.statusCode, await textOf(answer)]).toEqual([200, ''])
      await s3.reset()
    }
    expect(Object.values(requestHandler.httpAgent.freeSockets).flat()).toHaveLength(1)
  })
})

describe('resets', () => {
  it('follow each other, and a stop follows them', async () => {
    const s3 = await start()
    const outcomes = await Promise.allSettled([s3.reset(), s3.reset(), s3.reset()])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
    const last = s3.reset()
    await Promise.all([last.catch(() => undefined), s3.stop()])
    expect(s3.store.state).toBe('closed')
  })

  it('leave no store open', async () => {
    const s3 = await start()
    const stores = []
    for (let i = 0; i < 20; i++) {
      stores.push(s3.store)
      await s3.reset()
    }
    await s3.stop()
    expect(stores.filter(({ state }) => state !== 'closed')).toEqual([])
  })
})

describe('a fork', () => {
  it('has what its template had, and both go on by themselves', async () => {
    const template = await start({ versioning: 'Enabled' })
    const large = 'x'.repeat(100_000)
    await template.store.objects.put('photos', 'a', 'a')
    await template.store.objects.put('photos', 'large', large)
    const [one, two] = [await forkOf(template), await forkOf(template)]
    expect(one.url).not.toBe(template.url)
    await send(one, 'PUT', '/photos/a', { body: 'changed' })
    await send(one, 'DELETE', '/photos/large')
    await send(template, 'PUT', '/photos/b', { body: 'b' })
    expect((await send(two, 'GET', '/photos/a')).text).toBe('a')
    expect((await send(two, 'GET', '/photos/large')).text).toBe(large)
    expect([await keysOf(template), await keysOf(one), await keysOf(two)]).toEqual([
      ['a', 'b', 'large'],
      ['a'],
      ['a', 'large'],
    ])
    for (const { store } of [template, one, two]) expect(await store.verify()).toMatchObject({ ok: true })
  })

  it('goes back to what it was forked with, and outlives its template', async () => {
    const template = await start()
    await template.store.objects.put('photos', 'a', 'a')
    const fork = await forkOf(template)
    await template.stop()
    await fork.store.objects.put('photos', 'b', 'b')
    const forkOfFork = await forkOf(fork)
    await fork.reset()
    expect([await keysOf(fork), await keysOf(forkOfFork)]).toEqual([['a'], ['a', 'b']])
    await forkOfFork.store.objects.delete('photos', 'a')
    await forkOfFork.reset()
    expect(await keysOf(forkOfFork)).toEqual(['a', 'b'])
  })

  it('can complete an upload that its template began, whatever becomes of it there', async () => {
    const template = await start()
    const { uploadId } = await template.store.uploads.create('photos', 'film')
    const place = { bucket: 'photos', key: 'film', uploadId }
    const { etag } = await template.store.uploads.uploadPart(place, 1, 'x'.repeat(50_000))
    const fork = await forkOf(template)
    await template.store.uploads.abort(place)
    await template.store.sweep()
    await fork.store.uploads.complete(place, [{ partNumber: 1, etag }])
    expect((await send(fork, 'GET', '/photos/film')).text).toHaveLength(50_000)
  })

  it('may have a port where its template has none', async () => {
    const template = await start({ listen: false })
    const fork = await template.fork({ listen: true })
    started.push(fork)
    expect(template.port).toBeUndefined()
    expect(fork.url).toBe(`http://127.0.0.1:${fork.port}`)
    for (const options of [5, { bucket: 'photos' }, { port: -1 }]) {
      await expect(template.fork(options as never)).rejects.toMatchObject({ code: 'InvalidArgument' })
    }
  })
})

describe('the cost of a reset and of a fork', () => {
  const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] as number

  it('is that of an empty server, however many objects there are', async () => {
    const [empty, full] = [await start({ listen: false }), await start({ listen: false })]
    for (let i = 0; i < 2000; i++) await full.store.objects.put('photos', `cat-${i}`, 'a cat')
    const times = new Map<TestS3, number[]>([
      [empty, []],
      [full, []],
    ])
    // In turns, so that a busy machine slows both.
    for (let i = 0; i < 40; i++) {
      for (const [template, taken] of times) {
        const began = performance.now()
        const fork = await template.fork()
        await fork.reset()
        taken.push(performance.now() - began)
        await fork.stop()
      }
    }
    // A copy of the rows, or a check of every event, takes fifty times as long.
    expect(median(times.get(full) ?? []) / median(times.get(empty) ?? [])).toBeLessThan(8)
  })
})
