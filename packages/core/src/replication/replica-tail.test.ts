import { beforeEach, describe, expect, it } from 'vitest'
import { hashing, memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { memoryReplica, type MemoryReplica } from './memory-replica.fixture.ts'
import { mergeParts } from './merge-parts.ts'
import type { LinePart } from './replica-line.ts'
import { ReplicaTail } from './replica-tail.ts'
import { Replicator } from './replicator.ts'
import { idsOf, StoredPart } from './stored-part.ts'
import { withoutRows } from './without-rows.ts'

let ports: MemoryPorts
let store: Store
let replica: MemoryReplica
let replicator: Replicator
let written: LinePart[]

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 8 })
  await store.buckets.create('box')
  replica = memoryReplica()
  const writer = { id: 'one', name: 'one' }
  replicator = (await Replicator.begin({ from: ports, into: replica, hashing, writer, claim: 'claim', at: 0 }))
    .replicator
  written = []
})

/** Each write is a file of its own. */
async function write(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await store.objects.put('box', `key${n}`, `${n}`)
    written.push(await replicator.copy(await ports.journal.head()))
  }
}

/** The position that is found behind this one, after as many looks as a follower takes in a few seconds. */
async function foundBehind(tail: ReplicaTail, position: number): Promise<number | undefined> {
  for (let look = 0; look < 10; look++) {
    const reader = await tail.next(position)
    if (reader !== undefined) return reader.state.head
  }
  return undefined
}

/** A follower that has read the first file. */
async function followed(): Promise<{ readonly tail: ReplicaTail; readonly position: number }> {
  await write(1)
  const tail = new ReplicaTail(replica, { journal: ports.journal, hashing })
  const position = written[0]?.to ?? 0
  expect(await foundBehind(tail, 0)).toBe(position)
  expect(await foundBehind(tail, position)).toBeUndefined()
  return { tail, position }
}

describe('a follower that has read a file, which stays', () => {
  it('finds later events when all files with them were joined', async () => {
    const { tail, position } = await followed()
    await write(8)
    const joined = written.slice(1)
    await mergeParts({ ...replica, term: replicator.term }, joined, [])
    await replica.files.delete(joined.map(({ name }) => name))
    expect(await foundBehind(tail, position)).toBe(written.at(-1)?.to)
  })

  it('finds later events when the next file was written again without what was erased', async () => {
    const { tail, position } = await followed()
    await write(1)
    const next = written[1] as LinePart
    const part = await StoredPart.open(replica, next)
    const ids = new Set(part.entries.flatMap(idsOf))
    expect(await withoutRows({ ...replica, term: replicator.term }, next, ids)).toHaveProperty('part')
    await replica.files.delete([next.name])
    expect(await foundBehind(tail, position)).toBe(next.to)
  })
})
