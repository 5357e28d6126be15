import { beforeEach, expect, it } from 'vitest'
import { type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { FollowerPurge } from './follower-purge.ts'

let ports: MemoryPorts
let store: Store
/** How many rows and blobs were to be purged, by call. */
let purged: string[]
let isHeld: boolean

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 16 })
  await store.buckets.create('box')
  for (const key of ['first', 'second']) await store.objects.put('box', key, key)
  await store.objects.put('box', 'large', 'x'.repeat(50))
  purged = []
  isHeld = false
})

const purge = () =>
  new FollowerPurge({
    hashing: ports.hashing,
    journal: {
      events: (range) => ports.journal.events(range),
      purge: async (keys) => (purged.push(`${keys.length} rows`), !isHeld),
    },
    blobs: {
      delete: async () => undefined,
      purge: async (ids) => (purged.push(`${ids.length} blobs`), true),
    },
  })

it('purges what somebody had erased, and again until no read keeps it in the files', async () => {
  const following = purge()
  await store.erase({ bucket: 'box', key: 'first', live: true })
  isHeld = true
  for (let i = 0; i < 2; i++) await following.upTo(store.seq)
  isHeld = false
  for (let i = 0; i < 3; i++) await following.upTo(store.seq)
  expect(purged).toEqual(['2 rows', '2 rows', '2 rows'])
  purged = []
  await store.erase({ bucket: 'box', key: 'large', live: true })
  await following.upTo(store.seq)
  expect(purged).toEqual(['1 blobs'])
})

it('purges nothing that a sweep erased, and no parts that nobody saw', async () => {
  const upload = await store.uploads.create('box', 'parts')
  await store.uploads.uploadPart(upload, 1, 'part')
  await store.uploads.abort(upload)
  await store.objects.delete('box', 'first')
  await store.retention.set({ keepMs: 0 })
  await store.sweep()
  await purge().upTo(store.seq)
  expect(purged).toEqual([])
})

it('finds again what a process that was killed has not purged', async () => {
  await store.erase({ bucket: 'box', prefix: '', live: true })
  await purge().upTo(store.seq)
  await purge().upTo(store.seq)
  expect(purged).toEqual(['1 blobs', '4 rows', '1 blobs', '4 rows'])
})
