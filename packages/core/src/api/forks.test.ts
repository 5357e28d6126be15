import { beforeEach, describe, expect, it } from 'vitest'
import { limits } from '../base/limits.ts'
import { stepsMax } from '../views/versions-in.ts'
import { everySetting } from '../settings/settings.fixture.ts'
import { codeOf, list } from './answers.fixture.ts'
import { type MemoryPorts, memoryJournal, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

let ports: MemoryPorts
let store: Store

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 0, retentionMs: 0 })
  await store.buckets.create('box')
})

const put = (key: string, body: string, bucket = 'box') => store.objects.put(bucket, key, body)
const text = async (bucket: string, key: string, versionId?: string) =>
  (await store.objects.get(bucket, key, { ...(versionId !== undefined && { versionId }) })).text()
const keysOf = async (bucket: string) =>
  (await list(store.objects.list(bucket))).map((entry) => 'key' in entry && entry.key)
const blobs = (): number => ports.blobs.bytes.size

/** The stored rows and counters are those that the log makes. */
async function expectWhole(): Promise<void> {
  await store.sweep()
  expect((await store.verify({ scratch: memoryJournal() })).divergences).toEqual([])
}

describe('a fork', () => {
  it('begins as its base is, and both change independently', async () => {
    await put('a', 'one')
    await put('b', 'two')
    const seq = store.seq + 1
    expect(await store.buckets.fork('box', 'try')).toMatchObject({ name: 'try', base: { bucket: 'box', seq } })
    await put('a', 'mine', 'try')
    await put('b', 'theirs')
    await put('c', 'new')
    await store.objects.delete('box', 'a')
    expect([await text('try', 'a'), await text('try', 'b'), await keysOf('try')]).toEqual(['mine', 'two', ['a', 'b']])
    expect([await text('box', 'b'), await keysOf('box')]).toEqual(['theirs', ['b', 'c']])
    await store.objects.delete('try', 'b')
    expect(await keysOf('try')).toEqual(['a'])
    await expectWhole()
  })

  it('begins as its base was at a moment', async () => {
    await put('a', 'one')
    await store.snapshots.create('before')
    await put('a', 'two')
    await store.buckets.fork('box', 'try', { at: 'before' })
    expect(await text('try', 'a')).toBe('one')
    await expect(store.buckets.fork('box', 'never', { at: store.seq + 1 })).rejects.toMatchObject({
      code: 'MomentOutOfRange',
    })
  })

  it('is written with the same few rows, whatever its base has', async () => {
    const rowsOf = async (name: string): Promise<number> => {
      const before = new Map(ports.journal.rows)
      await store.buckets.fork('box', name)
      return [...ports.journal.rows].filter(([key, row]) => before.get(key) !== row).length
    }
    const few = await rowsOf('empty')
    for (let i = 0; i < 50; i++) await put(`k${i}`, 'x')
    expect(await rowsOf('full')).toBe(few)
  })

  it('has the settings of its base, apart from those that act by themselves', async () => {
    await store.buckets.create('set', { versioning: 'Enabled' })
    const { settings } = store.buckets
    await settings.put('set', 'Tags', [{ key: 'k', value: 'v' }])
    await settings.put('set', 'Logging', { targetBucket: 'box', targetPrefix: '' })
    await settings.put('set', 'Lifecycle', everySetting.Lifecycle)
    await store.buckets.fork('set', 'try')
    await settings.put('set', 'Tags', [])
    expect(await store.buckets.getVersioning('try')).toBe('Enabled')
    expect(await settings.all('try')).toEqual({ Tags: [{ key: 'k', value: 'v' }] })
  })

  it('shows versions of its base under their ids, and removes them for itself alone', async () => {
    await store.buckets.setVersioning('box', 'Enabled')
    const old = await put('a', 'old')
    const now = await put('a', 'now')
    await store.buckets.fork('box', 'try')
    await store.versions.delete('try', 'a', now.versionId)
    expect(await text('try', 'a')).toBe('old')
    expect(await codeOf(text('try', 'a', now.versionId))).toBe('NoSuchVersion')
    await store.objects.annotate('try', 'a', { kind: 'tags', value: [{ key: 'k', value: 'v' }] })
    expect((await store.objects.annotations('try', 'a', { versionId: old.versionId })).tags).toEqual([
      { key: 'k', value: 'v' },
    ])
    expect((await store.objects.annotations('box', 'a', { versionId: old.versionId })).tags).toBeUndefined()
    expect(await text('box', 'a')).toBe('now')
    await store.undo({ from: store.seq - 2 })
    expect(await text('try', 'a')).toBe('now')
    await expectWhole()
  })

  it('obeys the locks of the versions of its base', async () => {
    await store.buckets.create('locked', { versioning: 'Enabled', settings: { ObjectLock: {} } })
    const { versionId } = await store.objects.put('locked', 'a', 'x', { legalHold: 'ON' })
    await store.buckets.fork('locked', 'try')
    await store.objects.annotate('locked', 'a', { kind: 'legalHold', value: 'OFF' })
    expect(await codeOf(store.versions.delete('try', 'a', versionId))).toBe('AccessDenied')
    await store.objects.annotate('try', 'a', { kind: 'legalHold', value: 'OFF' })
    await store.versions.delete('try', 'a', versionId)
    expect(await list(store.versions.list('try'))).toEqual([])
    expect(await codeOf(store.buckets.delete('locked'))).toBe('BucketNotEmpty')
  })

  it('refuses conditional writes and completed uploads by what its base has', async () => {
    await put('a', 'one')
    await store.buckets.fork('box', 'try')
    expect(await codeOf(store.objects.put('try', 'a', 'x', { ifNoneMatch: '*' }))).toBe('PreconditionFailed')
    const upload = await store.uploads.create('try', 'a')
    const part = await store.uploads.uploadPart(upload, 1, 'x')
    await store.objects.delete('try', 'a')
    const completing = store.uploads.complete(upload, [part], { ifNoneMatch: '*' })
    expect(await codeOf(completing)).toBe('ConditionalRequestConflict')
  })

  it('is the source of copies that share the bytes of its base', async () => {
    await put('a', 'one')
    await store.buckets.fork('box', 'try')
    await store.objects.delete('box', 'a')
    await store.objects.copy({ bucket: 'try', key: 'a' }, 'box', 'b')
    expect([await text('box', 'b'), blobs()]).toEqual(['one', 1])
    await store.buckets.drop('try')
    await store.sweep()
    expect([await text('box', 'b'), blobs()]).toEqual(['one', 1])
    await expectWhole()
  })

  it('is seen by a transaction that creates it, with the writes of the transaction', async () => {
    await put('a', 'one')
    await store.transaction(async ({ buckets, objects }) => {
      await objects.put('box', 'a', 'two')
      await buckets.fork('box', 'try')
      await objects.put('box', 'a', 'three')
      expect(await (await objects.get('try', 'a')).text()).toBe('two')
      await objects.delete('try', 'a')
    })
    expect([await keysOf('try'), await text('box', 'a')]).toEqual([[], 'three'])
    await expectWhole()
  })

  it('has a history of a key that begins in its base', async () => {
    await put('a', 'one')
    await put('a', 'two')
    await store.buckets.fork('box', 'try')
    await put('a', 'three')
    await store.objects.delete('try', 'a')
    const found = await list(store.history('try', 'a'))
    expect(found.map(({ type, data }) => [type, 'bucket' in data && data.bucket])).toEqual([
      ['VersionAdded', 'box'],
      ['VersionAdded', 'box'],
      ['VersionRemoved', 'try'],
    ])
  })

  it('differs from the time before it by all that it shows', async () => {
    await put('a', 'one')
    const before = store.seq
    await store.buckets.fork('box', 'try')
    const found = await list(store.diff({ bucket: 'try' }, before, store.seq))
    expect(found).toMatchObject([
      { kind: 'bucket', change: 'created' },
      { kind: 'added', key: 'a' },
    ])
  })

  it('is restored to a time when its name had another bucket, and that bucket to a time when it was a fork', async () => {
    store = await openEngine(memoryPorts(), { inlineMax: 0, retentionMs: 1_000_000 })
    await store.buckets.create('box')
    await put('a', 'of the base')
    await store.buckets.create('try')
    await put('b', 'of the first', 'try')
    const first = store.seq
    await store.objects.delete('try', 'b')
    await store.buckets.delete('try')
    await store.buckets.fork('box', 'try')
    const forked = store.seq
    await store.restore({ bucket: 'try', to: first })
    expect([await keysOf('try'), await text('try', 'b')]).toEqual([['b'], 'of the first'])
    await store.buckets.drop('try')
    await store.sweep()
    await store.buckets.create('try')
    await store.restore({ bucket: 'try', to: forked })
    expect([await keysOf('try'), await text('try', 'a')]).toEqual([['a'], 'of the base'])
    await expectWhole()
  })

  it('can take the name of a deleted bucket, and begin as that was', async () => {
    await put('a', 'one')
    const { versionId } = await put('b', 'two')
    await store.snapshots.create('before')
    await store.objects.delete('box', 'a')
    await store.objects.delete('box', 'b')
    await store.buckets.delete('box')
    await store.buckets.fork('box', 'box', { at: 'before' })
    expect([await keysOf('box'), await text('box', 'b', versionId)]).toEqual([['a', 'b'], 'two'])
    await store.objects.annotate('box', 'a', { kind: 'tags', value: [{ key: 'k', value: 'v' }] })
    await store.objects.delete('box', 'b')
    expect([await keysOf('box'), await text('box', 'a')]).toEqual([['a'], 'one'])
    await expectWhole()
  })
})

