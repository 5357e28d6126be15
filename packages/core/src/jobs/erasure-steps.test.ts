import { describe, expect, it } from 'vitest'
import { codeOf, list } from '../api/answers.fixture.ts'
import { memoryJournal, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'

const options = { inlineMax: 0, retentionMs: 0 }
const types = ['ErasureStarted', 'ContentsErased']

describe('an erasure', () => {
  it('is started in the log before any byte is gone, and ends in it afterwards', async () => {
    const ports = memoryPorts()
    const store = await openEngine(ports, { ...options, retentionMs: 1e9 })
    await store.buckets.create('box')
    await store.objects.put('box', 'k', 'bytes')
    const seen: unknown[] = []
    const deleteBlobs = ports.blobs.delete
    ports.blobs.delete = async (ids) => {
      seen.push((await list(store.log())).at(-1)?.type, ids.length)
      await deleteBlobs(ids)
    }
    await store.objects.delete('box', 'k')
    await store.retention.set({ keepMs: 0 })
    await store.sweep()
    expect(seen).toEqual(['ErasureStarted', 1])
    expect((await list(store.log())).map(({ type }) => type).filter((type) => types.includes(type))).toEqual(types)
  })

  it.each([0, 1, 2])('that breaks off at step %s is finished by the next opening', async (step) => {
    const ports = memoryPorts()
    const first = await openEngine(ports, { ...options, retentionMs: 1e9 })
    await first.buckets.create('box')
    const { seq } = await first.objects.put('box', 'k', 'bytes')
    await first.objects.delete('box', 'k')
    await first.retention.set({ keepMs: 1e9 })
    // The first commit is that of the retention, which makes the bytes due.
    let steps = -1
    const { commit } = ports.journal
    const deleteBlobs = ports.blobs.delete
    const failing = async (work: () => Promise<void>) => {
      if (steps++ === step) throw new Error('crash')
      await work()
    }
    ports.journal.commit = (batch) => (batch.events.length === 0 ? commit(batch) : failing(() => commit(batch)))
    ports.blobs.delete = (ids) => failing(() => deleteBlobs(ids))
    await first.retention.set({ keepMs: 0 })
    await first.sweep().catch(() => undefined)
    ports.journal.commit = commit
    ports.blobs.delete = deleteBlobs
    const again = await openEngine(ports, options)
    await again.sweep()
    expect(ports.blobs.bytes.size).toBe(0)
    expect(await codeOf((await again.at(seq)).objects.get('box', 'k'))).toBe('ObjectErased')
    expect(await again.usage()).toMatchObject({ live: 0, kept: 0, pinned: 0 })
    expect(await again.verify({ scratch: memoryJournal() })).toMatchObject({ divergences: [] })
    const erasures = (await list(again.log())).filter(({ type }) => types.includes(type))
    expect(erasures.map(({ type }) => type)).toEqual(types)
  })
})

describe('a copy of removed bytes that meets their erasure', () => {
  it('is refused, or has all of its bytes for good, at every moment', async () => {
    const outcomes = new Set<unknown>()
    for (let moment = 0; moment < 200; moment += 2) {
      const ports = memoryPorts()
      const store = await openEngine(ports, { ...options, retentionMs: 1e9 })
      await store.buckets.create('box')
      const { seq } = await store.objects.put('box', 'k', 'bytes')
      await store.objects.delete('box', 'k')
      const due = store.retention.set({ keepMs: 0 })
      for (let i = 0; i < moment; i++) await Promise.resolve()
      const code = await codeOf(store.objects.copy({ bucket: 'box', key: 'k', at: seq }, 'box', 'copy'))
      outcomes.add(code)
      await due
      await store.sweep()
      if (code === 'no error') expect(await (await store.objects.get('box', 'copy')).text()).toBe('bytes')
      else expect(ports.blobs.bytes.size).toBe(0)
      expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ divergences: [] })
      await store.close()
    }
    expect(outcomes).toEqual(new Set(['no error', 'ObjectErased']))
  })
})
