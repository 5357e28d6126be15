import { beforeEach, describe, expect, it } from 'vitest'
import type { ReadSet } from '../commands/index.ts'
import { memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

const ann = { id: 'ann', name: 'Ann' }

let ports: ReturnType<typeof memoryPorts>
let store: Store

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports)
  await store.as({ by: ann }).buckets.create('box')
  await store.objects.put('box', 'k', 'v')
})

async function readBucket() {
  const readSet: ReadSet[number][] = []
  const reads = store.tracking(readSet)
  await reads.buckets.head('box')
  return { reads, readSet }
}

describe('what was read to authorise', () => {
  it('is fresh until a commit that may have changed it begins', async () => {
    const { reads } = await readBucket()
    expect(reads.isFresh()).toBe(true)
    const changing = store.buckets.setVersioning('box', 'Enabled')
    await changing
    expect(reads.isFresh()).toBe(false)
    expect((await readBucket()).reads.isFresh()).toBe(true)
  })

  it('is not fresh while such a commit is in flight', async () => {
    const { reads } = await readBucket()
    const { commit } = ports.journal
    let seen: boolean | undefined
    ports.journal.commit = (batch) => {
      seen = reads.isFresh()
      return commit.call(ports.journal, batch)
    }
    await store.buckets.delete('box').catch(() => undefined)
    await store.buckets.setVersioning('box', 'Enabled')
    expect(seen).toBe(false)
  })

  it('is not taken to be fresh where it was that there is nothing', async () => {
    const readSet: ReadSet[number][] = []
    const reads = store.tracking(readSet)
    await reads.objects.annotations('box', 'absent').catch(() => undefined)
    const isOfKeys = readSet.every((read) => 'key' in read)
    expect(reads.isFresh()).toBe(isOfKeys)
    await store.objects.put('box', 'absent', 'v')
    expect(reads.isFresh()).toBe(false)
  })

  it('is not fresh when the store is closed', async () => {
    const { reads } = await readBucket()
    await store.close()
    expect(reads.isFresh()).toBe(false)
  })

  it('is compared by a read that was fresh when it began, and not when it ended', async () => {
    const { readSet } = await readBucket()
    await store.buckets.delete('box').catch(() => undefined)
    await store.objects.delete('box', 'k')
    await store.buckets.delete('box')
    await store.as({ by: ann }).buckets.create('box')
    const answers = [true, false]
    const renewed: unknown[] = []
    const as = store.as({
      by: ann,
      authorisation: {
        readSet: () => (renewed.length === 0 ? readSet : []),
        isFresh: () => answers.shift() ?? false,
        renew: async (place) => void renewed.push(place),
      },
    })
    await as.buckets.head('box')
    expect(renewed).toEqual([{ bucket: 'box' }])
  })
})
