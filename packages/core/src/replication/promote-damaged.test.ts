import { beforeEach, describe, expect, it } from 'vitest'
import { hashing, memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine, openFollower } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { arriveToFollow } from './arrive-to-follow.ts'
import { Follower } from './follower.ts'
import { memoryReplica, type MemoryReplica } from './memory-replica.fixture.ts'
import type { PartEntry } from './part-form.ts'
import { Replicator } from './replicator.ts'
import { StoredPart } from './stored-part.ts'
import { claimTerm, newestClaim } from './terms.ts'

const by = { id: 'someone', name: 'someone' }
const at = 1_700_000_000_000

let primary: MemoryPorts
let store: Store
let replica: MemoryReplica
let replicator: Replicator
let follower: Follower

beforeEach(async () => {
  ;[primary, replica] = [memoryPorts(), memoryReplica()]
  store = await openEngine(primary)
  const writer = { id: 'one', name: 'one' }
  const begun = await Replicator.begin({ from: primary, into: replica, hashing, writer, claim: 'first', at })
  replicator = begun.replicator
  await write('box')
  follower = await follow()
})

/** Writes a file of the replica, and resolves with its name. */
async function write(bucket: string): Promise<string> {
  await store.buckets.create(bucket)
  return (await replicator.copy(store.seq)).name
}

async function follow(): Promise<Follower> {
  const ports = memoryPorts()
  const { journal, blobs, ids } = ports
  const common = { name: 'the replica', hashing, ids }
  await arriveToFollow({ ...common, replica: async () => replica, into: { name: 'here', ...ports } })
  const { log } = await openFollower(ports)
  return new Follower({ ...common, log, journal, blobs, replica })
}

const bytesOf = (name: string): Uint8Array => replica.files.stored.get(name) as Uint8Array

async function cutOff(name: string): Promise<void> {
  replica.files.stored.set(name, bytesOf(name).subarray(0, 20))
}

/** Changes a byte of its events. */
async function spoil(name: string): Promise<void> {
  const { entries } = await StoredPart.open(replica, { name, size: bytesOf(name).length })
  const { offset, length } = entries.find(({ kind }) => kind === 'events') as PartEntry
  bytesOf(name).fill(0, offset + length - 3, offset + length)
}

const promote = () => follower.promote({ by, writer: { id: 'two', name: 'two' }, at })

describe('a promotion that meets damage', () => {
  it('deposes no writer whose last files are damaged', async () => {
    while (await follower.step());
    const [gone, last] = [await write('second'), await write('third')]
    replica.files.stored.delete(gone)
    await cutOff(last)
    await expect(promote()).rejects.toMatchObject({ code: 'ReplicaCorrupt' })
    expect(await newestClaim(replica.files)).toMatchObject({ claim: 'first' })
  })

  for (const [what, damage] of [
    ['cut off', cutOff],
    ['damaged', spoil],
  ] as const)
    it(`deposes no writer that has not begun, if a file before it is ${what}`, async () => {
      while (await follower.step());
      await damage(await write('second'))
      const writer = { id: 'one', name: 'one' }
      await claimTerm(replica.files, { writer, claim: 'second', at })
      await expect(promote()).rejects.toMatchObject({ code: 'ReplicaCorrupt' })
      expect(await newestClaim(replica.files)).toMatchObject({ claim: 'second' })
    })
})
