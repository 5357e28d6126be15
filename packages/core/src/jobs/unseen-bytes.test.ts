import { beforeEach, describe, expect, it } from 'vitest'
import { list } from '../api/answers.fixture.ts'
import { hashing, type MemoryPorts, memoryJournal, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import type { UploadInfo } from '../api/types/index.ts'
import { memoryReplica, type MemoryReplica } from '../replication/memory-replica.fixture.ts'
import { ReplicaErasure } from '../replication/replica-erasure.ts'
import { ReplicaReader } from '../replication/replica-reader.ts'
import { readReplicaState } from '../replication/replica-state.ts'
import { StoredPart } from '../replication/stored-part.ts'
import { ReplicaUpkeep } from '../replication/replica-upkeep.ts'
import { Replicator } from '../replication/replicator.ts'
import { verifyReplica } from '../replication/verify-replica.ts'

const short = 'secret!'
const long = 'secret, and longer than a row'
const secrets = [short, long]

let ports: MemoryPorts
let store: Store
let upload: UploadInfo

const textsOf = (all: Iterable<Uint8Array>): string =>
  [...all].map((bytes) => Buffer.from(bytes).toString('latin1')).join()
const onMedium = (): string =>
  textsOf([...ports.blobs.bytes.values(), ...[...ports.journal.rows.values()].map(([, frame]) => frame)])

const addSecrets = async (): Promise<void> => {
  for (const [i, secret] of secrets.entries()) await store.uploads.uploadPart(upload, i + 1, secret)
}

/** Each way in which parts end without being shown. */
const ways: Record<string, () => Promise<unknown>> = {
  'an aborted upload': () => store.uploads.abort(upload),
  'an upload that was erased on purpose': () => store.erase({ bucket: 'box', key: 'key', uploads: 'only' }),
  async 'parts that were replaced'() {
    for (const number of [1, 2]) await store.uploads.uploadPart(upload, number, 'harmless')
  },
  async 'parts that were not chosen'() {
    const { etag } = await store.uploads.uploadPart(upload, 3, 'harmless, and longer than a row')
    await store.objects.put('box', 'key', 'replaced by it')
    await store.uploads.complete(upload, [{ partNumber: 3, etag }])
  },
  async 'uploads of a deleted bucket'() {
    await store.buckets.delete('box')
    for (let n = 0; n < 3; n++) await store.sweep()
  },
}

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 8, retention: { keepMs: 1e12 } })
  await store.buckets.create('box')
  upload = await store.uploads.create('box', 'key')
})

describe.each(Object.entries(ways))('%s', (_, end) => {
  it('leaves no bytes behind the next sweep, whatever the retention and the snapshots', async () => {
    await addSecrets()
    await store.snapshots.create('all')
    await end()
    await store.sweep()
    for (const secret of secrets) expect(onMedium()).not.toContain(secret)
    expect((await store.verify({ scratch: memoryJournal() })).divergences).toEqual([])
  })

  it('leaves none behind in a replica that has them, and brings none into another one', async () => {
    const one = await replicate(memoryReplica())
    await addSecrets()
    await one.follow()
    for (const secret of secrets) expect(await one.text()).toContain(secret)
    await end()
    await store.sweep()
    await one.follow()
    const other = await replicate(memoryReplica())
    await other.follow()
    for (const { text, replica } of [one, other]) {
      for (const secret of secrets) expect(await text()).not.toContain(secret)
      const reader = new ReplicaReader(replica, await readReplicaState(replica))
      expect(await verifyReplica({ reader, hashing })).toMatchObject({ damaged: 0, erased: 2 })
    }
  })
})

it('leaves what a removed version had, for its retention', async () => {
  await addSecrets()
  const parts = await list(store.uploads.listParts(upload))
  await store.uploads.complete(upload, parts, { partSizeMin: 0 })
  await store.objects.delete('box', 'key')
  await store.sweep()
  for (const secret of secrets) expect(onMedium()).toContain(secret)
})

async function replicate(replica: MemoryReplica) {
  const writer = { id: 'one', name: 'one' }
  const { replicator, state } = await Replicator.begin({
    from: ports,
    into: replica,
    hashing,
    writer,
    claim: 'c',
    at: 0,
  })
  const upkeep = new ReplicaUpkeep({ ...replica, term: replicator.term }, state)
  const now = () => ports.clock.time
  const erasure = await ReplicaErasure.begin({ from: ports, into: replica, hashing, replicator, upkeep, now }, state)
  return {
    replica,
    text: async () => textsOf([...replica.blobs.bytes.values(), ...(await rowsIn(replica))]),
    async follow() {
      const head = await ports.journal.head()
      while (replicator.position < head) {
        const part = await replicator.copy(head)
        upkeep.add(part)
        erasure.copied(part, part.hasRequests)
      }
      await erasure.run()
    },
  }
}

async function rowsIn(replica: MemoryReplica): Promise<readonly Uint8Array[]> {
  const rows: Uint8Array[] = []
  for (const [name, { length: size }] of replica.files.stored) {
    if (!name.startsWith('log/0') && !name.startsWith('rows/')) continue
    const part = await StoredPart.open(replica, { name, size })
    for (const entry of part.entries)
      if (entry.kind !== 'events') rows.push(...(await part.rows(entry)).map((row) => row.bytes))
  }
  return rows
}
