import { beforeEach, describe, expect, it } from 'vitest'
import { limits } from '../base/limits.ts'
import { codeOf, list } from './answers.fixture.ts'
import { type MemoryPorts, memoryJournal, memoryPorts } from './memory-ports.fixture.ts'
import { type OpenOptions, openEngine, openForReading } from './open-engine.ts'
import type { Store } from './store.ts'

let ports: MemoryPorts
let store: Store

beforeEach(async () => {
  ports = memoryPorts()
  await open()
  await store.buckets.create('box')
})

async function open(options: OpenOptions = { retentionMs: 0 }): Promise<void> {
  store = await openEngine(ports, { inlineMax: 0, ...options })
}

async function reopen(options?: OpenOptions): Promise<void> {
  await store.close()
  await open(options)
}

const put = (key: string, body: string, bucket = 'box') => store.objects.put(bucket, key, body)
const remove = (key: string, bucket = 'box') => store.objects.delete(bucket, key)
const blobs = (): number => ports.blobs.bytes.size

async function textAt(moment: string | number, key: string, bucket = 'box'): Promise<string> {
  const past = await store.at(moment)
  return past.objects.get(bucket, key).then((object) => object.text())
}

/** The stored rows and counters are those that the log makes. */
async function expectWhole(): Promise<void> {
  await store.sweep()
  const scratch = memoryJournal()
  expect((await store.verify({ scratch })).divergences).toEqual([])
}

describe('a snapshot', () => {
  it('is a name for a position, and a moment like any other', async () => {
    await put('a', 'one')
    const made = await store.snapshots.create('before-import')
    expect(made).toEqual({
      name: 'before-import',
      seq: store.seq,
      createdAt: expect.any(Date) as Date,
      createdBy: { id: 'local', name: 'local' },
      complete: true,
    })
    await put('a', 'two')
    await remove('a')
    await store.sweep()
    expect(await textAt('before-import', 'a')).toBe('one')
    expect(await textAt(made.seq, 'a')).toBe('one')
    expect((await list(store.diff({ bucket: 'box' }, 'before-import', store.seq))).map(({ kind }) => kind)).toEqual([
      'removed',
    ])
    await store.restore({ bucket: 'box', to: 'before-import' })
    expect(await store.objects.get('box', 'a').then((object) => object.text())).toBe('one')
    await expectWhole()
  })

  it('keeps its name while it exists, and gives it back', async () => {
    const first = await store.snapshots.create('s')
    expect(await codeOf(store.snapshots.create('s'))).toBe('SnapshotExists')
    expect(await store.snapshots.list()).toEqual([first])
    expect(await store.snapshots.get('s')).toEqual(first)
    await store.snapshots.delete('s')
    expect(await store.snapshots.list()).toEqual([])
    for (const call of [store.snapshots.get('s'), store.snapshots.delete('s'), store.at('s')])
      expect(await codeOf(call)).toBe('NoSuchSnapshot')
    expect((await store.snapshots.create('s')).seq).toBe(store.seq)
  })

  it('is listed in the order of names, also after the store was opened again and rebuilt', async () => {
    for (const name of ['b', 'a-1', 'a']) await store.snapshots.create(name)
    const before = await store.snapshots.list()
    expect(before.map(({ name }) => name)).toEqual(['a', 'a-1', 'b'])
    await reopen()
    expect(await store.snapshots.list()).toEqual(before)
    await store.rebuild()
    expect(await store.snapshots.list()).toEqual(before)
  })

  it.each(['', 'A', '1a', 'a--b', '-a', 'a-', 'a'.repeat(21), 'now', 'monday', 'x-s3alias', 'a_b', 7, null])(
    'cannot be called %j',
    async (name) => {
      expect(await codeOf(store.snapshots.create(name as string))).toBe('InvalidArgument')
    },
  )

  it.each([
    [{ at: 99 }, 'MomentOutOfRange'],
    [{ at: 'other' }, 'NoSuchSnapshot'],
    [{ at: -1 }, 'InvalidArgument'],
    [{ bucket: 'absent' }, 'NoSuchBucket'],
    [{ bucket: 'box', at: 0 }, 'NoSuchBucket'],
    [{ bucket: 5 }, 'InvalidArgument'],
    [{ unknown: 1 }, 'InvalidArgument'],
  ])('is refused with %j', async (options, code) => {
    const { seq } = store
    expect(await codeOf(store.snapshots.create('s', options as never))).toBe(code)
    expect(store.seq).toBe(seq)
  })

  it('is refused above the limit', async () => {
    for (let i = 0; i < limits.snapshotsMax; i++) await store.snapshots.create(`s${i}`)
    expect(await codeOf(store.snapshots.create('one-more'))).toBe('TooManySnapshots')
    await store.snapshots.delete('s0')
    await store.snapshots.create('one-more')
  })

  it('may be of a past moment, and may have the position of another one', async () => {
    await put('a', 'one')
    const then = store.seq
    await put('a', 'two')
    const past = await store.snapshots.create('past', { at: then })
    expect(past.seq).toBe(then)
    expect((await store.snapshots.create('again', { at: 'past' })).seq).toBe(then)
    await store.snapshots.delete('past')
    expect((await store.at('again')).seq).toBe(then)
  })

  it('is refused by a store that is open for reading', async () => {
    await store.snapshots.create('s')
    await store.close()
    const reading = await openForReading(ports)
    expect((await reading.snapshots.list()).map(({ name }) => name)).toEqual(['s'])
    expect(await codeOf(reading.snapshots.create('t'))).toBe('ReadOnly')
    expect(await codeOf(reading.snapshots.delete('s'))).toBe('ReadOnly')
    await reading.close()
  })
})

