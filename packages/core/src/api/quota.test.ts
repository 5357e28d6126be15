import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from './answers.fixture.ts'
import { memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

let store: Store

beforeEach(async () => {
  store = await openEngine(memoryPorts(), { inlineMax: 8, retentionMs: 1e9 })
  await store.buckets.create('box', { settings: { Quota: { bytes: 100, objectBytes: 60 } } })
})

const put = (key: string, size: number, options = {}) => store.objects.put('box', key, 'x'.repeat(size), options)
const live = async () => (await store.usage({ bucket: 'box' })).live
const unread = {
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    throw new Error('The body was read.')
  },
}

describe('a quota', () => {
  it('lets a bucket be filled to the last byte, and refuses the next one', async () => {
    await put('a', 60)
    await put('b', 40)
    expect(await codeOf(put('c', 1))).toBe('QuotaExceeded')
    await put('c', 0)
    expect(await live()).toBe(100)
  })

  it('counts older versions, and what was removed no more', async () => {
    await store.buckets.setVersioning('box', 'Enabled')
    const { versionId } = await put('a', 50)
    await put('a', 50)
    expect(await codeOf(put('a', 1))).toBe('QuotaExceeded')
    await store.versions.delete('box', 'a', versionId)
    await put('b', 50)
  })

  it('needs room for both when an object is overwritten, and has the room of the old one after that', async () => {
    await put('a', 50)
    await put('a', 50)
    expect(await live()).toBe(50)
    await store.objects.put('box', 'b', 'x'.repeat(30))
    expect(await codeOf(put('a', 21))).toBe('QuotaExceeded')
  })

  it('limits the size of an object, also of a copy and of one that is made of parts', async () => {
    expect(await codeOf(put('a', 61))).toBe('QuotaExceeded')
    await store.buckets.create('other')
    await store.objects.put('other', 'large', 'x'.repeat(61))
    expect(await codeOf(store.objects.copy({ bucket: 'other', key: 'large' }, 'box', 'a'))).toBe('QuotaExceeded')
    const upload = await store.uploads.create('box', 'a')
    const parts = await Promise.all(
      [1, 2].map(async (partNumber) => {
        const { etag } = await store.uploads.uploadPart(upload, partNumber, 'x'.repeat(40))
        return { partNumber, etag }
      }),
    )
    expect(await codeOf(store.uploads.complete(upload, parts, { partSizeMin: 1 }))).toBe('QuotaExceeded')
    expect(await codeOf(store.uploads.uploadPart(upload, 3, 'x'.repeat(21)))).toBe('QuotaExceeded')
    await store.uploads.abort(upload)
    await put('b', 60)
  })

  it('refuses a write before its first byte is read, if its size is known or the bucket is full', async () => {
    await put('a', 60)
    expect(await codeOf(store.objects.put('box', 'b', unread, { size: 41 }))).toBe('QuotaExceeded')
    const upload = await store.uploads.create('box', 'c')
    expect(await codeOf(store.uploads.uploadPart(upload, 1, unread, { size: 41 }))).toBe('QuotaExceeded')
    await expect(store.objects.put('box', 'b', unread, { size: 40 })).rejects.toThrow('The body was read.')
    expect(await codeOf(put('b', 39, { size: 40 }))).toBe('IncompleteBody')
    expect(await live()).toBe(60)
  })

  it('is never exceeded by writes at once, whatever their sizes', async () => {
    for (let round = 0; round < 20; round++) {
      const bucket = `box-${round}`
      const bytes = 50 + ((round * 37) % 200)
      await store.buckets.create(bucket, { settings: { Quota: { bytes } } })
      const upload = await store.uploads.create(bucket, 'parts')
      const writes = Array.from({ length: 12 }, (_, i) => {
        const body = 'x'.repeat(1 + ((round * 31 + i * 17) % 60))
        if (i % 3 === 0) return store.uploads.uploadPart(upload, i + 1, body)
        return store.objects.put(bucket, `k${i % 5}`, body)
      })
      const codes = (await Promise.allSettled(writes)).flatMap((one) =>
        one.status === 'rejected' ? [(one.reason as { code: string }).code] : [],
      )
      expect(new Set(codes)).toEqual(codes.length === 0 ? new Set() : new Set(['QuotaExceeded']))
      expect((await store.usage({ bucket })).live).toBeLessThanOrEqual(bytes)
    }
  })

  it('has a limit, and counts from the moment it is set', async () => {
    expect(await codeOf(store.buckets.settings.put('box', 'Quota', {}))).toBe('InvalidArgument')
    expect(await codeOf(store.buckets.settings.put('box', 'Quota', { bytes: -1 }))).toBe('InvalidArgument')
    await put('a', 60)
    await store.buckets.settings.put('box', 'Quota', { bytes: 10 })
    expect(await codeOf(put('b', 1))).toBe('QuotaExceeded')
    expect(await (await store.objects.get('box', 'a')).text()).toHaveLength(60)
    await store.buckets.settings.remove('box', 'Quota')
    await put('b', 61)
  })
})

