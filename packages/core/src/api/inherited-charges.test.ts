/** Bytes that a fork shows and that others keep when it begins count for its owner, who alone can end that. */
import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from './answers.fixture.ts'
import { memoryJournal, type MemoryPorts, memoryPorts, memorySecrets } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

const size = 500
const ann = { by: { id: 'a1', name: 'ann' } }
const bob = { by: { id: 'b1', name: 'bob' } }

let ports: MemoryPorts
let store: Store

beforeEach(async () => {
  ports = { ...memoryPorts(), secrets: memorySecrets(new Map()) }
  store = await openEngine(ports, { inlineMax: 8, retention: { keepMs: 1e12 } })
  await store.identities.create('ann', { id: 'a1' })
  await store.identities.create('bob', { id: 'b1' })
})

const usedBy = async (name: string): Promise<number> => (await store.identities.get(name)).usage.bytes
const blobs = (): number => ports.blobs.bytes.size

interface Kept {
  /** Where the bytes are shown, and at which position; absent: now. */
  readonly from: string
  readonly at?: number
  /** Ends what keeps the bytes besides the new fork. */
  readonly release: () => Promise<unknown>
}

async function annsVersion(): Promise<{ readonly at: number; readonly remove: () => Promise<unknown> }> {
  await store.as(ann).buckets.create('base', { versioning: 'Enabled' })
  const { versionId } = await store.as(ann).objects.put('base', 'k', 'x'.repeat(size))
  return { at: store.seq, remove: () => store.as(ann).versions.delete('base', 'k', versionId) }
}

/** What keeps bytes that no version needs any more. */
const keepers: Readonly<Record<string, () => Promise<Kept>>> = {
  async 'a snapshot'() {
    const { at, remove } = await annsVersion()
    await store.snapshots.create('s')
    await remove()
    return { from: 'base', at, release: () => store.snapshots.delete('s') }
  },
  async 'another fork'() {
    const { at, remove } = await annsVersion()
    await store.as(ann).buckets.fork('base', 'try')
    await remove()
    return { from: 'base', at, release: () => store.as(ann).buckets.drop('try') }
  },
  async 'the retention, of bytes that two buckets shared'() {
    const { at, remove } = await annsVersion()
    await store.as(ann).buckets.create('other')
    await store.as(ann).objects.copy({ bucket: 'base', key: 'k' }, 'other', 'k')
    await remove()
    await store.as(ann).objects.delete('other', 'k')
    return { from: 'base', at, release: async () => undefined }
  },
  async 'the fork that it is a fork of'() {
    const { remove } = await annsVersion()
    await store.as(ann).buckets.fork('base', 'try')
    await remove()
    return { from: 'try', release: () => store.as(ann).buckets.drop('try') }
  },
  async 'a fork of a fork'() {
    const { remove } = await annsVersion()
    await store.as(ann).buckets.fork('base', 'try')
    await store.as(ann).buckets.fork('try', 'again')
    await remove()
    const release = async (): Promise<void> => {
      for (const name of ['again', 'try']) await store.as(ann).buckets.drop(name)
    }
    return { from: 'again', release }
  },
  async 'the retention, and a fork of the past'() {
    const { at, remove } = await annsVersion()
    await remove()
    await store.as(ann).buckets.fork('base', 'try', { at })
    return { from: 'try', release: () => store.as(ann).buckets.drop('try') }
  },
}

async function settle(): Promise<void> {
  await store.retention.set({ keepMs: 0 })
  for (let i = 0; i < 4; i++) await store.sweep()
}

describe.each(Object.keys(keepers))('bytes that are kept by %s', (keeper) => {
  const fork = ({ from, at }: Kept) => store.as(bob).buckets.fork(from, 'bobs', at === undefined ? {} : { at })

  it('count for the fork that shows them, until it is gone', async () => {
    await store.identities.setQuota('bob', { bytes: 10_000 })
    const kept = await (keepers[keeper] as () => Promise<Kept>)()
    await fork(kept)
    await kept.release()
    await settle()
    expect(await (await store.as(bob).objects.get('bobs', 'k')).text()).toHaveLength(size)
    expect(await usedBy('bob')).toBe(size)
    expect((await store.usage({ bucket: 'bobs' })).shared).toBe(size)
    await store.as(bob).buckets.drop('bobs')
    await settle()
    expect([await usedBy('bob'), await usedBy('ann'), blobs()]).toEqual([0, 0, 0])
    expect((await store.verify({ scratch: memoryJournal() })).divergences).toEqual([])
  })

  it('count no more when the fork has removed them too', async () => {
    await store.identities.setQuota('bob', { bytes: 10_000 })
    const kept = await (keepers[keeper] as () => Promise<Kept>)()
    await fork(kept)
    await kept.release()
    const { versionId } = await store.objects.head('bobs', 'k')
    await store.as(bob).versions.delete('bobs', 'k', versionId)
    await settle()
    expect(await usedBy('bob')).toBe(0)
    expect((await store.verify({ scratch: memoryJournal() })).divergences).toEqual([])
  })

  it('are refused beyond a quota', async () => {
    await store.identities.setQuota('bob', { bytes: size - 1 })
    const kept = await (keepers[keeper] as () => Promise<Kept>)()
    expect(await codeOf(fork(kept))).toBe('QuotaExceeded')
    expect(await usedBy('bob')).toBe(0)
  })
})

describe.each(['a snapshot', 'another fork'])(
  'a fork that its owner began without a quota, of bytes kept by %s',
  (keeper) => {
    it('is not charged for them by a quota that is set later', async () => {
      const { from, at } = await (keepers[keeper] as () => Promise<Kept>)()
      await store.as(bob).buckets.fork(from, 'bobs', at === undefined ? {} : { at })
      await store.identities.setQuota('bob', { bytes: 10_000 })
      expect(await usedBy('bob')).toBe(0)
      await settle()
      expect(await usedBy('bob')).toBe(0)
      expect(await (await store.as(bob).objects.get('bobs', 'k')).text()).toHaveLength(size)
      expect((await store.verify({ scratch: memoryJournal() })).divergences).toEqual([])
    })
  },
)