describe('a name and a base', () => {
  it('are refused that a fork cannot have', async () => {
    const fork = (from: string, name: string) => codeOf(store.buckets.fork(from, name))
    expect(await fork('none', 'try')).toBe('NoSuchBucket')
    expect(await fork('box', 'box')).toBe('BucketAlreadyOwnedByYou')
    expect(await fork('box', 'X')).toBe('InvalidBucketName')
    expect(await fork('box', 'try--at-5')).toBe('InvalidBucketName')
    expect(await codeOf(store.as({ by: { id: 'bob', name: 'Bob' } }).buckets.fork('none', 'box'))).toBe(
      'BucketAlreadyExists',
    )
  })

  it('are refused beyond the depth and the number of forks', async () => {
    await put('a', 'one')
    let last = 'box'
    for (let depth = 1; depth <= limits.forkDepthMax; depth++) {
      await store.buckets.fork(last, `deep-${depth}`)
      last = `deep-${depth}`
    }
    expect(await text(last, 'a')).toBe('one')
    expect(await codeOf(store.buckets.fork(last, 'deeper'))).toBe('ForkTooDeep')
    for (let i = limits.forkDepthMax; i < limits.forksMax; i++) await store.buckets.fork('box', `fork-${i}`)
    expect(await codeOf(store.buckets.fork('box', 'one-more'))).toBe('TooManyForks')
    await store.buckets.drop('fork-8')
    await store.sweep()
    await store.buckets.fork('box', 'one-more')
  })
})

