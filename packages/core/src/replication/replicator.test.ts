import { beforeEach, describe, expect, it } from 'vitest'
import { hashing, memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { toHex } from '../bytes/hex.ts'
import type { ByteSource } from '../ports/index.ts'
import { copyLog } from '../repair/copy-log.ts'
import { mergedAtOnce } from './merge-parts.ts'
import { memoryReplica, type MemoryReplica } from './memory-replica.fixture.ts'
import { ReplicaReader } from './replica-reader.ts'
import { readReplicaState } from './replica-state.ts'
import { ReplicaUpkeep } from './replica-upkeep.ts'
import { Replicator } from './replicator.ts'
import { restoreReplica } from './restore-replica.ts'

const options = { inlineMax: 8, retentionMs: 0 } as const
const writer = { id: 'one', name: 'the cellar' }

let ports: MemoryPorts
let store: Store
let replica: MemoryReplica

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, options)
  replica = memoryReplica()
  await store.buckets.create('box')
  await store.buckets.setVersioning('box', 'Enabled')
})

let claims = 0
const begin = (of = ports, as: { readonly id?: string; readonly takeOver?: boolean } = {}) =>
  Replicator.begin({
    from: of,
    into: replica,
    hashing,
    writer: { ...writer, ...(as.id && { id: as.id }) },
    claim: `claim ${++claims}`,
    at: 1_700_000_000_000,
    ...(as.takeOver && { takeOver: true }),
  })

const head = (of = ports): Promise<number> => of.journal.head()

async function copyAll(replicator: Replicator, of = ports): Promise<void> {
  while (replicator.position < (await head(of))) await replicator.copy(await head(of))
}

async function restored(to?: number): Promise<{ readonly store: Store; readonly ports: MemoryPorts }> {
  const into = memoryPorts()
  const from = new ReplicaReader(replica, await readReplicaState(replica))
  await copyLog({ from, into, hashing, to: to ?? from.end() })
  return { store: await openEngine(into, options), ports: into }
}

const logOf = ({ journal }: MemoryPorts): readonly string[] => journal.log.map(toHex)

async function contentOf(of: Store): Promise<Record<string, string>> {
  const all: Record<string, string> = {}
  for await (const listed of of.versions.list('box')) {
    if (listed.kind === 'marker') all[`${listed.key} ${listed.versionId}`] = 'marker'
    if (listed.kind !== 'version') continue
    const { key, versionId } = listed
    all[`${key} ${versionId}`] = await (await of.objects.get('box', key, { versionId })).text()
  }
  return all
}

async function fill(count: number, from = 0): Promise<void> {
  for (let n = from; n < from + count; n++) await store.objects.put('box', `key${n % 7}`, 'x'.repeat(n % 20))
}