describe('the bytes that a snapshot shows', () => {
  it('stay, whatever the retention, and go when the last snapshot that shows them goes', async () => {
    await put('a', 'aaaa')
    await store.snapshots.create('one')
    await put('b', 'bb')
    await store.snapshots.create('two')
    await remove('a')
    await remove('b')
    await store.sweep()
    expect(blobs()).toBe(2)
    await store.snapshots.delete('two')
    await store.sweep()
    expect(blobs()).toBe(1)
    expect(await textAt('one', 'a')).toBe('aaaa')
    await store.snapshots.delete('one')
    await store.sweep()
    expect(blobs()).toBe(0)
    await expectWhole()
  })

  it('are those of the position itself, up to the event before their removal', async () => {
    await put('a', 'one')
    await store.snapshots.create('added', { at: store.seq })
    await put('b', 'two')
    const last = store.seq
    await remove('a')
    await store.snapshots.create('removed', { at: store.seq })
    await store.snapshots.create('before', { at: last })
    await store.sweep()
    expect(await textAt('added', 'a')).toBe('one')
    await store.snapshots.delete('added')
    await store.sweep()
    expect(await textAt('before', 'a')).toBe('one')
    await store.snapshots.delete('before')
    await store.sweep()
    expect(blobs()).toBe(1)
  })

  it('are nothing else: what came and went between two snapshots is erased', async () => {
    await store.snapshots.create('one')
    await put('a', 'between')
    await remove('a')
    await store.snapshots.create('two')
    await store.sweep()
    expect(blobs()).toBe(0)
  })

  it('are not parts of uploads, which no moment shows', async () => {
    const upload = await store.uploads.create('box', 'k')
    await store.uploads.uploadPart(upload, 1, 'part')
    await store.snapshots.create('s')
    await store.uploads.abort(upload)
    await store.sweep()
    expect(blobs()).toBe(0)
  })

  it('stay for copies, by the first version that had them', async () => {
    await put('a', 'shared')
    await store.snapshots.create('s')
    await store.objects.copy({ bucket: 'box', key: 'a' }, 'box', 'b')
    await remove('a')
    await remove('b')
    await store.sweep()
    expect(await textAt('s', 'a')).toBe('shared')
    const past = { bucket: 'box', key: 'a', at: 's' }
    await store.objects.copy(past, 'box', 'c')
    expect(await store.usage()).toMatchObject({ live: 6, kept: 0, pinned: 0 })
    await remove('c')
    expect(await store.usage()).toMatchObject({ live: 0, kept: 0, pinned: 6 })
    await expectWhole()
  })

  it.each([1, 2, 3, 4, 5, 6])('go exactly when no snapshot shows them, in any order of deletion (%j)', async (turn) => {
    const names = ['s0', 's1', 's2', 's3']
    const shown = new Map<string, string[]>()
    const live: string[] = []
    for (const [i, name] of names.entries()) {
      await put(`k${i}`, `bytes of k${i}`)
      live.push(`k${i}`)
      await store.snapshots.create(name)
      shown.set(name, [...live])
      const gone = live.splice((i * turn) % live.length, 1)[0] as string
      await remove(gone)
    }
    for (const key of live) await remove(key)
    for (let left = names.length; left > 0; left--) {
      const [name] = names.splice((turn * left) % names.length, 1) as [string]
      await store.snapshots.delete(name)
      shown.delete(name)
      await store.sweep()
      const needed = new Set([...shown.values()].flat())
      expect(blobs(), `without ${name}`).toBe(needed.size)
      for (const [other, keys] of shown) for (const key of keys) expect(await textAt(other, key)).toContain(key)
    }
    await expectWhole()
  })

  it('are set aside when they are due, if the snapshot is of a moment before their removal', async () => {
    await reopen({ retentionMs: Number.MAX_SAFE_INTEGER })
    await put('a', 'one')
    const then = store.seq
    await remove('a')
    expect((await store.snapshots.create('s', { at: then })).complete).toBe(true)
    expect(await store.usage()).toMatchObject({ kept: 3, pinned: 0 })
    await reopen({ retentionMs: 0 })
    await store.sweep()
    expect(await store.usage()).toMatchObject({ kept: 0, pinned: 3 })
    expect(await textAt('s', 'a')).toBe('one')
    await store.snapshots.delete('s')
    await store.sweep()
    expect(await store.usage()).toMatchObject({ live: 0, kept: 0, pinned: 0 })
    expect(blobs()).toBe(0)
    await expectWhole()
  })

  it('may be gone before a snapshot of the past is created, which says so', async () => {
    await put('a', 'one')
    await put('b', 'two')
    const then = store.seq
    await remove('a')
    await store.sweep()
    expect((await store.snapshots.create('s', { at: then })).complete).toBe(false)
    expect((await store.snapshots.create('later')).complete).toBe(true)
    expect(await codeOf(textAt('s', 'a'))).toBe('ObjectErased')
    await remove('b')
    await store.sweep()
    expect(await textAt('s', 'b')).toBe('two')
  })

  it('wait for the retention again when the snapshot is gone', async () => {
    await put('a', 'one')
    await store.snapshots.create('s')
    await remove('a')
    await reopen({ retentionMs: Number.MAX_SAFE_INTEGER })
    await store.snapshots.delete('s')
    await store.sweep()
    expect(await store.usage()).toMatchObject({ kept: 3, pinned: 0 })
    await reopen({ retentionMs: 0 })
    await store.sweep()
    expect(blobs()).toBe(0)
    await expectWhole()
  })

  it('stay for two engines, and go for both', async () => {
    await store.close()
    ports.journal.exclusive = false
    const options = { inlineMax: 0, retentionMs: 0 }
    const [one, two] = await Promise.all([openEngine(ports, options), openEngine(ports, options)])
    await one.objects.put('box', 'a', 'one')
    await two.snapshots.create('s')
    await one.objects.delete('box', 'a')
    await one.sweep()
    expect(blobs()).toBe(1)
    await one.snapshots.delete('s')
    for (let round = 0; round < 3; round++) {
      ports.clock.time += 10_000
      for (const each of [one, two]) await each.owner.withSnapshot(async () => undefined)
    }
    await two.sweep().catch(() => undefined)
    await one.sweep().catch(() => undefined)
    expect(blobs()).toBe(0)
    await Promise.all([one.close(), two.close()])
    await open()
  })
})

describe('what a change answers', () => {
  it('is what it did, also if the next command takes it back at once', async () => {
    const created = store.snapshots.create('brief')
    const deleted = store.snapshots.delete('brief')
    expect(await created).toMatchObject({ name: 'brief' })
    expect(await codeOf(deleted)).toBe('no error')
    const set = store.retention.set({ keepMs: 7 })
    const other = store.retention.set({ keepMs: 8 })
    expect([(await set).keepMs, (await other).keepMs]).toEqual([7, 8])
  })

  it('is what it did, also if the store closes meanwhile', async () => {
    const snapshot = store.snapshots.create('last')
    const closing = store.close()
    expect(await snapshot).toMatchObject({ name: 'last' })
    await closing
  })
})
