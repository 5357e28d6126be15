import { beforeEach, describe, expect, it } from 'vitest'
import { hashing, memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { isStorageError } from '../base/errors.ts'
import { copyLog } from '../repair/copy-log.ts'
import { JoinedReplicas } from './joined-replicas.ts'
import { mergedAtOnce } from './merge-parts.ts'
import { memoryReplica, type MemoryReplica } from './memory-replica.fixture.ts'
import { momentIn } from './replica-moment.ts'
import { ReplicaReader } from './replica-reader.ts'
import { readReplicaState } from './replica-state.ts'
import { ReplicaUpkeep } from './replica-upkeep.ts'
import { Replicator } from './replicator.ts'
import { restoreReplica } from './restore-replica.ts'
import { verifyReplica } from './verify-replica.ts'

let ports: MemoryPorts
let store: Store
let replica: MemoryReplica
let terms: number

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 8 })
  await store.buckets.create('box')
  replica = memoryReplica()
  terms = 0
})

interface As {
  readonly id?: string
  readonly from?: MemoryPorts
  readonly takeOver?: boolean
}

async function begin({ id = 'one', from = ports, takeOver = false }: As = {}) {
  const writer = { id, name: id }
  const claim = `claim ${++terms}`
  const begun = { from, into: replica, hashing, writer, claim, at: 0, takeOver }
  const { replicator, state } = await Replicator.begin(begun)
  return { replicator, upkeep: new ReplicaUpkeep({ ...replica, term: replicator.term }, state) }
}

type Writer = Awaited<ReturnType<typeof begin>>

/** Each write is a file of its own: short bytes, and every third time a blob. */
async function write({ replicator, upkeep }: Writer, files: number): Promise<void> {
  for (let n = 0; n < files; n++) {
    await store.objects.put('box', `key${store.seq}`, n % 3 === 2 ? `a long text ${n}` : `${n}`)
    upkeep.add(await replicator.copy(await ports.journal.head()))
  }
}

const join = async ({ upkeep }: Writer): Promise<void> => {
  while (await upkeep.merge());
  await upkeep.deleteReplaced()
}

const reading = async (of = replica): Promise<ReplicaReader> => new ReplicaReader(of, await readReplicaState(of))
const namesOf = (prefix: string): readonly string[] =>
  [...replica.files.stored.keys()].filter((name) => name.startsWith(prefix)).sort()

function lose(names: readonly string[]): void {
  for (const name of names) replica.files.stored.delete(name)
}

/** The last file of the log is lost. Resolves with how many events it had. */
async function loseLast(): Promise<number> {
  const last = (await readReplicaState(replica)).log.at(-1)
  lose([last?.part.name as string])
  return last === undefined ? 0 : last.to - last.from + 1
}

const lostEvents = (lost: number, head: number) =>
  expect.objectContaining({
    code: 'ReplicaCorrupt',
    details: { kind: 'end', lost, head, counted: head + lost },
    message: expect.stringContaining(lost === 1 ? 'its last event' : `its last ${lost} events`) as string,
  }) as unknown

async function restoredSeq(reader: ReplicaReader): Promise<number> {
  const into = memoryPorts()
  await copyLog({ from: reader, into, hashing, to: reader.end() })
  return into.journal.head()
}

