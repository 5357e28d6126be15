import { beforeEach, describe, expect, it } from 'vitest'
import { hashing, memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { memoryReplica, type MemoryReplica } from './memory-replica.fixture.ts'
import { ReplicaCopy } from './replica-copy.ts'
import { momentIn } from './replica-moment.ts'
import { ReplicaReader } from './replica-reader.ts'
import { readReplicaState } from './replica-state.ts'
import { ReplicaTail } from './replica-tail.ts'
import { ReplicaUpkeep } from './replica-upkeep.ts'
import { Replicator } from './replicator.ts'
import { restoreReplica } from './restore-replica.ts'

let ports: MemoryPorts
let store: Store
let replica: MemoryReplica
let replicator: Replicator
let upkeep: ReplicaUpkeep

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 8 })
  await store.buckets.create('box')
  replica = memoryReplica()
  const writer = { id: 'one', name: 'one' }
  const begun = await Replicator.begin({ from: ports, into: replica, hashing, writer, claim: 'claim', at: 0 })
  replicator = begun.replicator
  upkeep = new ReplicaUpkeep({ ...replica, term: replicator.term }, begun.state)
})

/** Each write is a file of its own. */
async function write(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await store.objects.put('box', `key${n}`, n % 2 === 0 ? `${n}` : `a longer text ${n}`)
    upkeep.add(await replicator.copy(await ports.journal.head()))
  }
}

async function joinAll(): Promise<void> {
  while (await upkeep.merge());
  await upkeep.deleteReplaced()
}

const reading = async (): Promise<ReplicaReader> => new ReplicaReader(replica, await readReplicaState(replica))

async function positionsIn(reader: ReplicaReader, each?: (seq: number) => Promise<void>): Promise<readonly number[]> {
  const seqs: number[] = []
  for await (const { seq } of reader.journal.events()) {
    seqs.push(seq)
    await each?.(seq)
  }
  return seqs
}

const upTo = (head: number): readonly number[] => Array.from({ length: head }, (_, i) => i + 1)

describe('a reader of a replica whose files are joined meanwhile', () => {
  it('reads every event once, whenever they are joined', async () => {
    await write(40)
    for (const at of [1, 2, 9, 20, 39]) {
      const reader = await reading()
      const { head } = reader.state
      const found = await positionsIn(reader, async (seq) => {
        if (seq !== at) return
        await write(9)
        await joinAll()
      })
      expect(found).toEqual(upTo(head))
    }
  })

  it('restores all bytes', async () => {
    await write(30)
    const reader = await reading()
    const { head } = reader.state
    await write(20)
    await joinAll()
    const into = memoryPorts()
    const target = { name: 'there', journal: into.journal, blobs: into.blobs, close: async () => undefined }
    const { absent } = await restoreReplica({
      name: 'replica',
      reader,
      into: target,
      hashing,
      ids: into.ids,
      to: head,
      now: 0,
    })
    expect(absent).toBe(0)
    const restored = await openEngine(into, { inlineMax: 8 })
    expect(await (await restored.objects.get('box', 'key28')).text()).toBe('28')
    expect(await (await restored.objects.get('box', 'key29')).text()).toBe('a longer text 29')
  })

  /** Until then, the files of each listing are joined and deleted before one of them is read. */
  function joinAfterListings(count: number): void {
    const { list } = replica.files
    let listings = 0
    replica.files.list = async function* (prefix) {
      const found = []
      for await (const file of list(prefix)) found.push(file)
      if (prefix === 'log/' && listings++ < count) {
        await write(17)
        await joinAll()
      }
      yield* found
    }
  }

  it.each<[string, (reader: ReplicaReader) => Promise<unknown>, unknown]>([
    ['its state', async () => (await readReplicaState(replica)).head > 36, true],
    ['a moment', (reader) => momentIn({ hashing, reader, now: 0 }, new Date(ports.clock.time)), expect.any(Number)],
    ['what its files say', async (reader) => (await reader.pieces()).map(({ facts }) => facts.from)[0], 1],
    ['all events', positionsIn, upTo(18)],
    ['what a store lacks', async () => (await new ReplicaCopy('replica', replica).event(9))?.seq, 9],
  ])('reads %s, though files go as fast as they are listed', async (_name, read, expected) => {
    await write(17)
    const reader = await reading()
    await write(17)
    await joinAll()
    joinAfterListings(30)
    expect(await read(reader)).toEqual(expected)
  })

  it('goes on in other files as it follows', async () => {
    await write(5)
    const reader = await new ReplicaTail(replica, { journal: memoryPorts().journal, hashing }).next(0)
    await write(17)
    await joinAll()
    expect((await positionsIn(reader as ReplicaReader)).slice(0, 6)).toEqual(upTo(6))
  })

  it('ends if a file is lost', async () => {
    await write(10)
    const reader = await reading()
    const lost = reader.state.log[4]?.part.name ?? ''
    await replica.files.delete([lost])
    await expect(positionsIn(reader)).rejects.toMatchObject({ code: 'ReplicaCorrupt' })
  })
})