describe('a replica', () => {
  it('restores to the same store, byte for byte', async () => {
    await fill(30)
    await store.objects.copy({ bucket: 'box', key: 'key3' }, 'box', 'copy')
    await store.objects.delete('box', 'key1')
    const { replicator } = await begin()
    await copyAll(replicator)
    const there = await restored()
    expect(logOf(there.ports)).toEqual(logOf(ports))
    expect(await contentOf(there.store)).toEqual(await contentOf(store))
    expect((await there.store.verify()).divergences).toEqual([])
  })

  it('restores to any earlier moment', async () => {
    const states = new Map<number, Record<string, string>>()
    const { replicator } = await begin()
    for (let n = 0; n < 20; n++) {
      await fill(2, n * 2)
      states.set(await head(), await contentOf(store))
      await copyAll(replicator)
    }
    for (const [position, content] of states) {
      const there = await restored(position)
      expect(await contentOf(there.store)).toEqual(content)
      await there.store.close()
    }
  })

  it('goes on where it is after its writer was started again', async () => {
    await fill(5)
    await copyAll((await begin()).replicator)
    await fill(5, 5)
    const { replicator } = await begin()
    expect(replicator.term).toBe(2)
    expect(replicator.position).toBeLessThan(await head())
    await copyAll(replicator)
    expect(logOf((await restored()).ports)).toEqual(logOf(ports))
  })

  it('is in few files, however many were written, and they have everything', async () => {
    const { replicator, state } = await begin()
    const upkeep = new ReplicaUpkeep({ ...replica, term: replicator.term }, state)
    for (let n = 0; n < 600; n++) {
      await fill(1, n)
      upkeep.add(await replicator.copy(await head()))
      while (await upkeep.merge());
    }
    expect(upkeep.files).toBeLessThan(3 * mergedAtOnce)
    expect([...replica.files.stored.keys()].length).toBeLessThan(6 * mergedAtOnce)
    const there = await restored()
    expect(logOf(there.ports)).toEqual(logOf(ports))
    expect(await contentOf(there.store)).toEqual(await contentOf(store))
    expect((await there.store.verify()).divergences).toEqual([])
  })

  it('keeps bytes that the store has erased since', async () => {
    const { replicator } = await begin()
    const { versionId } = await store.objects.put('box', 'gone', 'inline')
    await copyAll(replicator)
    const before = await head()
    await store.objects.delete('box', 'gone', { versionId })
    await store.sweep()
    await copyAll(replicator)
    const there = await restored(before)
    expect(await (await there.store.objects.get('box', 'gone')).text()).toBe('inline')
  })
})

describe('two writers of one replica', () => {
  it('are refused by name, unless the second takes over', async () => {
    await begin()
    await expect(begin(ports, { id: 'two' })).rejects.toMatchObject({
      code: 'ReplicaHeld',
      details: { kind: 'claimed', holder: 'the cellar' },
    })
    expect((await begin(ports, { id: 'two', takeOver: true })).replicator.term).toBe(2)
  })

  it('never both count what they write: the deposed one is told', async () => {
    const { replicator: first } = await begin()
    await fill(3)
    await copyAll(first)
    await begin(ports, { id: 'two', takeOver: true })
    await fill(3)
    await expect(copyAll(first)).rejects.toMatchObject({ code: 'ReplicaHeld', details: { kind: 'deposed' } })
  })

  it('leave one line: what the deposed one writes late is ignored', async () => {
    const { replicator: first } = await begin()
    await fill(3)
    await copyAll(first)
    const copied = memoryPorts()
    await copyLog({ from: new ReplicaReader(replica, await readReplicaState(replica)), into: copied, hashing })
    const { replicator: second } = await begin(copied, { id: 'two', takeOver: true })
    await fill(4)
    await first.copy(await head()).catch(() => undefined)
    const other = await openEngine(copied, options)
    await other.objects.put('box', 'other', 'branch')
    await copyAll(second, copied)
    const there = await restored()
    expect(logOf(there.ports)).toEqual(logOf(copied))
    expect(await (await there.store.objects.get('box', 'other')).text()).toBe('branch')
  })

  it('cannot have a target that replaces files', async () => {
    const { create } = replica.files
    replica.files.create = async (name: string, source: ByteSource) => {
      replica.files.stored.delete(name)
      return create(name, source)
    }
    await expect(begin()).rejects.toMatchObject({ code: 'NotImplemented' })
  })
})

describe('a replica of another log', () => {
  it.each([
    [
      'store',
      async () => {
        const other = memoryPorts()
        const otherStore = await openEngine(other, options)
        await otherStore.buckets.create('another')
        return other
      },
    ],
    [
      'ahead',
      async () => {
        const copy = memoryPorts()
        await copyLog({ from: new ReplicaReader(replica, await readReplicaState(replica)), into: copy, hashing, to: 3 })
        return copy
      },
    ],
    [
      'branch',
      async () => {
        const copy = memoryPorts()
        await copyLog({ from: new ReplicaReader(replica, await readReplicaState(replica)), into: copy, hashing, to: 3 })
        const other = await openEngine(copy, options)
        for (let n = 0; n < 9; n++) await other.objects.put('box', 'other', 'x')
        return copy
      },
    ],
  ] as const)('is refused, and nothing is written: %s', async (kind, make) => {
    await fill(5)
    await copyAll((await begin()).replicator)
    const other = await make()
    const before = new Map(replica.files.stored)
    await expect(begin(other)).rejects.toMatchObject({ code: 'ReplicaDiverged', details: { kind } })
    expect(replica.files.stored).toEqual(before)
  })
})