describe('a replica that has lost its last files', () => {
  it.each([1, 2, 3, 100])('says how many events are missing, with %i files', async (files) => {
    await write(await begin(), 10)
    const written = store.seq
    const lost = namesOf('log/').slice(-files)
    lose(lost)
    const reader = await reading()
    const missing = written - reader.state.head
    expect(missing).toBeGreaterThan(0)
    const error = lostEvents(missing, reader.state.head)
    expect(() => reader.end()).toThrow(error as Error)
    await expect(verifyReplica({ reader, hashing })).rejects.toEqual(error)
    // A replica that has nothing at all is not taken for a new one.
    expect(reader.state.head === 0).toBe(files === 100)
  })

  it('is noticed when the files were joined, and in every later term', async () => {
    const writer = await begin()
    await write(writer, mergedAtOnce * 2)
    await join(writer)
    const missing = await loseLast()
    const { head } = await readReplicaState(replica)
    expect((await reading()).state.damaged).toEqual([lostEvents(missing, head)])
    await begin()
    lose(namesOf('ends/'))
    expect((await reading()).state.head).toBe(head)
  })

  it('is noticed by the start of the next term alone', async () => {
    await write(await begin(), 3)
    await begin()
    lose(namesOf('ends/'))
    const missing = await loseLast()
    const reader = await reading()
    expect(() => reader.end()).toThrow(lostEvents(missing, reader.state.head) as Error)
  })

  it('is written again by the store that has the events', async () => {
    await write(await begin(), 4)
    await loseLast()
    const { replicator } = await begin()
    await replicator.copy(await ports.journal.head())
    expect((await reading()).end()).toBe(store.seq)
  })

  it('is not written by an older copy of the store, which lacks the same events', async () => {
    const writer = await begin()
    await write(writer, 2)
    const older = memoryPorts()
    await copyLog({ from: await reading(), into: older, hashing, to: store.seq })
    await write(writer, 2)
    lose(namesOf('log/').slice(-2))
    await expect(begin({ from: older })).rejects.toMatchObject({ code: 'ReplicaDiverged', details: { kind: 'ahead' } })
    lose(namesOf('log/'))
    await expect(begin({ from: older })).rejects.toMatchObject({ code: 'ReplicaDiverged', details: { kind: 'ahead' } })
  })

  it('does not restore a time that may be among the lost events, and a position that it has', async () => {
    await write(await begin(), 4)
    await loseLast()
    const reader = await reading()
    const { head } = reader.state
    const seek = (at: number | string | Date) => momentIn({ hashing, reader, now: ports.clock.now() }, at)
    await expect(seek(new Date(ports.clock.now()))).rejects.toEqual(lostEvents(1, head))
    await expect(seek('a-snapshot')).rejects.toEqual(lostEvents(1, head))
    expect(await seek(head)).toBe(head)
  })

  it('is completed by a replica that has the events, and by no shorter one', async () => {
    const whole = memoryReplica()
    const writer = await begin()
    await write(writer, 4)
    for (const [name, bytes] of replica.files.stored) whole.files.stored.set(name, bytes)
    const short = memoryReplica()
    for (const [name, bytes] of whole.files.stored) short.files.stored.set(name, bytes)
    for (const name of namesOf('log/').slice(-2)) short.files.stored.delete(name)
    for (const name of namesOf('ends/')) short.files.stored.delete(name)
    await loseLast()
    const named = async (of: MemoryReplica) => ({ name: 'one', reader: await reading(of) })
    const joined = await JoinedReplicas.of([await named(replica), await named(whole)], hashing)
    expect(joined.end()).toBe(store.seq)
    const shorter = await JoinedReplicas.of([await named(short), await named(replica)], hashing)
    expect(() => shorter.end()).toThrow(lostEvents(1, store.seq - 1) as Error)
  })
})