describe('the bytes of a fork', () => {
  it('stay until nothing needs them, in whatever order base and forks go', async () => {
    for (const order of [
      ['box', 'try', 'again'],
      ['again', 'try', 'box'],
      ['try', 'box', 'again'],
      ['box', 'again', 'try'],
    ]) {
      await put('a', 'one')
      await put('b', 'two')
      await store.buckets.fork('box', 'try')
      await store.objects.delete('try', 'b')
      await store.buckets.fork('try', 'again')
      const left = new Set(['box', 'try', 'again'])
      for (const bucket of order) {
        left.delete(bucket)
        if (bucket === 'box') {
          await store.objects.delete('box', 'a')
          await store.objects.delete('box', 'b')
        } else await store.buckets.drop(bucket)
        await store.sweep()
        for (const other of left) expect(await text(other, 'a')).toBe('one')
      }
      expect(blobs()).toBe(0)
    }
    await expectWhole()
  })

  it('of a dropped fork stay for a snapshot of it, and for one of the whole store', async () => {
    for (const bucket of ['try', undefined]) {
      await put('a', 'one')
      await store.buckets.fork('box', 'try')
      await store.objects.delete('box', 'a')
      await store.snapshots.create('s', { ...(bucket !== undefined && { bucket }) })
      await store.buckets.drop('try')
      await store.sweep()
      const past = await store.at('s')
      expect(await (await past.objects.get('try', 'a')).text()).toBe('one')
      await store.snapshots.delete('s')
      await store.sweep()
      expect(blobs()).toBe(0)
    }
    await expectWhole()
  })

  it('are not erased under a read that began before the drop', async () => {
    const body = 'a long body '.repeat(300_000)
    await put('a', body)
    await store.buckets.fork('box', 'try')
    await store.objects.delete('box', 'a')
    const reading = await store.objects.get('try', 'a')
    await store.buckets.drop('try')
    await store.sweep()
    expect(blobs()).toBe(1)
    expect(await reading.text()).toBe(body)
    await store.sweep()
    expect(blobs()).toBe(0)
  })

  it('are reported as erased if they were when it was created, also once it has changed what has them', async () => {
    await store.buckets.setVersioning('box', 'Enabled')
    const { versionId } = await put('a', 'one')
    const then = store.seq
    await put('a', 'two')
    const now = store.seq
    await store.versions.delete('box', 'a', versionId)
    await store.sweep()
    await store.buckets.fork('box', 'try', { at: now })
    await store.buckets.fork('box', 'older', { at: then })
    expect(await codeOf(text('older', 'a'))).toBe('ObjectErased')
    await store.versions.delete('try', 'a', (await store.objects.head('try', 'a')).versionId)
    expect(await codeOf(text('try', 'a'))).toBe('ObjectErased')
    expect(await codeOf(store.objects.copy({ bucket: 'try', key: 'a' }, 'box', 'c'))).toBe('ObjectErased')
    await store.versions.delete('try', 'a', versionId)
    await store.buckets.delete('try')
    await expectWhole()
    expect(await store.usage()).toMatchObject({ kept: 0, pinned: 0 })
  })

  it('are not erased on purpose, and its own are', async () => {
    await put('a', 'one')
    await store.buckets.fork('box', 'try')
    await put('b', 'two', 'try')
    const erase = (bucket: string, key: string) => store.erase({ bucket, key, live: true })
    expect((await erase('box', 'a')).refused).toMatchObject([{ key: 'a', reason: 'fork' }])
    expect(await erase('try', 'a')).toMatchObject({ entries: [], refused: [] })
    expect((await erase('try', 'b')).entries).toMatchObject([{ key: 'b' }])
    expect([await keysOf('try'), blobs()]).toEqual([['a'], 1])
    await store.buckets.drop('try')
    await store.sweep()
    expect((await erase('box', 'a')).entries).toMatchObject([{ key: 'a' }])
    expect(blobs()).toBe(0)
  })

  it('count in its base, and its own in the fork', async () => {
    await put('a', 'four')
    await store.buckets.fork('box', 'try')
    await put('b', 'seven..', 'try')
    await store.objects.annotate('try', 'a', { kind: 'tags', value: [{ key: 'k', value: 'v' }] })
    expect(await store.usage({ bucket: 'box' })).toMatchObject({ live: 4 })
    expect(await store.usage({ bucket: 'try' })).toMatchObject({ live: 7 })
  })
})

