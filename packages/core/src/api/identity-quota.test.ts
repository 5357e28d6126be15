import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from './answers.fixture.ts'
import { type MemoryPorts, memoryJournal, memoryPorts, memorySecrets } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

let ports: MemoryPorts
let store: Store

const ann = { by: { id: 'a1', name: 'ann' } }
const bob = { by: { id: 'b1', name: 'bob' } }

beforeEach(async () => {
  ports = { ...memoryPorts(), secrets: memorySecrets(new Map()) }
  store = await openEngine(ports, { inlineMax: 8, retentionMs: 1e9 })
  await store.identities.create('ann', { id: 'a1' })
  await store.identities.create('bob', { id: 'b1' })
  await store.identities.setQuota('ann', { bytes: 100, buckets: 2 })
  await store.as(ann).buckets.create('one')
})

const put = (bucket: string, key: string, size: number) => store.as(ann).objects.put(bucket, key, 'x'.repeat(size))
const usage = async () => (await store.identities.get('ann')).usage

const unread = {
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    throw new Error('The body was read.')
  },
}

describe('the bytes of an identity', () => {
  it('are those of all its buckets together, old versions and parts included', async () => {
    await store.as(ann).buckets.create('two', { versioning: 'Enabled' })
    await put('one', 'a', 40)
    await put('two', 'a', 20)
    await put('two', 'a', 20)
    const upload = await store.as(ann).uploads.create('one', 'parts')
    await store.as(ann).uploads.uploadPart(upload, 1, 'x'.repeat(20))
    expect(await usage()).toEqual({ bytes: 100, buckets: 2 })
    expect(await codeOf(put('one', 'b', 1))).toBe('QuotaExceeded')
    expect(await codeOf(put('two', 'b', 1))).toBe('QuotaExceeded')
    expect(await codeOf(store.as(ann).uploads.uploadPart(upload, 2, 'x'))).toBe('QuotaExceeded')
    await store.as(ann).objects.delete('one', 'a')
    await put('two', 'b', 40)
  })

  it('include what others write into its buckets, and nothing that it writes into those of others', async () => {
    await store.as(bob).buckets.create('of-bob')
    await store.as(bob).objects.put('one', 'a', 'x'.repeat(90))
    await put('of-bob', 'a', 500)
    expect(await codeOf(store.as(bob).objects.put('one', 'b', 'x'.repeat(11)))).toBe('QuotaExceeded')
    expect(await usage()).toEqual({ bytes: 90, buckets: 1 })
    expect((await store.identities.get('bob')).usage).toEqual({ bytes: 500, buckets: 1 })
  })

  it('are checked before the body is read, if its size is known or there is no room', async () => {
    await put('one', 'a', 60)
    expect(await codeOf(store.objects.put('one', 'b', unread, { size: 41 }))).toBe('QuotaExceeded')
    await expect(store.objects.put('one', 'b', unread, { size: 40 })).rejects.toThrow('The body was read.')
    const upload = await store.uploads.create('one', 'c')
    expect(await codeOf(store.uploads.uploadPart(upload, 1, unread, { size: 41 }))).toBe('QuotaExceeded')
  })

  it('never exceed the quota by writes at once into several buckets', async () => {
    await store.as(ann).buckets.create('two')
    const writes = Array.from({ length: 24 }, (_, i) => put(i % 2 === 0 ? 'one' : 'two', `k${i}`, 3 + ((i * 7) % 30)))
    const ended = await Promise.allSettled(writes)
    expect(ended.some(({ status }) => status === 'rejected')).toBe(true)
    const { bytes } = await usage()
    expect(bytes).toBeLessThanOrEqual(100)
    expect(bytes).toBe((await store.usage()).live)
  })

  it('are no reason for a transaction to conflict with writes of other keys, and limit it', async () => {
    await store.as(ann).buckets.create('two', { settings: { Quota: { bytes: 50 } } })
    let calls = 0
    await store.transaction(async (own) => {
      calls++
      await own.objects.put('two', 'mine', 'x'.repeat(20))
      await put('one', 'other', 20)
      await put('two', 'other', 20)
    })
    expect(calls).toBe(1)
    const tooMuch = store.transaction(async (own) => {
      await own.objects.put('one', 'mine', 'x'.repeat(20))
      await own.objects.put('one', 'mine too', 'x'.repeat(21))
    })
    expect(await codeOf(tooMuch)).toBe('QuotaExceeded')
    expect((await usage()).bytes).toBe(60)
  })

  it('hold beside the quota of a bucket', async () => {
    await store.buckets.settings.put('one', 'Quota', { bytes: 10 })
    expect(await codeOf(put('one', 'a', 11))).toBe('QuotaExceeded')
    await store.buckets.settings.put('one', 'Quota', { bytes: 1000 })
    expect(await codeOf(put('one', 'a', 101))).toBe('QuotaExceeded')
    await put('one', 'a', 100)
  })

  it('do not limit a restore, and a fork has none of its own', async () => {
    await put('one', 'a', 60)
    const { seq } = store
    await store.as(ann).objects.delete('one', 'a')
    await put('one', 'b', 60)
    await store.restore({ bucket: 'one', to: seq })
    expect((await usage()).bytes).toBe(60)
    await store.as(ann).buckets.fork('one', 'try')
    expect(await usage()).toEqual({ bytes: 60, buckets: 2 })
    await put('try', 'c', 40)
    expect(await codeOf(put('try', 'd', 1))).toBe('QuotaExceeded')
  })
})

