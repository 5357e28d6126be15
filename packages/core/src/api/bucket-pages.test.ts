import { beforeEach, describe, expect, it } from 'vitest'
import { type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

const count = 2100
const names = Array.from({ length: count }, (_, at) => `bucket-${String(at).padStart(4, '0')}`)

let ports: MemoryPorts
let store: Store

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, {})
  for (const name of names) await store.buckets.create(name)
})

const listed = async (list: AsyncIterable<{ readonly name: string }>): Promise<readonly string[]> => {
  const found: string[] = []
  for await (const { name } of list) found.push(name)
  return found
}

describe('more buckets than a page has', () => {
  it('are listed in order of their names, whole or behind a prefix, now and as of the past', async () => {
    expect(await listed(store.buckets.list())).toEqual(names)
    expect(await listed(store.buckets.list({ prefix: 'bucket-1' }))).toEqual(names.slice(1000, 2000))
    const before = await store.at(count)
    await store.buckets.delete('bucket-0000')
    expect(await listed(store.buckets.list())).toEqual(names.slice(1))
    expect(await listed(before.buckets.list())).toEqual(names)
  })

  it('are read as they are taken', async () => {
    const { snapshot } = ports.journal
    let snapshots = 0
    const counting = { ...ports.journal, snapshot: () => (snapshots++, snapshot.call(ports.journal)) }
    Object.assign(ports.journal, { snapshot: counting.snapshot })
    const list = store.buckets.list()[Symbol.asyncIterator]()
    await list.next()
    const first = snapshots
    await list.return?.()
    expect(first).toBe(1)
    snapshots = 0
    expect(await listed(store.buckets.list())).toHaveLength(count)
    expect(snapshots).toBe(3)
  })
})