describe('a drop', () => {
  it('is one event, and a job removes what the fork had of its own', async () => {
    await put('a', 'one')
    await store.buckets.fork('box', 'try')
    for (let i = 0; i < 120; i++) await put(`k${i}`, `x${i}`, 'try')
    const { uploadId } = await store.uploads.create('try', 'open')
    const before = store.seq
    await store.buckets.drop('try')
    expect(await codeOf(store.buckets.head('try'))).toBe('NoSuchBucket')
    expect(await codeOf(store.buckets.create('try'))).toBe('ForkBeingCleared')
    expect(await codeOf(store.buckets.fork('box', 'try'))).toBe('ForkBeingCleared')
    await store.sweep()
    const events = await list(store.log({ from: before + 1, to: before + 1 }))
    expect(events).toMatchObject([{ type: 'ForkDropped', data: { bucket: 'try', leavesUploads: true } }])
    expect(await (await store.at(before)).objects.head('try', 'k7')).toMatchObject({ size: 2 })
    expect(blobs()).toBe(1)
    await store.buckets.create('try')
    expect(await keysOf('try')).toEqual([])
    const completing = store.uploads.complete({ bucket: 'try', key: 'open', uploadId }, [{ partNumber: 1, etag: 'e' }])
    expect(await codeOf(completing)).toBe('NoSuchUpload')
    await expectWhole()
  })

  it('goes on where the store was closed during it', async () => {
    await store.buckets.fork('box', 'try')
    for (let i = 0; i < 120; i++) await put(`k${i}`, 'x', 'try')
    await store.buckets.drop('try')
    await store.close()
    store = await openEngine(ports, { inlineMax: 0, retentionMs: 0 })
    await store.sweep()
    await store.buckets.create('try')
    expect([await keysOf('try'), blobs()]).toEqual([[], 0])
    await expectWhole()
  })

  it('is refused for other buckets, and for a fork that may have locked versions of its own', async () => {
    expect(await codeOf(store.buckets.drop('box'))).toBe('NotAFork')
    expect(await codeOf(store.buckets.drop('none'))).toBe('NoSuchBucket')
    await store.buckets.create('locked', { versioning: 'Enabled', settings: { ObjectLock: {} } })
    await store.objects.put('locked', 'a', 'x', { legalHold: 'ON' })
    await store.buckets.fork('locked', 'try')
    await store.buckets.drop('try')
    await store.sweep()
    await store.buckets.fork('locked', 'try')
    const { versionId } = await put('b', 'x', 'try')
    expect(await codeOf(store.buckets.drop('try'))).toBe('AccessDenied')
    await store.versions.delete('try', 'b', versionId)
    await store.buckets.drop('try')
  })

  it('is refused for a fork that alone keeps versions that are locked in it', async () => {
    await store.buckets.create('locked', { versioning: 'Enabled', settings: { ObjectLock: {} } })
    const { versionId, seq } = await store.objects.put('locked', 'a', 'x'.repeat(100), { legalHold: 'ON' })
    await store.buckets.fork('locked', 'try')
    await store.objects.annotate('locked', 'a', { kind: 'legalHold', value: 'OFF' })
    await store.versions.delete('locked', 'a', versionId)
    await store.buckets.fork('locked', 'late', { at: seq })
    // The bytes are set aside for the fork of the past.
    await store.retention.set({ keepMs: 0 })
    await store.sweep()
    for (const fork of ['try', 'late']) {
      expect(await codeOf(store.buckets.drop(fork)), fork).toBe('AccessDenied')
      await store.objects.annotate(fork, 'a', { kind: 'legalHold', value: 'OFF' })
      await store.versions.delete(fork, 'a', versionId)
      await store.buckets.drop(fork)
    }
  })

  it('is not undone, and neither is a fork that shows something', async () => {
    await put('a', 'one')
    await store.buckets.fork('box', 'try')
    expect(await codeOf(store.undo({ from: store.seq - 1 }))).toBe('UndoConflict')
    await store.buckets.drop('try')
    await store.sweep()
    const undone = await store.undo({ from: store.seq - 3, onConflict: 'skip' })
    expect(undone.entries).toEqual([])
    expect(await codeOf(store.buckets.head('try'))).toBe('NoSuchBucket')
  })
})

