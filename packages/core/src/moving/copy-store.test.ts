import { beforeEach, describe, expect, it } from 'vitest'
import { memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine, openForReading } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { passageOf } from '../sharing/passage.ts'
import { copyStore, type StoreCopied, type StoreCopy } from './copy-store.ts'

let from: MemoryPorts
let into: MemoryPorts
let store: Store
const options = { inlineMax: 8, retentionMs: 0 } as const
const large = (letter: string) => letter.repeat(3000)

beforeEach(async () => {
  from = memoryPorts()
  into = memoryPorts()
  store = await openEngine(from, options)
  await store.buckets.create('box', { versioning: 'Enabled' })
  await store.objects.put('box', 'small', 'a')
  await store.objects.put('box', 'large', large('b'))
})

const copied = (more: Partial<StoreCopy> = {}): Promise<StoreCopied> =>
  copyStore({
    from: { name: 'the cellar', journal: from.journal, blobs: from.blobs },
    into: { name: 'the attic', journal: into.journal, blobs: into.blobs },
    hashing: from.hashing,
    ...more,
  })

const textThere = async (key: string): Promise<string> => {
  const there = await openForReading(into, options)
  try {
    return await (await there.objects.get('box', key)).text()
  } finally {
    await there.close()
  }
}

describe('a copy of a store', () => {
  it('has its log and its bytes, and can be read', async () => {
    expect(await copied()).toEqual({
      events: store.seq,
      blobs: 1,
      bytes: 3000,
      head: store.seq,
      absent: 0,
      absentIds: [],
    })
    expect([await textThere('small'), await textThere('large')]).toEqual(['a', large('b')])
  })

  it('is written by no engine', async () => {
    await copied()
    await expect(openEngine(into, options)).rejects.toMatchObject({
      code: 'StoreNotFound',
      details: { kind: 'copy', peer: 'the cellar' },
    })
  })

  it('gets what is new with the next call', async () => {
    await copied()
    await store.objects.put('box', 'more', large('c'))
    expect(await copied()).toEqual({ events: 1, blobs: 1, bytes: 3000, head: store.seq, absent: 0, absentIds: [] })
    expect(await textThere('more')).toBe(large('c'))
    expect(await copied()).toMatchObject({ events: 0, blobs: 0 })
  })

  it('cannot be read before it is whole, and is made whole by another call', async () => {
    const stop = new AbortController()
    const journal = {
      ...into.journal,
      commit: async (commit: Parameters<typeof into.journal.commit>[0]) => {
        if (commit.events.length > 0) stop.abort(new Error('killed'))
        stop.signal.throwIfAborted()
        return into.journal.commit(commit)
      },
    }
    await expect(copied({ into: { name: 'the attic', journal, blobs: into.blobs } })).rejects.toThrow('killed')
    await expect(textThere('small')).rejects.toMatchObject({ code: 'StoreNotFound', details: { kind: 'arriving' } })
    expect(await copied()).toMatchObject({ events: store.seq })
    expect(await textThere('large')).toBe(large('b'))
  })

  it('can be read after a later call was interrupted', async () => {
    await copied()
    await store.objects.put('box', 'more', large('c'))
    const blobs = { ...into.blobs, write: () => Promise.reject(new Error('killed')) }
    await expect(copied({ into: { name: 'the attic', journal: into.journal, blobs } })).rejects.toThrow('killed')
    expect(await textThere('large')).toBe(large('b'))
    expect((await passageOf(into))?.state).toBe('copy')
  })

  it('counts what a version needs and the store does not have', async () => {
    for await (const id of from.blobs.list()) await from.blobs.delete([id])
    expect(await copied()).toMatchObject({ events: store.seq, absent: 1 })
  })

  it('does not count what was erased', async () => {
    const { versionId } = await store.objects.head('box', 'large')
    await store.objects.delete('box', 'large', { versionId: versionId as string })
    await store.sweep()
    expect(await copied()).toMatchObject({ absent: 0, blobs: 0 })
  })

  it('is never made over another store', async () => {
    const other = await openEngine(into, options)
    await other.buckets.create('other')
    await other.close()
    await expect(copied()).rejects.toMatchObject({ code: 'InvalidArgument', details: { ArgumentName: 'to' } })
    const third = memoryPorts()
    await (await openEngine(third, options)).buckets.create('third')
    into = memoryPorts()
    await copied()
    const another = { name: 'the shed', journal: third.journal, blobs: third.blobs }
    await expect(copied({ from: another })).rejects.toMatchObject({ code: 'InvalidArgument' })
    expect(await textThere('small')).toBe('a')
  })

  it('brings again what the copy has lost, when it brings what is new, or nothing', async () => {
    await copied()
    for (const [id] of into.blobs.bytes) into.blobs.bytes.delete(id)
    expect(await copied()).toMatchObject({ events: 0, blobs: 1, bytes: 3000, absent: 0 })
    for (const [id] of into.blobs.bytes) into.blobs.bytes.delete(id)
    await store.objects.put('box', 'another', large('c'))
    expect(await copied()).toMatchObject({ blobs: 2, bytes: 6000, absent: 0 })
    expect([await textThere('large'), await textThere('another')]).toEqual([large('b'), large('c')])
  })

  it('says each time what neither the copy nor the store has', async () => {
    await store.objects.put('box', 'more', large('d'))
    const [first = ''] = [...from.blobs.bytes.keys()]
    from.blobs.bytes.delete(first)
    for (let call = 0; call < 3; call++) {
      expect(await copied()).toMatchObject({ absent: 1, absentIds: [first] })
      await store.objects.put('box', `${call}`, large('e'))
    }
    expect(await textThere('more')).toBe(large('d'))
  })
})
