import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from './answers.fixture.ts'
import { type MemoryPorts, memoryJournal, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine, type Store } from './store.ts'

let ports: MemoryPorts
let store: Store

const open = (retentionMs = 0) => openEngine(ports, { inlineMax: 64, retentionMs })

beforeEach(async () => {
  ports = memoryPorts()
  store = await open()
  await store.buckets.create('box')
})

describe('the sweep', () => {
  it('erases at once when nothing is retained, though the clock was set back', async () => {
    await store.objects.put('box', 'k', 'v'.repeat(100))
    ports.clock.time -= 86_400_000
    await store.objects.delete('box', 'k')
    await store.sweep()
    expect(ports.blobs.bytes.size).toBe(0)
  })

  it('waits for a read of the past, as for any other', async () => {
    store = await open(60_000)
    const upload = await store.uploads.create('box', 'k')
    const parts = []
    for (const [number, size] of [
      [1, 5 * 1024 ** 2],
      [2, 100],
    ] as const)
      parts.push(await store.uploads.uploadPart(upload, number, 'v'.repeat(size)))
    await store.uploads.complete(upload, parts)
    const past = await store.at(store.seq)
    await store.objects.delete('box', 'k')
    const object = await past.objects.get('box', 'k')
    ports.clock.time += 60_001
    await store.sweep()
    expect((await object.bytes()).length).toBe(5 * 1024 ** 2 + 100)
    await store.sweep()
    expect(ports.blobs.bytes.size).toBe(0)
    expect(await codeOf(past.objects.get('box', 'k'))).toBe('ObjectErased')
    expect(await codeOf(past.objects.head('box', 'k', { partNumber: 1 }))).toBe('ObjectErased')
  })

  it('that a crash broke off is finished before anything is verified', async () => {
    const upload = await store.uploads.create('box', 'k')
    await store.uploads.uploadPart(upload, 1, 'v'.repeat(100))
    const commit = ports.journal.commit
    ports.journal.commit = async (batch) => {
      if (ports.blobs.bytes.size === 0) throw new Error('crash')
      await commit(batch)
    }
    await store.uploads.abort(upload)
    await store.sweep().catch(() => undefined)
    expect(store.state).toBe('failed')
    ports.journal.commit = async (batch) => {
      await new Promise((resolve) => setTimeout(resolve, 10))
      await commit(batch)
    }
    store = await open()
    expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ divergences: [] })
  })
})

describe('a sweep that ends', () => {
  it('leaves nothing behind that was freed in its last moment', async () => {
    for (let moment = 0; moment < 120; moment++) {
      const ports = memoryPorts()
      const store = await openEngine(ports, { inlineMax: 0 })
      await store.buckets.create('box')
      await store.objects.put('box', 'k', 'x')
      const deletion = store.objects.delete('box', 'k')
      for (let i = 0; i < moment; i++) await Promise.resolve()
      const sweep = store.sweep()
      await Promise.all([deletion, sweep])
      await new Promise((resolve) => setImmediate(resolve))
      expect(ports.blobs.bytes.size, `a deletion ${moment} moments before a sweep`).toBe(0)
      await store.close()
    }
  })
})