describe('a replica in which nothing is lost', () => {
  it('has few ends', async () => {
    await write(await begin(), 50)
    expect(namesOf('ends/').length).toBeLessThan(20)
    await write(await begin(), 50)
    expect(namesOf('ends/').length).toBeLessThan(20)
    expect((await reading()).end()).toBe(store.seq)
  })

  it('is read while it is written and joined', async () => {
    const writer = await begin()
    await write(writer, 5)
    const { list } = replica.files
    replica.files.list = async function* (prefix) {
      for await (const file of list(prefix)) {
        yield file
        if (store.seq < 200) await write(writer, 1)
        await writer.upkeep.merge()
      }
    }
    for (let looks = 0; looks < 20; looks++) expect((await readReplicaState(replica)).damaged).toEqual([])
  })

  it('is copied at any moment between two files that are written', async () => {
    const moments: ReadonlyMap<string, Uint8Array>[] = []
    const { create } = replica.files
    replica.files.create = async (name, source) => {
      const created = await create(name, source)
      moments.push(new Map(replica.files.stored))
      return created
    }
    const writer = await begin()
    for (let n = 0; n < 4; n++) {
      await write(writer, 5)
      await join(writer)
    }
    for (const moment of moments) {
      const copy = memoryReplica()
      for (const [name, bytes] of moment) copy.files.stored.set(name, bytes)
      expect((await readReplicaState(copy)).damaged).toEqual([])
    }
  })

  it('goes on from an earlier event after another store took it over', async () => {
    const writer = await begin()
    await write(writer, 3)
    const into = memoryPorts()
    const restoring = { name: 'replica', into: { name: 'here', ...into }, hashing, ids: into.ids, now: 0 }
    await restoreReplica({ ...restoring, reader: await reading(), to: store.seq - 2 })
    await begin({ id: 'other', from: into, takeOver: true })
    const reader = await reading()
    expect(reader.end()).toBe(2)
  })

  it('may be of a release that recorded no ends', async () => {
    await write(await begin(), 3)
    lose(namesOf('ends/'))
    expect((await reading()).end()).toBe(store.seq)
  })
})

describe('any file of a replica', () => {
  const harms: Readonly<Record<string, (name: string) => void>> = {
    'is removed': (name) => lose([name]),
    'is cut off': (name) => {
      const bytes = replica.files.stored.get(name) as Uint8Array
      replica.files.stored.set(name, bytes.slice(0, bytes.length / 2))
    },
    'is another one of its kind': (name) => {
      const other = namesOf(name.slice(0, 6)).find((one) => one !== name)
      if (other !== undefined) replica.files.stored.set(name, replica.files.stored.get(other) as Uint8Array)
    },
  }

  it.each(Object.keys(harms))('%s: that is noticed, or all can be restored', async (harm) => {
    for (let writers = 0; writers < 2; writers++) {
      const writer = await begin()
      await write(writer, 11)
      await join(writer)
    }
    await write(await begin(), 3)
    const whole = new Map(replica.files.stored)
    for (const name of whole.keys()) {
      harms[harm]?.(name)
      const end = await reading()
        .then(async (reader) => {
          const { findings } = await verifyReplica({ reader, hashing, blobs: 'read' })
          return findings.length > 0 ? 'found' : await restoredSeq(reader)
        })
        .catch((error: unknown) => {
          if (!isStorageError(error)) throw error
          return 'found'
        })
      expect([name, end]).toEqual([name, end === 'found' ? 'found' : store.seq])
      if (name.startsWith('log/')) expect([name, end]).toEqual([name, 'found'])
      replica.files.stored.clear()
      for (const [other, bytes] of whole) replica.files.stored.set(other, bytes)
    }
  })
})

describe('bytes that a replica has lost', () => {
  it('are counted by the call that ends the restore, wherever earlier ones were interrupted', async () => {
    await write(await begin(), 9)
    const blobs = [...replica.blobs.bytes.keys()]
    await replica.blobs.delete(blobs.slice(0, 2))
    for (let commits = 1, ended = false; !ended; commits++) {
      const into = memoryPorts()
      let left = commits
      const commit: typeof into.journal.commit = async (given) => {
        if (left-- === 0) throw new Error('killed')
        await into.journal.commit(given)
      }
      const restore = (journal: Pick<typeof into.journal, 'commit'>) =>
        reading().then((reader) =>
          restoreReplica({
            name: 'replica',
            reader,
            into: { name: 'here', journal: { ...into.journal, ...journal }, blobs: into.blobs },
            hashing,
            ids: into.ids,
            to: reader.end(),
            toEnd: true,
            now: 0,
          }),
        )
      ended = await restore({ commit }).then(
        () => true,
        () => false,
      )
      const again = ended ? undefined : await restore(into.journal)
      if (again !== undefined) expect([commits, again.lost]).toEqual([commits, 2])
      const there = await openEngine(into)
      expect((await there.verify()).divergences).toHaveLength(2)
    }
  })
})
