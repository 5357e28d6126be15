import { beforeEach, describe, expect, it } from 'vitest'
import { hashing, type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine, openFollower } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { toHex } from '../bytes/hex.ts'
import { ciphers, testKeyring } from '../encryption/ciphers.fixture.ts'
import { moveLog } from '../moving/move-log.ts'
import { copyLog } from '../repair/copy-log.ts'
import { dataKeyTable, inlineTable } from '../views/tables.ts'
import { arriveToFollow } from './arrive-to-follow.ts'
import { Follower } from './follower.ts'
import { memoryReplica, type MemoryReplica } from './memory-replica.fixture.ts'
import { ReplicaReader } from './replica-reader.ts'
import { readReplicaState } from './replica-state.ts'
import { Replicator } from './replicator.ts'

const options = { inlineMax: 8, retentionMs: 0 } as const

let keyed: Pick<MemoryPorts, 'ciphers' | 'keyring'>
let primary: MemoryPorts
let store: Store
let replica: MemoryReplica
let replicator: Replicator

beforeEach(async () => {
  keyed = { ciphers, keyring: testKeyring('one') }
  primary = { ...memoryPorts(), ...keyed }
  store = await openEngine(primary, options)
  replica = memoryReplica()
  await store.buckets.create('box')
  const writer = { id: 'one', name: 'the store one' }
  const begun = await Replicator.begin({ from: primary, into: replica, hashing, writer, claim: 'a claim', at: 1 })
  ;({ replicator } = begun)
})

async function copyUp(): Promise<void> {
  const head = await primary.journal.head()
  while (replicator.position < head) await replicator.copy(head)
}

/** Of each kind one that stays: short and long bytes, encrypted ones, and parts, seen and unseen. */
async function putAll(): Promise<void> {
  for (const at of ['stays', 'goes']) {
    await store.objects.put('box', `${at}/short`, 'short')
    await store.objects.put('box', `${at}/long`, 'x'.repeat(50))
    await store.objects.put('box', `${at}/sealed`, 'y'.repeat(50), { encryption: { mode: 'AES256' } })
    const upload = await store.uploads.create('box', `${at}/parts`)
    const parts = []
    for (const [i, body] of ['a'.repeat(60), 'b'].entries()) {
      await store.uploads.uploadPart(upload, i + 1, `${body} unseen`)
      parts.push(await store.uploads.uploadPart(upload, i + 1, body))
    }
    await store.uploads.complete(upload, parts, { partSizeMin: 1 })
  }
}

async function removeSome(): Promise<void> {
  for (const key of ['short', 'long', 'sealed', 'parts']) await store.objects.delete('box', `goes/${key}`)
  await store.sweep()
}

async function follow(ports: MemoryPorts = { ...memoryPorts(), ...keyed }) {
  const { journal, blobs, ids } = ports
  const into = { name: 'here', ...ports }
  await arriveToFollow({ name: 'the replica', replica: async () => replica, into, hashing, ids })
  const { log, store: followed } = await openFollower(ports, options)
  const follower = new Follower({ log, journal, blobs, replica, name: 'the replica', hashing, ids })
  const catchUp = async (): Promise<void> => {
    while (await follower.step());
  }
  await catchUp()
  return { ports, followed, catchUp }
}

const sideTables = new Set([inlineTable, dataKeyTable].map(({ range }) => range.gte[0] ?? 0))

/** Which bytes and data keys there are. */
const bytesOf = ({ journal, blobs }: MemoryPorts) => ({
  blobs: [...blobs.bytes.keys()].sort(),
  rows: [...journal.rows.values()]
    .filter(([key]) => sideTables.has(key[0] ?? 0))
    .map(([key]) => toHex(key))
    .sort(),
})

describe('a copy of a log has the bytes that the store has, and none that the log erased', () => {
  it.each(['swept', 'requested'])('in a store that begins to follow, of %s ones', async (how) => {
    await putAll()
    await copyUp()
    await (how === 'swept' ? removeSome() : store.erase({ bucket: 'box', prefix: 'goes/', live: true, uploads: true }))
    await copyUp()
    const { ports, followed } = await follow()
    expect(bytesOf(ports)).toEqual(bytesOf(primary))
    expect((await followed.verify()).divergences).toEqual([])
  })

  it('in a store that follows, wherever its pages begin', async () => {
    await copyUp()
    const { ports, followed, catchUp } = await follow()
    await putAll()
    await copyUp()
    await removeSome()
    await copyUp()
    await catchUp()
    expect(bytesOf(ports)).toEqual(bytesOf(primary))
    expect((await followed.verify()).divergences).toEqual([])
  })

  it('in a store that follows on after a crash between an erasure and the deletion of its blobs', async () => {
    await putAll()
    await copyUp()
    const { ports, catchUp } = await follow()
    const { delete: deleteBlobs } = ports.blobs
    ports.blobs.delete = async () => undefined
    await removeSome()
    await copyUp()
    await catchUp()
    ports.blobs.delete = deleteBlobs
    expect(bytesOf(ports)).not.toEqual(bytesOf(primary))
    await follow(ports)
    expect(bytesOf(ports)).toEqual(bytesOf(primary))
  })

  it('in a store that is restored', async () => {
    await putAll()
    await copyUp()
    await removeSome()
    await copyUp()
    const into = { ...memoryPorts(), ...keyed }
    await copyLog({ from: new ReplicaReader(replica, await readReplicaState(replica)), into, hashing })
    expect(bytesOf(into)).toEqual(bytesOf(primary))
  })

  it('in a store that is moved while it erases', async () => {
    await putAll()
    const into = { ...memoryPorts(), ...keyed }
    const move = {
      from: { name: 'there', ...primary, isCopy: true },
      into: { name: 'here', ...into },
      hashing,
      ids: primary.ids,
    }
    await moveLog(move)
    expect(bytesOf(into)).toEqual(bytesOf(primary))
    await removeSome()
    await moveLog(move)
    expect(bytesOf(into)).toEqual(bytesOf(primary))
  })
})
