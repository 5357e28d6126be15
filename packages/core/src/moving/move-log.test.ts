import { beforeEach, describe, expect, it } from 'vitest'
import { memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine, openForReading } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { StorageError } from '../base/errors.ts'
import type { BlobStore } from '../ports/index.ts'
import { endPassage } from '../sharing/passage.ts'
import { moveLog } from './move-log.ts'
import type { LogMove } from './places.ts'

let from: MemoryPorts
let into: MemoryPorts
const options = { inlineMax: 8, retentionMs: 0 } as const

beforeEach(() => {
  from = memoryPorts()
  into = memoryPorts()
  from.journal.exclusive = false
})

const moveOf = (more: Partial<LogMove> = {}): LogMove => ({
  from: { name: 'the cellar', journal: from.journal, blobs: from.blobs },
  into: { name: 'the attic', journal: into.journal, blobs: into.blobs },
  hashing: from.hashing,
  ids: into.ids,
  ...more,
})

/** Objects of all kinds of bytes: none, few, many, in parts, shared by copies, replaced and erased. */
async function filled(): Promise<Store> {
  const store = await openEngine(from, options)
  await store.buckets.create('box')
  await store.buckets.setVersioning('box', 'Enabled')
  for (const [key, size] of [
    ['none', 0],
    ['few', 5],
    ['many', 3000],
    ['gone', 3000],
  ] as const)
    await store.objects.put('box', key, 'x'.repeat(size))
  const { versionId } = await store.objects.head('box', 'gone')
  await store.objects.delete('box', 'gone', { versionId: versionId as string })
  await store.objects.copy({ bucket: 'box', key: 'many' }, 'box', 'copy')
  const upload = await store.uploads.create('box', 'parts')
  const { etag } = await store.uploads.uploadPart(upload, 1, 'part')
  await store.uploads.complete(upload, [{ partNumber: 1, etag }])
  await store.sweep()
  return store
}

async function contentOf(store: Store): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const listed of store.versions.list('box')) {
    if (listed.kind !== 'version') continue
    const { key, versionId } = listed
    found[`${key} ${versionId}`] = await (await store.objects.get('box', key, { versionId })).text()
  }
  return found
}

/** A port that fails at its nth change. */
function failingAt<T extends object>(port: T, method: keyof T, counter: { left: number }): T {
  const broken = new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...given: unknown[]) => {
        if (name === method && counter.left-- === 0) return Promise.reject(new StorageError('JournalFailed', 'Cut.'))
        return Reflect.apply(value, target, given)
      }
    },
  })
  return broken
}

/** Something is done with the store after the first blob of it was looked for. */
function meanwhile(work: () => Promise<unknown>): Pick<LogMove, 'from'> {
  let isDone = false
  const open: BlobStore['open'] = async (id) => {
    if (!isDone) {
      isDone = true
      await work()
    }
    return from.blobs.open(id)
  }
  return { from: { name: 'the cellar', journal: from.journal, blobs: { ...from.blobs, open } } }
}