describe('a damaged replica', () => {
  it('is never restored from as if it were whole: every file, every byte', async () => {
    await fill(9)
    await copyAll((await begin()).replicator)
    let found = 0
    for (const [name, bytes] of replica.files.stored) {
      if (name.startsWith('terms/')) continue
      for (let at = 0; at < bytes.length; at++) {
        const damaged = Uint8Array.from(bytes)
        damaged[at] = (damaged[at] as number) ^ 1
        replica.files.stored.set(name, damaged)
        const outcome = await restored().catch((error: { readonly code: string }) => error.code)
        if (typeof outcome === 'string') found++
        else expect(logOf(outcome.ports)).toEqual(logOf(ports))
      }
      replica.files.stored.set(name, bytes)
    }
    expect(found).toBeGreaterThan(1000)
  })

  it('shows that a file is missing', async () => {
    const { replicator } = await begin()
    for (let n = 0; n < 4; n++) {
      await fill(2)
      await replicator.copy(await head())
    }
    const logs = [...replica.files.stored.keys()].filter((name) => name.startsWith('log/'))
    replica.files.stored.delete(logs[1] as string)
    await expect(restored()).rejects.toMatchObject({ code: 'ReplicaCorrupt', details: { kind: 'gap' } })
  })

  it('finds a file that the listing does not show yet', async () => {
    const { replicator } = await begin()
    await fill(2)
    await replicator.copy(await head())
    await fill(2)
    const part = await replicator.copy(await head())
    const { list } = replica.files
    replica.files.list = async function* (prefix) {
      for await (const file of list(prefix)) if (file.name !== part.name) yield file
    }
    expect((await readReplicaState(replica)).head).toBe(await head())
  })
})

describe('a restore', () => {
  async function target(into: MemoryPorts, left = Number.POSITIVE_INFINITY) {
    const journal = { ...into.journal }
    journal.commit = async (commit) => {
      if (left-- <= 0) throw new Error('cut')
      await into.journal.commit(commit)
    }
    const state = await readReplicaState(replica)
    return restoreReplica({
      name: 'the attic',
      reader: new ReplicaReader(replica, state),
      into: { name: 'here', journal, blobs: into.blobs },
      hashing,
      ids: into.ids,
      to: state.head,
      now: 0,
    })
  }

  it('goes on after an interruption anywhere, and nothing opens the store before', async () => {
    await fill(9)
    await copyAll((await begin()).replicator)
    let cuts = 0
    for (; ; cuts++) {
      const into = memoryPorts()
      const isWhole = await target(into, cuts).then(
        () => true,
        () => false,
      )
      if (isWhole) break
      if (into.journal.log.length > 0)
        await expect(openEngine(into, options)).rejects.toMatchObject({ details: { kind: 'arriving' } })
      await target(into)
      expect(into.journal.log.length).toBe((await head()) + 1)
      expect(into.journal.log.slice(0, -1).map(toHex)).toEqual(logOf(ports))
      const there = await openEngine(into, options)
      expect((await there.verify()).divergences).toEqual([])
      await there.close()
    }
    expect(cuts).toBeGreaterThan(4)
  })

  it('goes on in an epoch of its own, so no id is given out twice', async () => {
    await fill(3)
    await copyAll((await begin()).replicator)
    const lost = await store.objects.put('box', 'key', 'lost')
    const into = memoryPorts()
    await target(into)
    const there = await openEngine(into, options)
    const { versionId } = await there.objects.put('box', 'key', 'new')
    expect(versionId).not.toBe(lost.versionId)
    await expect(there.objects.get('box', 'key', { versionId: lost.versionId })).rejects.toMatchObject({
      code: 'NoSuchVersion',
    })
  })
})