describe('a plain delete of a fork', () => {
  it('is refused while the fork shows anything, of its base too', async () => {
    await put('a', 'one')
    await store.buckets.fork('box', 'try')
    expect(await codeOf(store.buckets.delete('try'))).toBe('BucketNotEmpty')
    await store.objects.delete('try', 'a')
    await store.buckets.delete('try')
    expect(await text('box', 'a')).toBe('one')
    await store.undo({ from: store.seq - 2 })
    expect(await text('try', 'a')).toBe('one')
    await expectWhole()
  })

  it('is refused rather than look at very many versions that the fork hides', async () => {
    for (let i = 0; i <= stepsMax; i++) await put(`k${i}`, 'x')
    await store.buckets.fork('box', 'try')
    for (let i = 0; i <= stepsMax; i++) await store.objects.delete('try', `k${i}`)
    expect(await codeOf(store.buckets.delete('try'))).toBe('NotImplemented')
    await store.buckets.drop('try')
  }, 60_000)
})

describe('a bucket that is no fork', () => {
  it('is read and written with as few rows as before there were forks', async () => {
    await put('a', 'one')
    await store.buckets.fork('box', 'try')
    const readsOf = async (work: () => Promise<unknown>): Promise<number> => {
      const before = ports.journal.reads
      await work()
      return ports.journal.reads - before
    }
    await store.objects.head('box', 'a')
    expect(await readsOf(() => store.objects.head('box', 'a'))).toBeLessThanOrEqual(1)
    expect(await readsOf(() => put('b', 'one'))).toBeLessThanOrEqual(8)
    expect(await readsOf(() => store.objects.listPage('box'))).toBeLessThanOrEqual(3)
  })
})
