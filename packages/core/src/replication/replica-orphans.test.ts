import { beforeEach, describe, expect, it } from 'vitest'
import { hashing, memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { memoryReplica, type MemoryReplica } from './memory-replica.fixture.ts'
import { ReplicaOrphans } from './replica-orphans.ts'

const everyMs = 1000
const orphan = 'f'.repeat(32)

let ports: MemoryPorts
let store: Store
let replica: MemoryReplica
let now: number
let isDeposed: boolean

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 8 })
  await store.buckets.create('box')
  replica = memoryReplica()
  now = 0
  isDeposed = false
})

const search = (): ReplicaOrphans =>
  new ReplicaOrphans({
    from: ports,
    into: replica,
    hashing,
    everyMs,
    now: () => now,
    replicator: {
      assertGoesOn: async () => {
        if (isDeposed) throw new Error('deposed')
      },
    },
  })

const put = (id: string): void => void replica.blobs.bytes.set(id, new Uint8Array(1))

describe('a blob of a replica that no event names', () => {
  it('is removed when two passes have found it, and not before', async () => {
    put(orphan)
    const orphans = search()
    expect(await orphans.step()).toBe(0)
    now += everyMs
    expect(await orphans.step()).toBe(0)
    expect(await orphans.step()).toBe(0)
    expect(replica.blobs.bytes.has(orphan)).toBe(true)
    now += everyMs
    expect(await orphans.step()).toBe(1)
    expect(replica.blobs.bytes.has(orphan)).toBe(false)
  })

  it('stays if an event names it, also one that was not copied yet, and also if it was erased since', async () => {
    await store.objects.put('box', 'erased', 'x'.repeat(100))
    await store.objects.put('box', 'stays', 'x'.repeat(100))
    for (const id of ports.blobs.bytes.keys()) put(id)
    await store.objects.delete('box', 'erased')
    await store.sweep()
    expect(ports.blobs.bytes.size).toBe(1)
    const orphans = search()
    for (let pass = 0; pass < 3; pass++) {
      now += everyMs
      expect(await orphans.step()).toBe(0)
    }
    expect(replica.blobs.bytes.size).toBe(2)
  })

  it('stays if it was named between the passes', async () => {
    await store.objects.put('box', 'key', 'x'.repeat(100))
    const [id = ''] = ports.blobs.bytes.keys()
    put(id)
    const log = ports.journal.log.splice(1)
    const row = [...ports.journal.rows]
    ports.journal.rows.clear()
    const orphans = search()
    now += everyMs
    await orphans.step()
    ports.journal.log.push(...log)
    for (const [key, value] of row) ports.journal.rows.set(key, value)
    now += everyMs
    expect(await orphans.step()).toBe(0)
    expect(replica.blobs.bytes.has(id)).toBe(true)
  })

  it('is found among many, step by step', async () => {
    for (let n = 0; n < 2500; n++) put(n.toString(16).padStart(32, '0'))
    const orphans = search()
    let removed = 0
    for (let pass = 0; pass < 2; pass++) {
      now += everyMs
      for (let step = 0; step < 3; step++) removed += await orphans.step()
    }
    expect([removed, replica.blobs.bytes.size]).toEqual([2500, 0])
  })

  it('is not removed by a writer that was deposed', async () => {
    put(orphan)
    const orphans = search()
    now += everyMs
    await orphans.step()
    isDeposed = true
    now += everyMs
    await expect(orphans.step()).rejects.toThrow('deposed')
    expect(replica.blobs.bytes.has(orphan)).toBe(true)
  })

  it('is looked for again after a listing that failed', async () => {
    put(orphan)
    const { list } = replica.blobs
    const orphans = search()
    now += everyMs
    replica.blobs.list = () => {
      throw new Error('no list')
    }
    await expect(orphans.step()).rejects.toThrow('no list')
    replica.blobs.list = list
    await orphans.step()
    now += everyMs
    expect(await orphans.step()).toBe(1)
  })
})