describe('moving a store', () => {
  it('gives the same store elsewhere, while others write, and leaves none where it was', async () => {
    const store = await filled()
    const before = await contentOf(store)
    const moved = await moveLog(moveOf(meanwhile(() => store.objects.put('box', 'late', 'late'))))
    await expect(store.objects.put('box', 'later', 'x')).rejects.toMatchObject({ code: 'StoreFailed' })
    await store.close()
    await expect(openEngine(from, options)).rejects.toMatchObject({
      code: 'StoreNotFound',
      message: 'The store was moved to the attic.',
      details: { kind: 'departed', peer: 'the attic' },
    })
    const there = await openEngine(into, options)
    expect(there.seq).toBe(moved.head)
    const after = await contentOf(there)
    expect(after).toMatchObject(before)
    expect(Object.values(after)).toContain('late')
    expect((await there.verify()).divergences).toEqual([])
    await there.close()
    from.journal.exclusive = true
    const readable = await openForReading(from, { inlineMax: 8 })
    expect(await contentOf(readable)).toEqual(after)
    await readable.close()
  })

  it('goes on after an interruption anywhere, and no engine opens a target that is not whole', async () => {
    const store = await filled()
    const before = await contentOf(store)
    await store.close()
    let cuts = 0
    for (let at = 0; ; at++) {
      into = memoryPorts()
      const counter = { left: at }
      const cut = {
        from: { name: 'the cellar', journal: failingAt(from.journal, 'commit', counter), blobs: from.blobs },
        into: {
          name: 'the attic',
          journal: failingAt(into.journal, 'commit', counter),
          blobs: failingAt(into.blobs, 'write', counter),
        },
      }
      const failed = await moveLog(moveOf(cut)).then(
        () => false,
        () => true,
      )
      if (!failed) break
      cuts++
      if ((await into.journal.head()) > 0)
        await expect(openEngine(into, options)).rejects.toMatchObject({ details: { kind: 'arriving' } })
      expect(await moveLog(moveOf())).toMatchObject({ isWhole: true, head: store.seq })
      const there = await openEngine(into, options)
      expect(await contentOf(there)).toEqual(before)
      expect((await there.verify()).divergences).toEqual([])
      await there.close()
      await endPassage(from)
    }
    expect(cuts).toBeGreaterThan(7)
  })

  it('copies what a copy of the log has, and goes on when the log itself can be had', async () => {
    const store = await filled()
    const copy = { name: 'the cellar', journal: from.journal, blobs: from.blobs, isCopy: true }
    expect(await moveLog(moveOf({ from: copy }))).toMatchObject({ isWhole: false, head: store.seq })
    await expect(openEngine(into, options)).rejects.toMatchObject({ details: { kind: 'arriving' } })
    await store.objects.put('box', 'more', 'more')
    await store.close()
    expect(await moveLog(moveOf())).toMatchObject({ isWhole: true, events: 1 })
  })

  it('lets the store stay where it is when bytes are missing', async () => {
    const store = await filled()
    const [lost] = from.blobs.bytes.keys()
    from.blobs.bytes.delete(lost as string)
    await expect(moveLog(moveOf())).rejects.toMatchObject({ code: 'LogCorrupt', details: { found: 'BlobMissing' } })
    await store.objects.put('box', 'still', 'here')
    await store.close()
  })

  it('does not miss what was erased while it looked', async () => {
    const store = await filled()
    const erase = async () => {
      for (const key of ['many', 'copy']) {
        const { versionId } = await store.objects.head('box', key)
        await store.objects.delete('box', key, { versionId })
      }
      await store.sweep()
    }
    await moveLog(moveOf(meanwhile(erase)))
    await store.close()
    const there = await openEngine(into, options)
    expect(Object.keys(await contentOf(there)).map((name) => name.split(' ')[0])).toEqual(['few', 'none', 'parts'])
    await there.sweep({ orphans: true })
    expect((await there.verify()).divergences).toEqual([])
    await there.close()
  })

  it('refuses a target with another store, and leaves it as it is', async () => {
    const store = await filled()
    const other = await openEngine(into, options)
    await other.buckets.create('other')
    await other.close()
    await expect(moveLog(moveOf())).rejects.toMatchObject({ code: 'InvalidArgument' })
    const again = await openEngine(into, options)
    expect(await again.buckets.head('other')).toMatchObject({ name: 'other' })
    await again.close()
    await store.close()
  })

  it('refuses to go where it is, under whatever name', async () => {
    const store = await filled()
    const same = { name: 'the attic', journal: { ...from.journal }, blobs: from.blobs }
    await expect(moveLog(moveOf({ into: same }))).rejects.toMatchObject({ code: 'InvalidArgument' })
    await store.close()
    await (await openEngine(from, options)).close()
  })

  it('removes what a copy that was cut left unfinished', async () => {
    await (await filled()).close()
    let discarded = 0
    const discardUnfinished = async () => ++discarded
    const blobs = { ...into.blobs, discardUnfinished }
    const target = { name: 'the attic', journal: into.journal, blobs }
    const cut = { ...target, blobs: failingAt(blobs, 'write', { left: 0 }) }
    await expect(moveLog(moveOf({ into: cut }))).rejects.toMatchObject({ code: 'JournalFailed' })
    expect(discarded).toBe(0)
    await moveLog(moveOf({ into: target }))
    expect(discarded).toBe(1)
  })

  it('goes nowhere else once it has left, and from a place where it has not arrived', async () => {
    await (await filled()).close()
    await moveLog(moveOf())
    const shed = memoryPorts()
    const elsewhere = { name: 'the shed', journal: shed.journal, blobs: shed.blobs }
    await expect(moveLog(moveOf({ into: elsewhere }))).rejects.toMatchObject({
      code: 'StoreNotFound',
      details: { kind: 'departed', peer: 'the attic' },
    })
    await endPassage(from)
    const cut = { ...elsewhere, journal: failingAt(shed.journal, 'commit', { left: 2 }) }
    await expect(moveLog(moveOf({ into: cut }))).rejects.toMatchObject({ code: 'JournalFailed' })
    const onwards = moveOf({ from: elsewhere, into: { ...elsewhere, ...memoryPorts(), name: 'the loft' } })
    await expect(moveLog(onwards)).rejects.toMatchObject({
      code: 'StoreNotFound',
      details: { kind: 'arriving', peer: 'the cellar' },
    })
  })

  it('keeps the ids of open uploads', async () => {
    const store = await filled()
    const { uploadId } = await store.uploads.create('box', 'open')
    await moveLog(moveOf())
    await store.close()
    into.journal.exclusive = false
    const there = await openEngine(into, options)
    expect(await there.uploads.head({ bucket: 'box', key: 'open', uploadId })).toMatchObject({ uploadId })
    await there.close()
  })
})
