/** Whoever reads the log lets others have their turn, however long its events are and however many read it. */
import { describe, expect, it } from 'vitest'
import type { Hashing } from '../ports/index.ts'
import type { LifecycleRule } from '../settings/lifecycle.ts'
import { memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

const count = 24
const eventBytes = 60_000
/** What is decoded in one turn, and one event that was paid for before it. */
const turnBytes = 64 * 1024 + 2 * eventBytes

const rules = (round: number): readonly LifecycleRule[] =>
  Array.from({ length: 60 }, (_, i) => ({
    id: `${round}-${i}`,
    status: 'Enabled',
    filterForm: 'filter',
    filter: { prefix: `${i}/`.padEnd(950, 'x') },
    expiration: { days: i + 1 },
  }))

/** A store with long events, and the most bytes of them that were decoded without letting others have a turn. */
async function longLog() {
  let bytes = 0
  let most = 0
  const ports = memoryPorts()
  const nextTurn = async (): Promise<void> => {
    await new Promise<void>((resolve) => setImmediate(resolve))
    bytes = 0
  }
  const { sha256 } = ports.hashing
  const hashing: Hashing = {
    ...ports.hashing,
    sha256(text) {
      most = Math.max(most, (bytes += text.length))
      return sha256.call(ports.hashing, text)
    },
  }
  const timer = { nextTurn, pause: () => new Promise<void>(() => undefined) }
  const store = await openEngine({ ...ports, hashing, timer }, { retentionMs: 1e12 })
  await store.buckets.create('box')
  for (let i = 0; i < count; i++) {
    ports.clock.time += 1000
    await store.buckets.settings.put('box', 'Lifecycle', { rules: rules(i) })
  }
  return { store, began: () => (most = bytes = 0), most: () => most }
}

const read = async (lines: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of lines) void _
}

async function firstBatches(store: Store, name: string): Promise<void> {
  let left = count
  for await (const batch of store.subscribe(name, { from: 1 })) {
    left -= batch.events.length
    await batch.acknowledge()
    if (left <= 0) break
  }
}

const readers: Readonly<Record<string, (store: Store, reader: number) => Promise<unknown>>> = {
  'the log': (store) => read(store.log()),
  'a part of the log': (store) => read(store.log({ since: new Date(1_700_000_003_000), types: ['BucketCreated'] })),
  'the log backwards': (store) => store.logPage({ types: ['BucketCreated'] }),
  notifications: (store) => read(store.notifications()),
  'how many events there are': (store) => store.density({ steps: 100 }),
  'how many events match': (store) => store.density({ steps: 3, types: ['BucketCreated'] }),
  'a sample of the events': (store) => store.density({ steps: 2, types: ['BucketCreated'], readsMax: 10 }),
  'the position of a time': (store, reader) => store.at(new Date(1_700_000_001_500 + reader)),
  'an undo': (store) => store.undo({ by: 'nobody', dryRun: true }).catch(() => undefined),
  'batches of a subscription': (store, reader) => firstBatches(store, `reader-${reader}`),
}

describe.each(Object.keys(readers))('reading %s', (name) => {
  it.each([1, 6])('decodes no more than a turn has room for: %i at once', async (atOnce) => {
    const { store, began, most } = await longLog()
    began()
    const act = readers[name] as (typeof readers)[string]
    await Promise.all(Array.from({ length: atOnce }, (_, reader) => act(store, reader)))
    expect(most()).toBeGreaterThan(eventBytes / 2)
    expect(most()).toBeLessThanOrEqual(turnBytes)
    await store.close()
  })
})

describe('a batch of a subscription', () => {
  it('ends when its events are long, and none is left out', async () => {
    const { store } = await longLog()
    const lengths: number[] = []
    for await (const batch of store.subscribe('long', { from: 1, batchMax: 1000 })) {
      lengths.push(batch.events.length)
      await batch.acknowledge()
      if (batch.to === store.seq) break
    }
    expect(lengths.reduce((sum, length) => sum + length)).toBeGreaterThanOrEqual(count)
    expect(Math.max(...lengths)).toBeLessThan(8)
    await store.close()
  })
})
