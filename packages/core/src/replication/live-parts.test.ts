import { beforeEach, describe, expect, it } from 'vitest'
import { hashing, memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { toHex } from '../bytes/hex.ts'
import type { StoreCommit } from '../engine/known-log.ts'
import { tapCommits } from '../moving/hand-over.ts'
import type { Journal } from '../ports/index.ts'
import { copyLog } from '../repair/copy-log.ts'
import { LiveParts } from './live-parts.ts'
import { memoryReplica, type MemoryReplica } from './memory-replica.fixture.ts'
import { ReplicaReader } from './replica-reader.ts'
import { readReplicaState } from './replica-state.ts'
import { Replicator } from './replicator.ts'

const options = { inlineMax: 8, retentionMs: 0 } as const

let ports: MemoryPorts
let store: Store
let replica: MemoryReplica
let live: LiveParts
/** How many events were read from the journal. */
let read: number
/** Which commits are kept in memory, and how. */
let seen: (commit: StoreCommit) => StoreCommit | undefined

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, options)
  replica = memoryReplica()
  await store.buckets.create('box')
  await store.buckets.setVersioning('box', 'Enabled')
  live = new LiveParts(replica, { eventsMax: 4 })
  read = 0
  seen = (commit) => commit
  tapCommits(store, (commit) => {
    const kept = seen(commit)
    if (kept !== undefined) live.add(kept)
  })
})

/** The journal, with its reads counted. */
function countedJournal(): Journal {
  const { journal } = ports
  const events: Journal['events'] = async function* (range) {
    for await (const event of journal.events(range)) {
      read++
      yield event
    }
  }
  return Object.assign(Object.create(journal) as Journal, { events })
}

async function begin(): Promise<Replicator> {
  const from = { ...ports, journal: countedJournal() }
  const writer = { id: 'one', name: 'the cellar' }
  const { replicator } = await Replicator.begin({ from, into: replica, hashing, writer, claim: 'claim', at: 0, live })
  await copyAll(replicator)
  await put(1)
  await copyAll(replicator)
  read = 0
  return replicator
}

async function copyAll(replicator: Replicator): Promise<void> {
  const head = await ports.journal.head()
  while (replicator.position < head) await replicator.copy(head)
}

async function put(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await store.objects.put('box', `key${n % 5}`, 'bytes '.repeat(n % 4))
}

/** The replica restores to this log, with these bytes. */
async function expectSame(): Promise<void> {
  const into = memoryPorts()
  const from = new ReplicaReader(replica, await readReplicaState(replica))
  await copyLog({ from, into, hashing, to: from.end() })
  expect(into.journal.log.map(toHex)).toEqual(ports.journal.log.map(toHex))
  const again = await openEngine(into, options)
  for await (const listed of store.objects.list('box')) {
    if (listed.kind !== 'object') continue
    const { key } = listed
    const bytes = await (await store.objects.get('box', key)).text()
    expect(await (await again.objects.get('box', key)).text()).toBe(bytes)
  }
}

describe('what is committed while a replica is written', () => {
  it('is copied from memory, and not read from the journal', async () => {
    const replicator = await begin()
    for (let round = 0; round < 5; round++) {
      await put(3)
      await copyAll(replicator)
    }
    expect(read).toBe(0)
    await expectSame()
  })

  it('is copied from memory if it is more than one file', async () => {
    const replicator = await begin()
    await put(14)
    await copyAll(replicator)
    expect(read).toBe(0)
    await expectSame()
  })

  it('is read from the journal as far as too much waits', async () => {
    const replicator = await begin()
    await put(30)
    await copyAll(replicator)
    expect(read).toBe(14)
    await put(3)
    await copyAll(replicator)
    expect(read).toBe(14)
    await expectSame()
  })

  it('is read from the journal if another engine committed it', async () => {
    const replicator = await begin()
    await put(2)
    seen = () => undefined
    await put(2)
    seen = (commit) => commit
    await put(3)
    await copyAll(replicator)
    // The first one after a gap shows it. What was before it is read with it.
    expect(read).toBe(5)
    await expectSame()
  })

  it('is read from the journal if its rows were committed before', async () => {
    const replicator = await begin()
    await put(2)
    seen = (commit) => ({ ...commit, sideRows: [] })
    await put(4)
    seen = (commit) => commit
    await put(3)
    await copyAll(replicator)
    expect(read).toBeGreaterThan(0)
    await expectSame()
  })

  it('tells when a file is full', async () => {
    const replicator = await begin()
    let isFull = false
    const full = live.filled().then(() => (isFull = true))
    await put(3)
    expect(isFull).toBe(false)
    await put(1)
    await full
    await live.filled()
    await copyAll(replicator)
    void live.filled().then(() => expect.unreachable('It is empty.'))
    await put(1)
  })
})