describe('the buckets of an identity', () => {
  it('are as many as its quota, whether they are created or forked', async () => {
    await store.as(ann).buckets.fork('one', 'two')
    expect(await codeOf(store.as(ann).buckets.create('three'))).toBe('TooManyBuckets')
    expect(await codeOf(store.as(ann).buckets.fork('one', 'three'))).toBe('TooManyBuckets')
    expect(await codeOf(store.as(ann).buckets.create('one'))).toBe('BucketAlreadyOwnedByYou')
    await store.as(bob).buckets.create('three')
    await store.as(ann).buckets.drop('two')
    await store.as(ann).buckets.create('four')
    await store.as(ann).buckets.delete('four')
    await store.as(ann).buckets.create('five')
    expect((await usage()).buckets).toBe(2)
  })

  it('never are more, however many are created at once', async () => {
    const ended = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) => store.as(ann).buckets.create(`new-${i}`)),
    )
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await usage()).buckets).toBe(2)
  })

  it('count when an undo brings one back, which no quota refuses', async () => {
    const { seq } = store
    await store.as(ann).buckets.delete('one')
    await store.as(ann).buckets.create('two')
    await store.as(ann).buckets.create('three')
    await store.undo({ bucket: 'one', from: seq })
    expect((await usage()).buckets).toBe(3)
    expect(await codeOf(store.as(ann).buckets.create('four'))).toBe('TooManyBuckets')
  })
})

describe('the quota of an identity', () => {
  it('counts what was there before it was set, and removes nothing', async () => {
    await store.identities.setQuota('ann', {})
    await put('one', 'a', 150)
    expect((await store.identities.setQuota('ann', { bytes: 100 })).quota).toEqual({ bytes: 100 })
    expect(await codeOf(put('one', 'b', 1))).toBe('QuotaExceeded')
    expect(await (await store.objects.get('one', 'a')).text()).toHaveLength(150)
    expect(await store.identities.setQuota('ann', {})).not.toHaveProperty('quota')
    await put('one', 'b', 1)
  })

  it('is an event with its actor, once for the same limits, and no undo takes it back', async () => {
    const { seq } = store
    await store.as(bob).identities.setQuota('ann', { bytes: 5 })
    await store.as(bob).identities.setQuota('ann', { bytes: 5 })
    const events = []
    for await (const event of store.log({ from: seq })) events.push(event)
    expect(events.filter(({ seq: each }) => each > seq)).toMatchObject([
      { type: 'IdentityQuotaSet', by: { id: 'b1' }, data: { id: 'a1', bytes: 5 } },
    ])
    expect(await codeOf(store.undo({ from: seq }))).toBe('NotUndoable')
    expect((await store.identities.get('ann')).quota).toEqual({ bytes: 5 })
  })

  it('is one of an identity of the log, and ends with it', async () => {
    expect(await codeOf(store.identities.setQuota('none', { bytes: 5 }))).toBe('NoSuchEntity')
    expect(await codeOf(store.identities.setQuota('ann', { bytes: -1 }))).toBe('InvalidArgument')
    await store.identities.remove('ann')
    await store.as(bob).objects.put('one', 'a', 'x'.repeat(101))
  })

  it('and what counts for it are the same after the store is opened again and its views are made again', async () => {
    await put('one', 'a', 30)
    await store.as(ann).buckets.create('two')
    await store.as(ann).objects.copy({ bucket: 'one', key: 'a' }, 'two', 'a')
    await store.as(ann).objects.delete('one', 'a')
    const before = await store.identities.list()
    expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ divergences: [] })
    await store.rebuild()
    expect(await store.identities.list()).toEqual(before)
    expect(before[0]).toMatchObject({ quota: { bytes: 100, buckets: 2 }, usage: { bytes: 30, buckets: 2 } })
  })

  it('costs a write no read of the medium if no identity has one', async () => {
    await store.identities.setQuota('ann', {})
    await put('one', 'a', 3)
    await put('one', 'a', 3)
    const read: string[] = []
    const { get } = ports.journal
    ports.journal.get = (key) => {
      read.push(Buffer.from(key).toString('hex'))
      return get.call(ports.journal, key)
    }
    await put('one', 'a', 3)
    expect(read.filter((key) => key.startsWith('1f') || key.startsWith('4b'))).toEqual([])
  })
})

describe('a bucket that is made for an identity', () => {
  it('is owned by it, counts for its quota, and was made by the caller', async () => {
    const owner = { id: 'a1', name: 'ann' }
    expect(await store.buckets.create('two', { owner })).toMatchObject({ owner })
    expect(await usage()).toMatchObject({ buckets: 2 })
    expect(await codeOf(store.buckets.ensure('three', { owner }))).toBe('TooManyBuckets')
    expect(await codeOf(store.as(ann).buckets.create('two'))).toBe('BucketAlreadyOwnedByYou')
    expect(await codeOf(store.buckets.create('two'))).toBe('BucketAlreadyExists')
    for await (const event of store.log({ types: ['BucketCreated'], bucket: 'two' })) expect(event.by.id).toBe('local')
  })

  it.each([{ id: '' }, 'ann', { name: 'ann' }, { id: 'a1', name: 'ann', more: 1 }])(
    'is refused for %o',
    async (owner) => {
      expect(await codeOf(store.buckets.create('two', { owner } as never))).toBe('InvalidArgument')
    },
  )
})
