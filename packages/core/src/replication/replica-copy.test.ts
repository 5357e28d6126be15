import { beforeEach, describe, expect, it } from 'vitest'
import { hashing, memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { memoryReplica, type MemoryReplica } from './memory-replica.fixture.ts'
import { ReplicaCopy } from './replica-copy.ts'
import { ReplicaUpkeep } from './replica-upkeep.ts'
import { Replicator } from './replicator.ts'

let ports: MemoryPorts
let store: Store
let replica: MemoryReplica
let written: () => Promise<void>

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 8 })
  replica = memoryReplica()
  await store.buckets.create('box', { versioning: 'Enabled' })
  const { replicator, state } = await Replicator.begin({
    from: ports,
    into: replica,
    hashing,
    writer: { id: 'one', name: 'one' },
    claim: 'claim',
    at: 1,
  })
  const upkeep = new ReplicaUpkeep({ ...replica, term: replicator.term }, state)
  written = async () => {
    upkeep.add(await replicator.copy(await ports.journal.head()))
    while (await upkeep.merge());
  }
})

/** Puts short objects, each in a file of its own at first, and resolves with the ids of their blobs and their positions. */
async function putAll(count: number): Promise<readonly { readonly id: string; readonly seq: number }[]> {
  const put: { id: string; seq: number }[] = []
  for (let n = 0; n < count; n++) {
    const { seq } = await store.objects.put('box', 'key', `text ${n}`.slice(0, 8))
    await written()
    for await (const { data } of store.log({ from: seq, to: seq }))
      if ('content' in data && data.content.kind === 'blob') put.push({ id: data.content.blob.id, seq })
  }
  return put
}

const text = (frame: Uint8Array | undefined): string =>
  Buffer.from(frame ?? [])
    .subarray(5)
    .toString()

describe('a replica as a copy', () => {
  it('gives short bytes by the id of their blob, in files of every level, and with a wrong hint', async () => {
    const put = await putAll(100)
    const copy = new ReplicaCopy('there', replica)
    for (const [n, { id, seq }] of put.entries())
      for (const hint of [undefined, seq, seq + 1, 1, 10_000])
        expect(text(await copy.sideRow('inline', { id, seq: hint }))).toBe(`text ${n}`.slice(0, 8))
    expect(await copy.sideRow('keys', put[0] as never)).toBeUndefined()
    expect(await copy.sideRow('inline', { id: 'f'.repeat(32) })).toBeUndefined()
  })

  it('finds what was written, joined and deleted since it looked first', async () => {
    const [first] = await putAll(1)
    const copy = new ReplicaCopy('there', replica)
    expect(text(await copy.sideRow('inline', first as never))).toBe('text 0')
    const put = await putAll(70)
    for (const [n, { id }] of put.entries()) expect(text(await copy.sideRow('inline', { id }))).toBe(`text ${n}`)
    expect(text(await copy.sideRow('inline', first as never))).toBe('text 0')
  })

  it('gives events by their position', async () => {
    await putAll(20)
    const copy = new ReplicaCopy('there', replica)
    for await (const { seq, bytes } of ports.journal.events())
      expect(Buffer.from((await copy.event(seq))?.bytes ?? []).equals(Buffer.from(bytes))).toBe(true)
    expect(await copy.event(store.seq + 1)).toBeUndefined()
  })

  it('gives no bytes of a damaged file, and tries it again', async () => {
    const [first] = await putAll(1)
    const [name, bytes] = [...replica.files.stored].find(([one]) => one.startsWith('log/')) as [string, Uint8Array]
    replica.files.stored.set(name, bytes.subarray(0, bytes.length >> 1))
    const copy = new ReplicaCopy('there', replica)
    expect(await copy.sideRow('inline', first as never)).toBeUndefined()
    replica.files.stored.set(name, bytes)
    expect(text(await copy.sideRow('inline', first as never))).toBe('text 0')
  })
})