describe('a quota of versions', () => {
  beforeEach(async () => {
    await store.buckets.settings.put('box', 'Quota', { objects: 2 })
  })

  it('counts every version but no delete marker, and a removed version no more', async () => {
    await store.buckets.setVersioning('box', 'Enabled')
    const { versionId } = await put('a', 1)
    await put('a', 0)
    expect(await codeOf(put('a', 1))).toBe('QuotaExceeded')
    await store.objects.delete('box', 'a')
    expect(await codeOf(put('b', 1))).toBe('QuotaExceeded')
    await store.versions.delete('box', 'a', versionId)
    await put('b', 1)
    expect(await store.usage({ bucket: 'box' })).toMatchObject({ versions: 2 })
  })

  it('lets a full bucket replace an object that has one version, but add none', async () => {
    await put('a', 1)
    await put('b', 1)
    await put('a', 2)
    expect(await codeOf(put('c', 1))).toBe('QuotaExceeded')
    await store.objects.delete('box', 'b')
    await put('c', 1)
  })

  it('holds for copies, for objects of parts and before the body is read', async () => {
    await put('a', 1)
    const upload = await store.uploads.create('box', 'parts')
    const { etag } = await store.uploads.uploadPart(upload, 1, 'x')
    await put('b', 1)
    expect(await codeOf(store.objects.copy({ bucket: 'box', key: 'a' }, 'box', 'c'))).toBe('QuotaExceeded')
    expect(await codeOf(store.uploads.complete(upload, [{ partNumber: 1, etag }]))).toBe('QuotaExceeded')
    expect(await codeOf(store.objects.put('box', 'c', unread))).toBe('QuotaExceeded')
    await expect(store.objects.put('box', 'a', unread)).rejects.toThrow('The body was read.')
    await store.objects.delete('box', 'b')
    await store.uploads.complete(upload, [{ partNumber: 1, etag }])
  })

  it('is never exceeded by writes at once', async () => {
    const writes = Array.from({ length: 20 }, (_, i) => put(`k${i}`, i % 3))
    const ended = await Promise.allSettled(writes)
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect(await store.usage({ bucket: 'box' })).toMatchObject({ versions: 2 })
  })

  it('begins at nothing in a fork, whose versions count when they are added', async () => {
    await put('a', 1)
    await put('b', 1)
    await store.buckets.fork('box', 'try')
    await store.objects.put('try', 'a', 'x')
    await store.objects.delete('try', 'b')
    expect(await store.usage({ bucket: 'try' })).toMatchObject({ versions: 1 })
    await store.objects.put('try', 'c', 'x')
    expect(await codeOf(store.objects.put('try', 'b', 'x'))).toBe('QuotaExceeded')
    expect(await store.usage({ bucket: 'box' })).toMatchObject({ versions: 2 })
  })

  it('does not limit an undo', async () => {
    await put('a', 1)
    await put('b', 1)
    const { seq } = store
    await store.objects.delete('box', 'a')
    await put('c', 1)
    await store.undo({ bucket: 'box', prefix: 'a', from: seq })
    expect(await store.usage({ bucket: 'box' })).toMatchObject({ versions: 3 })
  })
})

describe('a quota of uploads', () => {
  beforeEach(async () => {
    await store.buckets.settings.put('box', 'Quota', { uploads: 2 })
  })

  it('counts the uploads in progress, not those that were completed or aborted', async () => {
    const [one, other] = [await store.uploads.create('box', 'a'), await store.uploads.create('box', 'a')]
    expect(await codeOf(store.uploads.create('box', 'b'))).toBe('QuotaExceeded')
    await store.uploads.abort(one)
    const { etag } = await store.uploads.uploadPart(other, 1, 'x')
    await store.uploads.create('box', 'b')
    expect(await codeOf(store.uploads.create('box', 'c'))).toBe('QuotaExceeded')
    await store.uploads.complete(other, [{ partNumber: 1, etag }])
    await store.uploads.create('box', 'c')
    expect(await store.usage({ bucket: 'box' })).toMatchObject({ uploads: 2 })
  })

  it('is never exceeded by uploads that start at once', async () => {
    const starts = Array.from({ length: 20 }, (_, i) => store.uploads.create('box', `k${i}`))
    const ended = await Promise.allSettled(starts)
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect(await store.usage({ bucket: 'box' })).toMatchObject({ uploads: 2 })
  })

  it('does not count the uploads of an earlier bucket of the name', async () => {
    await store.uploads.create('box', 'a')
    await store.uploads.create('box', 'a')
    await store.buckets.delete('box')
    await store.buckets.create('box', { settings: { Quota: { uploads: 1 } } })
    await store.uploads.create('box', 'a')
    expect(await codeOf(store.uploads.create('box', 'a'))).toBe('QuotaExceeded')
  })
})
