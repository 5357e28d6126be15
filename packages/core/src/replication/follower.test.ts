import { beforeEach, describe, expect, it } from 'vitest'
import { hashing, memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { beginEpoch } from '../api/begin-epoch.ts'
import { openEngine, openFollower } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import type { FollowedLog } from '../engine/followed-log.ts'
import { toHex } from '../bytes/hex.ts'
import { tipAt } from '../events/log.ts'
import { copyLog } from '../repair/copy-log.ts'
import { arriveToFollow } from './arrive-to-follow.ts'
import { Follower, promoteAlone } from './follower.ts'
import { memoryReplica, type MemoryReplica } from './memory-replica.fixture.ts'
import { ReplicaReader } from './replica-reader.ts'
import { readReplicaState } from './replica-state.ts'
import { ReplicaUpkeep } from './replica-upkeep.ts'
import { Replicator } from './replicator.ts'

const options = { inlineMax: 8, retentionMs: 0 } as const
const by = { id: 'someone', name: 'someone' }
const at = 1_700_000_000_000

let primary: MemoryPorts
let store: Store
let replica: MemoryReplica

beforeEach(async () => {
  primary = memoryPorts()
  store = await openEngine(primary, options)
  replica = memoryReplica()
  await store.buckets.create('box')
})

let claims = 0
const begin = async (of = primary, as: { readonly id?: string; readonly takeOver?: boolean } = {}) =>
  (
    await Replicator.begin({
      from: of,
      into: replica,
      hashing,
      writer: { id: as.id ?? 'one', name: `the store ${as.id ?? 'one'}` },
      claim: `claim ${++claims}`,
      at,
      ...(as.takeOver && { takeOver: true }),
    })
  ).replicator

const copyUp = async (replicator: Replicator, of = primary): Promise<void> => {
  while (replicator.position < (await of.journal.head())) await replicator.copy(await of.journal.head())
}

interface Following {
  readonly store: Store
  readonly ports: MemoryPorts
  readonly follower: Follower
  readonly log: FollowedLog
}

/** As a store that is opened again: its first start copies what the replica has. */
async function follow(ports = memoryPorts()): Promise<Following> {
  const { ids: secrets } = ports
  await arriveToFollow({
    name: 'the replica',
    replica: async () => replica,
    into: { name: 'here', ...ports },
    hashing,
    ids: secrets,
  })
  const { store: followed, log } = await openFollower(ports, options)
  const { journal, blobs, ids } = ports
  return {
    store: followed,
    ports,
    log,
    follower: new Follower({ log, journal, blobs, replica, name: 'the replica', hashing, ids }),
  }
}

const catchUp = async ({ follower }: Following): Promise<void> => {
  while (await follower.step());
}

const rowsOf = ({ journal }: MemoryPorts): readonly string[] =>
  [...journal.rows.values()]
    .filter(([[table = 0]]) => table < 0x90)
    .map(([key, value]) => `${toHex(key)} ${toHex(value)}`)
    .sort()

const logOf = ({ journal }: MemoryPorts): readonly string[] => journal.log.map(toHex)
const code = (error: string, kind?: string) =>
  expect.objectContaining({ code: error, ...(kind && { details: expect.objectContaining({ kind }) }) })

async function expectEqual({ store: followed, ports }: Following): Promise<void> {
  expect(logOf(ports)).toEqual(logOf(primary))
  expect(rowsOf(ports)).toEqual(rowsOf(primary))
  expect([...ports.blobs.bytes.keys()].sort()).toEqual([...primary.blobs.bytes.keys()].sort())
  expect((await followed.verify()).divergences).toEqual([])
}

describe('a store that follows a replica', () => {
  it('has the log, the rows and the bytes of the store that writes it, after each file', async () => {
    const replicator = await begin()
    await store.objects.put('box', 'first', 'short')
    await copyUp(replicator)
    const following = await follow()
    for (let n = 0; n < 12; n++) {
      await store.objects.put('box', `key${n % 3}`, 'x'.repeat(n * 3))
      if (n % 4 === 3) await store.objects.delete('box', 'key0')
      await store.sweep()
      await copyUp(replicator)
      await catchUp(following)
      expect(following.store.seq).toBe(store.seq)
      expect(logOf(following.ports)).toEqual(logOf(primary))
      const listed = []
      for await (const entry of following.store.objects.list('box')) listed.push(entry)
      const expected = []
      for await (const entry of store.objects.list('box')) expected.push(entry)
      expect(listed).toEqual(expected)
    }
    await expectEqual(following)
  })

  it('erases the bytes that the other store erased, also those of parts', async () => {
    const replicator = await begin()
    const upload = await store.uploads.create('box', 'parts')
    const made = []
    for (const [i, body] of ['a'.repeat(100), 'b'.repeat(100), 'c'].entries())
      made.push(await store.uploads.uploadPart(upload, i + 1, body))
    await store.uploads.complete(upload, made, { partSizeMin: 1 })
    await store.objects.put('box', 'key', 'd'.repeat(50))
    await copyUp(replicator)
    const following = await follow()
    expect(following.ports.blobs.bytes.size).toBe(3)
    await store.objects.delete('box', 'parts')
    await store.objects.delete('box', 'key')
    await store.sweep()
    await copyUp(replicator)
    await catchUp(following)
    expect(following.ports.blobs.bytes.size).toBe(0)
    await expectEqual(following)
  })

  it('reads files that were joined before it came to them', async () => {
    const replicator = await begin()
    await copyUp(replicator)
    const following = await follow()
    await catchUp(following)
    const upkeep = new ReplicaUpkeep({ ...replica, term: replicator.term }, await readReplicaState(replica))
    for (let n = 0; n < 70; n++) {
      await store.objects.put('box', `key${n}`, 'x'.repeat(n))
      upkeep.add(await replicator.copy(store.seq))
      while (await upkeep.merge());
    }
    // It looks by name a few times before it notices.
    for (let n = 0; n < 10; n++) await catchUp(following)
    await expectEqual(following)
  })

  it.each([8, 9, 15, 16, 17, 24, 63, 64, 65])(
    'goes on from the end of a file that was joined before, when %i files behind it were joined meanwhile',
    async (more) => {
      const replicator = await begin()
      const upkeep = new ReplicaUpkeep({ ...replica, term: replicator.term }, await readReplicaState(replica))
      let written = 0
      const write = async (files: number): Promise<void> => {
        for (let n = 0; n < files; n++) {
          await store.objects.put('box', `key${written++}`, 'x')
          upkeep.add(await replicator.copy(store.seq))
          while (await upkeep.merge());
        }
      }
      await write(8)
      const following = await follow()
      await catchUp(following)
      await write(more)
      await upkeep.deleteReplaced()
      for (let n = 0; n < 12; n++) await catchUp(following)
      expect(following.store.seq).toBe(store.seq)
    },
  )

  it('goes on when a file that it reads is joined with others meanwhile, also as it begins', async () => {
    const replicator = await begin()
    const upkeep = new ReplicaUpkeep({ ...replica, term: replicator.term }, await readReplicaState(replica))
    const write = async (count: number) => {
      for (let n = 0; n < count; n++) {
        await store.objects.put('box', `key${n}`, 'x'.repeat(n))
        upkeep.add(await replicator.copy(store.seq))
      }
    }
    // The second time that the last file is read, it is not there any more.
    const { read } = replica.files
    let joined = 0
    const joinAtSecondRead = () => {
      let reads = 0
      const last = [...replica.files.stored.keys()]
        .filter((name) => name.startsWith('log/0/'))
        .sort()
        .at(-1)
      replica.files.read = async (name, range) => {
        if (name === last && ++reads === 2) {
          await write(9)
          while (await upkeep.merge());
          replica.files.stored.delete(name)
          joined++
        }
        return read(name, range)
      }
    }
    await write(7)
    joinAtSecondRead()
    const following = await follow()
    await write(7)
    joinAtSecondRead()
    await catchUp(following)
    expect(joined).toBe(2)
    await store.sweep()
    await copyUp(replicator)
    for (let n = 0; n < 10; n++) await catchUp(following)
    expect(logOf(following.ports)).toEqual(logOf(primary))
  })

  it('tells its subscribers of every event', async () => {
    const replicator = await begin()
    await copyUp(replicator)
    const following = await follow()
    const seen: number[] = []
    following.store.subscribe((events) => seen.push(...events.map(({ seq }) => seq)))
    await store.objects.put('box', 'a', 'a')
    await store.objects.put('box', 'b', 'b')
    await copyUp(replicator)
    await catchUp(following)
    expect(seen).toEqual([store.seq - 1, store.seq])
  })

  it('shows a read what was there, and then what came', async () => {
    const replicator = await begin()
    await store.objects.put('box', 'key', 'before')
    const then = store.seq
    await copyUp(replicator)
    const following = await follow()
    const text = async () => (await following.store.objects.get('box', 'key')).text()
    expect(await text()).toBe('before')
    await store.objects.put('box', 'key', 'and after')
    await store.sweep()
    await copyUp(replicator)
    await catchUp(following)
    expect(await text()).toBe('and after')
    const past = await following.store.at(then)
    await expect(past.objects.get('box', 'key')).rejects.toEqual(code('ObjectErased'))
  })

  it('refuses every write, and takes no bytes for it', async () => {
    const replicator = await begin()
    await copyUp(replicator)
    const { store: followed, ports } = await follow()
    let read = 0
    async function* body() {
      read++
      yield new Uint8Array(100)
    }
    await expect(followed.objects.put('box', 'key', body())).rejects.toEqual(code('ReadOnly', 'following'))
    expect(read).toBe(0)
    await expect(followed.objects.delete('box', 'key')).rejects.toEqual(code('ReadOnly'))
    await expect(followed.sweep()).rejects.toEqual(code('ReadOnly'))
    await expect(followed.snapshots.create('before')).rejects.toEqual(code('ReadOnly'))
    expect(ports.journal.log).toHaveLength(store.seq)
    expect(followed.state).toBe('open')
  })

  it('is opened to follow, or to be read', async () => {
    const replicator = await begin()
    await copyUp(replicator)
    const { store: followed, ports } = await follow()
    await followed.close()
    await expect(openEngine(ports, options)).rejects.toEqual(code('ReadOnly', 'following'))
    await expect(openFollower(primary, options)).rejects.toEqual(code('InvalidRequest'))
    const again = await follow(ports)
    await store.objects.put('box', 'key', 'x')
    await copyUp(replicator)
    await catchUp(again)
    await expectEqual(again)
  })

  it('keeps what it has when its disk is nearly full, and goes on later', async () => {
    let isFull = false
    const replicator = await begin()
    await copyUp(replicator)
    const following = await follow({ ...memoryPorts(), reserve: { exhausted: async () => isFull } } as MemoryPorts)
    isFull = true
    await store.objects.put('box', 'key', 'x')
    await copyUp(replicator)
    await expect(following.follower.step()).rejects.toEqual(code('NoSpace'))
    expect(following.store.state).toBe('open')
    isFull = false
    await catchUp(following)
    await expectEqual(following)
  })

  it('applies nothing of a file that is damaged, and goes on when it was mended', async () => {
    const replicator = await begin()
    await copyUp(replicator)
    const following = await follow()
    await store.objects.put('box', 'key', 'x'.repeat(100))
    const { name } = await replicator.copy(store.seq)
    const sound = replica.files.stored.get(name) as Uint8Array
    replica.files.stored.set(
      name,
      sound.map((byte, i) => (i === 40 ? byte ^ 1 : byte)),
    )
    await expect(following.follower.step()).rejects.toEqual(code('ReplicaCorrupt'))
    expect(following.store.seq).toBe(store.seq - 1)
    replica.files.stored.set(name, sound)
    await catchUp(following)
    await expectEqual(following)
  })
})

describe('a replica that another writer has', () => {
  it('is followed while the same store begins again', async () => {
    await copyUp(await begin())
    const following = await follow()
    for (let n = 0; n < 3; n++) {
      await store.objects.put('box', `key${n}`, 'x')
      await copyUp(await begin())
      await catchUp(following)
      expect(following.store.seq).toBe(store.seq)
    }
    await expectEqual(following)
  })

  it('shows nothing newer before its claimant has begun', async () => {
    const replicator = await begin()
    await copyUp(replicator)
    const following = await follow()
    await catchUp(following)
    const { create } = replica.files
    replica.files.create = (name, source) =>
      name.startsWith('starts/') ? Promise.reject(new Error('cut')) : create(name, source)
    await expect(begin()).rejects.toThrow('cut')
    replica.files.create = create
    await store.objects.put('box', 'key', 'x')
    await replicator.copy(store.seq).catch(() => undefined)
    await catchUp(following)
    expect(following.store.seq).toBe(store.seq - 1)
    expect(following.follower.awaited?.name).toBe('the store one')
    await copyUp(await begin())
    await catchUp(following)
    await expectEqual(following)
  })

  it('is not followed to a branch that begins before the end of the follower', async () => {
    const replicator = await begin()
    await copyUp(replicator)
    const early = memoryPorts()
    await copyLog({ from: new ReplicaReader(replica, await readReplicaState(replica)), into: early, hashing })
    for (let n = 0; n < 3; n++) await store.objects.put('box', `key${n}`, 'x')
    await copyUp(replicator)
    const following = await follow()
    const before = logOf(following.ports)
    const restored = await openEngine(early, options)
    const from = await tipAt({ journal: early.journal, hashing }, restored.seq)
    await beginEpoch(restored.owner, early.ids, { from, reason: 'restored', source: 'here', by })
    const writing = await begin(early, { id: 'two', takeOver: true })
    await expect(following.follower.step()).rejects.toEqual(code('ReplicaDiverged', 'ahead'))
    for (let n = 0; n < 9; n++) await restored.objects.put('box', `other${n}`, 'y')
    await copyUp(writing, early)
    await expect(following.follower.step()).rejects.toEqual(code('ReplicaDiverged', 'branch'))
    expect(logOf(following.ports)).toEqual(before)
    expect(following.store.state).toBe('open')
  })

  it('is not followed if it is one of another store', async () => {
    await copyUp(await begin())
    const following = await follow()
    replica.files.stored.clear()
    const other = memoryPorts()
    await (await openEngine({ ...other, ids: { next: () => 'f'.repeat(32) } }, options)).buckets.create('other')
    await copyUp(await begin(other), other)
    await expect(following.follower.step()).rejects.toEqual(code('ReplicaDiverged', 'store'))
  })
})

describe('a promotion', () => {
  const as = (id: string) => ({ writer: { id, name: `the store ${id}` }, at, by })

  it('applies all that was counted, begins an epoch, and deposes the writer', async () => {
    const replicator = await begin()
    await copyUp(replicator)
    const following = await follow()
    await catchUp(following)
    await store.objects.put('box', 'key', 'x'.repeat(100))
    await copyUp(replicator)
    const { event, deposed } = await following.follower.promote(as('two'))
    expect(deposed).toEqual({ name: 'the store one', term: 1 })
    expect(event).toMatchObject({
      type: 'EpochBegun',
      seq: store.seq + 1,
      data: { reason: 'promoted', from: { seq: store.seq } },
    })
    await store.objects.put('box', 'lost', 'x')
    await expect(replicator.copy(store.seq)).rejects.toMatchObject({
      code: 'ReplicaHeld',
      details: { kind: 'deposed', promoted: true, holder: 'the store two' },
    })
    const promoted = following.store
    await promoted.objects.put('box', 'new', 'y')
    expect(await (await promoted.objects.get('box', 'key')).text()).toBe('x'.repeat(100))
    await expect(promoted.objects.get('box', 'lost')).rejects.toEqual(code('NoSuchKey'))
    await copyUp(await begin(following.ports, { id: 'two' }), following.ports)
    const state = await readReplicaState(replica)
    expect(state.head).toBe(promoted.seq)
    await promoted.close()
    // It is a store as any other now.
    const again = await openEngine(following.ports, options)
    await again.objects.put('box', 'more', 'z')
    expect((await again.verify()).divergences).toEqual([])
  })

  it('of two followers happens once, and the other one follows the promoted one', async () => {
    const replicator = await begin()
    await copyUp(replicator)
    const [one, two] = [await follow(), await follow()]
    await catchUp(one)
    await catchUp(two)
    const outcomes = await Promise.allSettled([one.follower.promote(as('two')), two.follower.promote(as('three'))])
    const won = outcomes.findIndex(({ status }) => status === 'fulfilled')
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(outcomes[1 - won]).toMatchObject({ reason: { code: 'ReplicaHeld' } })
    const [winner, loser] = won === 0 ? [one, two] : [two, one]
    await winner.store.objects.put('box', 'key', 'x'.repeat(30))
    await copyUp(await begin(winner.ports, { id: won === 0 ? 'two' : 'three' }), winner.ports)
    await catchUp(loser)
    expect(logOf(loser.ports)).toEqual(logOf(winner.ports))
    await expect(loser.store.objects.put('box', 'key', 'x')).rejects.toEqual(code('ReadOnly'))
  })

  it('that was cut off is repeated, wherever it was cut', async () => {
    for (let failing = 1; failing < 12; failing++) {
      primary = memoryPorts()
      store = await openEngine(primary, options)
      replica = memoryReplica()
      await store.buckets.create('box')
      const replicator = await begin()
      await copyUp(replicator)
      let following = await follow()
      await store.objects.put('box', 'key', 'x'.repeat(30))
      await copyUp(replicator)
      let calls = 0
      const { create } = replica.files
      const { commit } = following.ports.journal
      const cut = () => {
        if (++calls >= failing) throw new Error('cut')
      }
      // Half of the time the effect is there, and its answer is lost.
      replica.files.create = async (name, source) => {
        if (failing % 2 === 0) cut()
        const created = await create(name, source)
        if (failing % 2 === 1) cut()
        return created
      }
      following.ports.journal.commit = async (batch) => {
        cut()
        await commit(batch)
      }
      const first = await following.follower.promote(as('two')).catch((error: unknown) => error)
      replica.files.create = create
      following.ports.journal.commit = commit
      if (!(first instanceof Error)) {
        expect(failing).toBeGreaterThan(3)
        continue
      }
      await following.store.close().catch(() => undefined)
      following = await follow(following.ports)
      const { event } = await following.follower.promote(as('two'))
      expect(event.seq).toBe(store.seq + 1)
      await following.store.objects.put('box', 'after', 'y')
      expect((await following.store.verify()).divergences).toEqual([])
    }
  })

  it('without its replica begins an epoch where the follower is', async () => {
    await copyUp(await begin())
    const following = await follow()
    replica.files.stored.clear()
    const { log, ports } = following
    const event = await promoteAlone({ log, hashing, ids: ports.ids, name: 'the replica' }, by)
    expect(event.data.from.seq).toBe(store.seq)
    await following.store.objects.put('box', 'key', 'x')
    await expect(following.follower.step()).rejects.toBeDefined()
  })
})
