/** Calls about many objects, and about what is there, on a store of this process and on one of another process. */
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { isStorageError } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { attachStore } from '../attached/attach-store.ts'
import type { AttachedStore } from '../attached/attached-store.ts'
import { openStore } from './open-store.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import type { Store } from '@varve/core'

const scratch = scratchDirectory()
let owner: Store
let store: Store | AttachedStore

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'it succeeded',
    (error: unknown) => (isStorageError(error) ? error.code : error),
  )

async function keys(bucket = 'box'): Promise<readonly string[]> {
  const found: string[] = []
  for await (const entry of store.objects.list(bucket)) if (entry.kind === 'object') found.push(entry.key)
  return found
}

const put = (key: string, bucket = 'box') => store.objects.put(bucket, key, key)

describe.each(['of this process', 'of another process'])('a store %s', (which) => {
  beforeEach(async () => {
    owner = await openStore(scratch.next())
    store = which === 'of this process' ? owner : await attachStore(owner.dir ?? '')
    await store.buckets.create('box')
  })
  afterEach(async () => {
    await store.close()
    await owner.close()
  })

  describe('buckets.ensure', () => {
    it('creates a bucket with its options, and returns one that is there', async () => {
      const made = await store.buckets.ensure('photos', { versioning: 'Enabled' })
      expect(made).toMatchObject({ name: 'photos', versioning: 'Enabled' })
      expect(await store.buckets.ensure('photos', { versioning: 'Enabled' })).toEqual(made)
    })

    it('changes nothing of a bucket that exists, also one of another owner', async () => {
      const other = store.as({ by: { id: 'other', name: 'Other' } })
      await other.buckets.create('theirs')
      const before = owner.seq
      const found = await store.buckets.ensure('theirs', { versioning: 'Enabled' })
      expect(found).toMatchObject({ owner: { id: 'other' } })
      expect(found).not.toHaveProperty('versioning')
      expect(owner.seq).toBe(before)
    })

    it('creates one bucket for many callers at once', async () => {
      const found = await Promise.all(Array.from({ length: 20 }, () => store.buckets.ensure('shared')))
      expect(new Set(found.map(({ createdAt }) => createdAt.getTime())).size).toBe(1)
    })

    it('refuses names and options that are wrong, also where the bucket is there', async () => {
      expect(await codeOf(store.buckets.ensure('A'))).toBe('InvalidBucketName')
      expect(await codeOf(store.buckets.ensure('box', { versioning: 'Sometimes' } as never))).toBe('InvalidArgument')
    })
  })

  it('knows which buckets and objects are there', async () => {
    await put('a')
    expect(await store.buckets.exists('box')).toBe(true)
    expect(await store.buckets.exists('none')).toBe(false)
    expect(await store.objects.exists('box', 'a')).toBe(true)
    expect(await store.objects.exists('box', 'b')).toBe(false)
    expect(await codeOf(store.objects.exists('none', 'a'))).toBe('NoSuchBucket')
    expect(await codeOf(store.objects.exists('box', 5 as never))).toBe('InvalidArgument')
  })

  it('takes a delete marker for no object, and knows versions and the past', async () => {
    await store.buckets.setVersioning('box', 'Enabled')
    const { versionId, seq } = await put('a')
    await store.objects.delete('box', 'a')
    expect(await store.objects.exists('box', 'a')).toBe(false)
    expect(await store.objects.exists('box', 'a', { versionId })).toBe(true)
    expect(await (await store.at(seq)).objects.exists('box', 'a')).toBe(true)
    expect(await (await store.at(seq)).buckets.exists('box')).toBe(true)
  })

  describe('deletePrefix', () => {
    it('deletes every key beneath a prefix, and no other', async () => {
      await Promise.all(['a/1', 'a/2', 'a/', 'a', 'b/1', 'a0'].map((key) => put(key)))
      const done: number[] = []
      const removal = await store.deletePrefix('box', 'a/', { onProgress: (one) => done.push(one.done) })
      expect(removal).toMatchObject({ deleted: 3, failed: [], refused: 0 })
      expect(done).toEqual([3])
      expect(await keys()).toEqual(['a', 'a0', 'b/1'])
    })

    it('is taken back by one undo', async () => {
      await Promise.all(Array.from({ length: 1200 }, (_, i) => put(`k${i}`)))
      const before = await keys()
      const { id, deleted } = await store.deletePrefix('box', '')
      expect([deleted, await keys()]).toEqual([1200, []])
      await store.undo({ requestId: id, inParts: true })
      expect(await keys()).toEqual(before)
    })

    it('has the request id that the caller chose', async () => {
      await put('a')
      const mine = store.as({ by: { id: 'me', name: 'Me' }, requestId: 'spring-clean' })
      expect(await mine.deletePrefix('box', '')).toMatchObject({ id: 'spring-clean', deleted: 1 })
    })

    it('ends at its signal, and refuses wrong arguments', async () => {
      await put('a')
      const reason = new Error('enough')
      expect(await codeOf(store.deletePrefix('box', '', { signal: AbortSignal.abort(reason) }))).toBe(reason)
      expect(await codeOf(store.deletePrefix('none', ''))).toBe('NoSuchBucket')
      expect(await codeOf(store.deletePrefix('box', undefined as never))).toBe('InvalidArgument')
      expect(await keys()).toEqual(['a'])
    })
  })

  describe('emptyBucket', () => {
    it('removes versions, delete markers and uploads, so that the bucket can be deleted', async () => {
      await store.buckets.setVersioning('box', 'Enabled')
      await put('a')
      await put('a')
      await store.objects.delete('box', 'a')
      await store.uploads.create('box', 'large')
      expect(await store.emptyBucket('box')).toMatchObject({ deleted: 3, aborted: 1, refused: 0 })
      await store.buckets.delete('box')
      expect(await store.buckets.exists('box')).toBe(false)
    })

    it('leaves and lists what is locked', async () => {
      await store.buckets.create('locked', { versioning: 'Enabled', settings: { ObjectLock: {} } })
      await put('free', 'locked')
      const { versionId } = await store.objects.put('locked', 'held', 'h', { legalHold: 'ON' })
      const { deleted, failed, refused } = await store.emptyBucket('locked')
      expect({ deleted, refused }).toEqual({ deleted: 1, refused: 1 })
      expect(failed).toMatchObject([{ key: 'held', versionId, error: { code: 'AccessDenied' } }])
      expect(await keys('locked')).toEqual(['held'])
    })

    it('removes versions under GOVERNANCE where that is asked for', async () => {
      await store.buckets.create('locked', { versioning: 'Enabled', settings: { ObjectLock: {} } })
      const until = Date.now() + 1e9
      await store.objects.put('locked', 'kept', 'k', { retention: { mode: 'GOVERNANCE', until } })
      expect(await store.emptyBucket('locked')).toMatchObject({ deleted: 0, refused: 1 })
      expect(await store.emptyBucket('locked', { bypassGovernance: true })).toMatchObject({ deleted: 1, refused: 0 })
    })
  })

  it('says how many bytes of a body it has taken', async () => {
    const seen: number[] = []
    const onProgress = ({ bytes }: { readonly bytes: number }) => seen.push(bytes)
    const body = Readable.from([randomBytes(10), randomBytes(200_000), randomBytes(1)])
    await store.objects.put('box', 'a', body, { onProgress })
    expect(seen).toEqual([10, 200_010, 200_011])
    const upload = await store.uploads.create('box', 'b')
    await store.uploads.uploadPart(upload, 1, 'four', { onProgress })
    expect(seen.at(-1)).toBe(4)
  })

  it('ends a write whose progress cannot be told', async () => {
    const body = Readable.from([randomBytes(10), randomBytes(10)])
    const failure = new Error('the window is gone')
    const onProgress = () => {
      throw failure
    }
    expect(await codeOf(store.objects.put('box', 'a', body, { onProgress }))).toBe(failure)
    expect(body.destroyed).toBe(true)
    expect(await store.objects.exists('box', 'a')).toBe(false)
  })
})
