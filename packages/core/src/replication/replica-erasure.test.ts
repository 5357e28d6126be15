import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../api/answers.fixture.ts'
import { hashing, memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { ciphers, testKeyring } from '../encryption/ciphers.fixture.ts'
import { readMark } from './erasure-mark.ts'
import { memoryReplica, type MemoryReplica } from './memory-replica.fixture.ts'
import { ReplicaErasure } from './replica-erasure.ts'
import { nextRevision, parsePartName, revisionName } from './replica-names.ts'
import { ReplicaReader } from './replica-reader.ts'
import { readReplicaState } from './replica-state.ts'
import { ReplicaUpkeep } from './replica-upkeep.ts'
import { Replicator } from './replicator.ts'
import { restoreReplica } from './restore-replica.ts'
import { verifyReplica } from './verify-replica.ts'
import { withholdErased } from './withhold-erased.ts'

const options = { inlineMax: 8 } as const
const inline = 'secret!'
const blob = 'secret, and longer'

let ports: MemoryPorts
let store: Store
let replica: MemoryReplica
let claims = 0

interface Writing {
  readonly replicator: Replicator
  readonly upkeep: ReplicaUpkeep
  readonly erasure: ReplicaErasure
}

const openOn = (on: MemoryPorts): Promise<Store> =>
  openEngine({ ...on, ciphers, keyring: testKeyring('master') }, options)

beforeEach(async () => {
  ports = memoryPorts()
  store = await openOn(ports)
  replica = memoryReplica()
  await store.retention.set({ keepMs: 1e9 })
  await store.buckets.create('box')
})

async function begin(id = 'one', keepErasedMs?: number): Promise<Writing> {
  const writer = { id, name: id }
  const claim = `claim ${++claims}`
  const { replicator, state } = await Replicator.begin({ from: ports, into: replica, hashing, writer, claim, at: 0 })
  const upkeep = new ReplicaUpkeep({ ...replica, term: replicator.term }, state)
  const now = () => ports.clock.time
  const removing = { from: ports, into: replica, hashing, replicator, upkeep, keepErasedMs, now }
  const erasure = await ReplicaErasure.begin(removing, state)
  return { replicator, upkeep, erasure }
}

async function copyUp({ replicator, upkeep, erasure }: Writing): Promise<void> {
  const head = await ports.journal.head()
  while (replicator.position < head) {
    const part = await replicator.copy(head)
    upkeep.add(part)
    erasure.copied(part, part.hasRequests)
  }
}

async function follow(writing: Writing): Promise<void> {
  await copyUp(writing)
  while (await writing.upkeep.merge());
  await writing.erasure.run()
}

async function readerOf(): Promise<ReplicaReader> {
  const reader = new ReplicaReader(replica, await readReplicaState(replica))
  await withholdErased({ files: replica.files, hashing }, reader)
  return reader
}

async function restored(to?: number): Promise<Store> {
  const into = memoryPorts()
  const reader = await readerOf()
  await restoreReplica({
    name: 'the attic',
    reader,
    into: { name: 'here', journal: into.journal, blobs: into.blobs },
    hashing,
    ids: into.ids,
    to: to ?? reader.state.head,
    now: 0,
  })
  return openOn(into)
}

/** Whether the replica has these bytes anywhere. The packing of the fixture is undone. */
async function has(text: string): Promise<boolean> {
  const needle = Buffer.from(text)
  if ([...replica.blobs.bytes.values()].some((bytes) => Buffer.from(bytes).includes(needle))) return true
  return (await rowTexts()).some((bytes) => Buffer.from(bytes).includes(needle))
}

async function rowTexts(): Promise<readonly Uint8Array[]> {
  const { StoredPart } = await import('./stored-part.ts')
  const rows: Uint8Array[] = []
  for (const [name, bytes] of replica.files.stored) {
    if (!name.startsWith('log/0') && !name.startsWith('rows/')) continue
    const part = await StoredPart.open(replica, { name, size: bytes.length })
    for (const entry of part.entries)
      if (entry.kind !== 'events') rows.push(...(await part.rows(entry)).map((row) => row.bytes))
  }
  return rows
}

/** Copies event by event, and removes after each, as when a file ends anywhere. */
async function followSlowly(next: () => Promise<Writing>): Promise<void> {
  const head = await ports.journal.head()
  for (;;) {
    const { replicator, upkeep, erasure } = await next()
    if (replicator.position === head) return
    const part = await replicator.copy(replicator.position + 1)
    upkeep.add(part)
    erasure.copied(part, part.hasRequests)
    await erasure.run()
  }
}

const verify = async () => verifyReplica({ reader: await readerOf(), hashing, blobs: 'read' })

describe('what somebody had erased', () => {
  it.each([
    ['one writer', false],
    ['a writer of its own for each event', true],
  ])('is removed wherever a file ends within the erasure, by %s', async (_who, isEachAnother) => {
    const first = await begin()
    await store.objects.put('box', 'key', inline)
    await store.objects.put('box', 'long', blob)
    await store.objects.delete('box', 'key')
    await store.objects.delete('box', 'long')
    await follow(first)
    await store.erase({ bucket: 'box', key: 'key' })
    await store.erase({ bucket: 'box', key: 'long' })
    await followSlowly(async () => (isEachAnother ? begin() : first))
    expect(await has(inline)).toBe(false)
    expect(await has(blob)).toBe(false)
    expect(await verify()).toMatchObject({ damaged: 0, erased: 2 })
  })

  it.each([
    ['short bytes', inline],
    ['a blob', blob],
  ])('is removed from the replica when the event is copied: %s', async (_what, text) => {
    const writing = await begin()
    const { seq } = await store.objects.put('box', 'key', text)
    await store.objects.put('box', 'other', 'stays')
    await store.objects.delete('box', 'key')
    await follow(writing)
    expect(await has(text)).toBe(true)
    await store.erase({ bucket: 'box', key: 'key' })
    await follow(writing)
    expect(await has(text)).toBe(false)
    expect(await verify()).toMatchObject({ damaged: 0, erased: 1 })
    const there = await restored()
    expect(await codeOf((await there.at(seq)).objects.get('box', 'key'))).toBe('ObjectErased')
    expect(await (await there.objects.get('box', 'other')).text()).toBe('stays')
    expect((await there.verify()).divergences).toEqual([])
  })

  it('is removed with its data key', async () => {
    const writing = await begin()
    await store.objects.put('box', 'key', blob, { encryption: { mode: 'AES256' } })
    await store.objects.delete('box', 'key')
    await follow(writing)
    expect((await rowTexts()).length).toBe(1)
    await store.erase({ bucket: 'box', key: 'key' })
    await follow(writing)
    expect([(await rowTexts()).length, replica.blobs.bytes.size]).toEqual([0, 0])
  })

  it('is removed with all parts of an upload', async () => {
    const writing = await begin()
    const upload = await store.uploads.create('box', 'key')
    const parts = []
    for (const [i, text] of [blob, inline].entries()) parts.push(await store.uploads.uploadPart(upload, i + 1, text))
    await store.uploads.complete(upload, parts, { partSizeMin: 0 })
    await store.objects.delete('box', 'key')
    await follow(writing)
    await store.erase({ bucket: 'box', key: 'key' })
    await follow(writing)
    expect([await has(blob), await has(inline)]).toEqual([false, false])
    expect(await verify()).toMatchObject({ damaged: 0, erased: 2 })
  })

  it('is removed from files that were joined, and these can be joined again', async () => {
    const writing = await begin()
    for (let n = 0; n < 70; n++) {
      await store.objects.put('box', `key${n}`, `text ${n}`)
      await follow(writing)
    }
    for (const n of [3, 40, 66]) {
      await store.erase({ bucket: 'box', key: `key${n}`, live: true })
      await follow(writing)
    }
    for (let n = 70; n < 140; n++) {
      await store.objects.put('box', `key${n}`, `text ${n}`)
      await follow(writing)
    }
    expect(await verify()).toMatchObject({ damaged: 0, erased: 3 })
    const texts = (await rowTexts()).map((bytes) => Buffer.from(bytes).toString())
    for (const n of [3, 40, 66]) expect(texts.some((text) => text.endsWith(`text ${n}`))).toBe(false)
    expect(texts.length).toBeGreaterThanOrEqual(137)
    const there = await restored()
    expect(await (await there.objects.get('box', 'key4')).text()).toBe('text 4')
  })

  it('leaves what a sweep erased', async () => {
    const writing = await begin()
    await store.objects.put('box', 'key', inline)
    await store.objects.delete('box', 'key')
    await follow(writing)
    await store.retention.set({ keepMs: 0 })
    await store.sweep()
    await follow(writing)
    expect(await has(inline)).toBe(true)
  })

  it('is not restored while it is still in the replica, whatever the moment', async () => {
    const writing = await begin()
    const { seq } = await store.objects.put('box', 'key', inline)
    await store.objects.put('box', 'big', blob)
    const before = store.seq
    await copyUp(writing)
    await store.erase({ bucket: 'box', prefix: '', live: true })
    await copyUp(writing)
    expect(await has(inline)).toBe(true)
    const there = await restored(before)
    expect(await codeOf(there.objects.get('box', 'key'))).toBe('ObjectErased')
    expect(await codeOf(there.objects.get('box', 'big'))).toBe('ObjectErased')
    expect(seq).toBeLessThan(before)
  })
})

describe('an erasure in a replica', () => {
  it('that is cut off anywhere goes on with the next writer, and nothing else is lost', async () => {
    const { create, delete: remove } = replica.files
    const deleteBlobs = replica.blobs.delete
    let cuts = 0
    for (let allowed = 0; ; allowed++) {
      let left = allowed
      const step = async <T>(work: () => Promise<T>): Promise<T> => {
        if (left-- <= 0) throw new Error('cut')
        return work()
      }
      replica.files.create = (name, source) => step(() => create(name, source))
      replica.files.delete = (names) => step(() => remove(names))
      replica.blobs.delete = (ids) => step(() => deleteBlobs(ids))
      left = Number.POSITIVE_INFINITY
      const writing = await begin()
      await store.objects.put('box', `key${allowed}`, inline)
      await store.objects.put('box', `big${allowed}`, blob)
      await store.objects.put('box', `stays${allowed}`, 'stays')
      await follow(writing)
      await store.erase({ bucket: 'box', prefix: 'key', live: true })
      await store.erase({ bucket: 'box', prefix: 'big', live: true })
      await copyUp(writing)
      left = allowed
      const isWhole = await writing.erasure.run().then(
        () => true,
        () => false,
      )
      left = Number.POSITIVE_INFINITY
      expect(await verify()).toMatchObject({ damaged: 0 })
      if (!isWhole) cuts++
      await follow(await begin())
      expect([await has(inline), await has(blob)]).toEqual([false, false])
      expect(await verify()).toMatchObject({ damaged: 0 })
      if (isWhole) break
    }
    expect(cuts).toBeGreaterThan(3)
  })

  it('is found by the next writer, where the mark says', async () => {
    const writing = await begin()
    await store.objects.put('box', 'key', inline)
    await store.erase({ bucket: 'box', key: 'key', live: true })
    await copyUp(writing)
    await follow(await begin())
    expect(await has(inline)).toBe(false)
    const { requested, removed } = await readMark(replica.files, [])
    expect(requested).toBe(store.seq)
    expect(removed.length).toBe(1)
    expect([...replica.files.stored.keys()].filter((name) => name.startsWith('erased/')).length).toBe(1)
  })

  it('is done again if a late request brings a file back', async () => {
    const writing = await begin()
    await store.objects.put('box', 'key', inline)
    await store.objects.put('box', 'big', blob)
    await follow(writing)
    const late = new Map(replica.files.stored)
    const lateBlobs = new Map(replica.blobs.bytes)
    const next = await begin()
    await store.erase({ bucket: 'box', prefix: '', live: true })
    await follow(next)
    for (const [name, bytes] of late) if (name.startsWith('log/')) replica.files.stored.set(name, bytes)
    for (const [id, bytes] of lateBlobs) replica.blobs.bytes.set(id, bytes)
    await follow(await begin())
    expect([await has(inline), await has(blob)]).toEqual([false, false])
    expect(await verify()).toMatchObject({ damaged: 0 })
  })

  it('takes nothing out of a replica that another writer has taken over', async () => {
    const writing = await begin()
    await store.objects.put('box', 'key', inline)
    await store.objects.put('box', 'big', blob)
    await store.erase({ bucket: 'box', prefix: '', live: true })
    await copyUp(writing)
    await begin()
    await expect(writing.erasure.run()).rejects.toMatchObject({ code: 'ReplicaHeld' })
  })

  it('lets a reader that has listed the files before read on', async () => {
    const writing = await begin()
    await store.objects.put('box', 'key', inline)
    await store.objects.put('box', 'other', 'stays')
    await follow(writing)
    const reader = new ReplicaReader(replica, await readReplicaState(replica))
    await store.erase({ bucket: 'box', key: 'key', live: true })
    await follow(writing)
    expect(await verifyReplica({ reader, hashing, blobs: 'read' })).toMatchObject({ damaged: 1 })
  })

  it('waits for a request whose bytes are still read', async () => {
    const writing = await begin()
    const large = Buffer.alloc(2_500_000, blob)
    await store.objects.put('box', 'key', large)
    const object = await store.objects.get('box', 'key')
    await store.objects.put('box', 'key', 'new')
    await follow(writing)
    const { pending } = await store.erase({ bucket: 'box', key: 'key' })
    expect(pending).toBe(1)
    await follow(writing)
    expect(await has(blob)).toBe(true)
    await object.close()
    await store.sweep()
    await follow(writing)
    expect(await has(blob)).toBe(false)
  })
})

describe('what a sweep erased', () => {
  const keepMs = 80_000

  async function sweptAway(): Promise<number> {
    const { seq } = await store.objects.put('box', 'key', inline)
    await store.objects.put('box', 'big', blob)
    await store.objects.put('box', 'other', 'stays')
    await store.objects.delete('box', 'key')
    await store.objects.delete('box', 'big')
    return seq
  }

  async function sweep(): Promise<void> {
    await store.retention.set({ keepMs: 0 })
    await store.sweep()
  }

  it('is removed from the replica when it was erased long enough ago, and not before', async () => {
    const writing = await begin('one', keepMs)
    const seq = await sweptAway()
    await follow(writing)
    await sweep()
    await follow(writing)
    ports.clock.time += keepMs - 1
    await follow(writing)
    expect([await has(inline), await has(blob)]).toEqual([true, true])
    ports.clock.time += keepMs / 8
    await follow(writing)
    expect([await has(inline), await has(blob), await has('stays')]).toEqual([false, false, true])
    expect(await verify()).toMatchObject({ damaged: 0, erased: 2 })
    const there = await restored()
    expect(await codeOf((await there.at(seq)).objects.get('box', 'key'))).toBe('ObjectErased')
    expect((await there.verify()).divergences).toEqual([])
  })

  it('shows as erased in a restore to a moment when it was there, which lacks nothing else', async () => {
    const writing = await begin('one', 0)
    const seq = await sweptAway()
    await store.objects.copy({ bucket: 'box', key: 'other' }, 'box', 'copy')
    await follow(writing)
    await sweep()
    await follow(writing)
    const there = await restored(seq + 2)
    expect(await codeOf(there.objects.get('box', 'key'))).toBe('ObjectErased')
    expect(await codeOf(there.objects.get('box', 'big'))).toBe('ObjectErased')
    expect((await there.objects.head('box', 'key')).size).toBe(inline.length)
    expect(await (await there.objects.get('box', 'other')).text()).toBe('stays')
    expect((await there.verify()).divergences).toEqual([])
    expect((await there.scrub()).divergences).toEqual([])
  })

  it('is taken out into files whose names no other writer gives', async () => {
    const names = [1, 2, 3].flatMap((term) => {
      const first = nextRevision(undefined, term)
      return [first, nextRevision(first, term)]
    })
    expect(new Set(names).size).toBe(names.length)
    // A writer begins behind the revision that it finds.
    expect(nextRevision(nextRevision(undefined, 1), 2)).toBeGreaterThan(nextRevision(nextRevision(undefined, 1), 1))
    const name = revisionName({ kind: 'rows', level: 1, from: 1, to: 8, term: 1 }, nextRevision(undefined, 99_999_999))
    expect(parsePartName(name)).toMatchObject({ kind: 'rows', revision: nextRevision(undefined, 99_999_999) })
  })

  it('goes on where the writer before has ended', async () => {
    await follow(await begin('one', keepMs))
    await sweptAway()
    await follow(await begin('one', keepMs))
    await sweep()
    ports.clock.time += 2 * keepMs
    await follow(await begin('one', keepMs))
    expect([await has(inline), await has(blob)]).toEqual([false, false])
    const { swept } = await readMark(replica.files, [])
    expect(swept).toBe(store.seq)
  })
})
