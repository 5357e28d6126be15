import { beforeEach, describe, expect, it } from 'vitest'
import { type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import type { RowSnapshot, RowSnapshotOptions } from '../ports/index.ts'

let ports: MemoryPorts

/** The journal of the ports, as one engine reaches it: with `max` snapshots of readers at once, and one of its writer. */
function withSnapshots(max: number): MemoryPorts {
  let free = max
  const waiting: (() => void)[] = []
  const snapshot = async ({ forWriter = false }: RowSnapshotOptions = {}): Promise<RowSnapshot> => {
    if (forWriter) return ports.journal.snapshot()
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    else free--
    await new Promise(setImmediate)
    const held = ports.journal.snapshot()
    let isClosed = false
    return {
      ...held,
      async close() {
        if (isClosed) return
        isClosed = true
        const next = waiting.shift()
        if (next === undefined) free++
        else next()
      },
    }
  }
  return { ...ports, journal: { ...ports.journal, snapshot: snapshot as never } }
}

beforeEach(() => {
  ports = memoryPorts()
  ports.journal.exclusive = false
})

describe('an engine with few snapshots', () => {
  it.each([1, 2, 8])(
    'reads and writes on while others commit: %i',
    async (max) => {
      const open = (): Promise<Store> => openEngine(withSnapshots(max), { inlineMax: 64 })
      const [one, two] = [await open(), await open()]
      await one.buckets.create('box')
      await one.objects.put('box', 'k', 'v'.repeat(1000))
      const upload = await one.uploads.create('box', 'parts')
      await one.uploads.complete(upload, [await one.uploads.uploadPart(upload, 1, 'part')])
      const work = async (store: Store, i: number): Promise<void> => {
        for (let round = 0; round < 4; round++) {
          await store.objects.put('box', `k${i}`, 'v')
          expect(await (await store.objects.get('box', 'k')).text()).toHaveLength(1000)
          expect(await (await store.objects.get('box', 'parts')).text()).toBe('part')
          expect((await store.versions.listPage('box')).entries.length).toBeGreaterThan(0)
          await store.objects.copy({ bucket: 'box', key: 'k' }, 'box', `copy${i}`)
          await store.buckets.create(`box${i}`)
          await store.buckets.delete(`box${i}`)
        }
      }
      const all = Array.from({ length: 32 }, (_, i) => work(i % 2 === 0 ? one : two, i))
      await Promise.all(all)
      expect((await one.objects.listPage('box', { limit: 1000 })).entries).toHaveLength(66)
    },
    20_000,
  )
})
