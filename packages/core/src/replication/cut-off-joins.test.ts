import { beforeEach, describe, expect, it } from 'vitest'
import { hashing, memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import type { ByteSource } from '../ports/index.ts'
import { memoryReplica, type MemoryReplica } from './memory-replica.fixture.ts'
import { mergedAtOnce } from './merge-parts.ts'
import { ReplicaReader } from './replica-reader.ts'
import { readReplicaState } from './replica-state.ts'
import { ReplicaUpkeep } from './replica-upkeep.ts'
import { Replicator } from './replicator.ts'
import { verifyReplica } from './verify-replica.ts'

let ports: MemoryPorts
let store: Store
let replica: MemoryReplica
let terms: number
let copied: number

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 8 })
  await store.buckets.create('box')
  replica = memoryReplica()
  terms = 0
})

async function begin() {
  const writer = { id: 'one', name: 'one' }
  const claim = `claim ${++terms}`
  const { replicator, state } = await Replicator.begin({ from: ports, into: replica, hashing, writer, claim, at: 0 })
  return { replicator, upkeep: new ReplicaUpkeep({ ...replica, term: replicator.term }, state) }
}

type Writer = Awaited<ReturnType<typeof begin>>

/** Each write is a file of its own. */
async function write({ replicator, upkeep }: Writer, files: number): Promise<void> {
  while (files-- > 0) {
    await store.objects.put('box', `key${files}`, `${files}`)
    upkeep.add(await replicator.copy(await ports.journal.head()))
    copied = replicator.position
  }
}

/** The next file of this kind and level is cut off in its middle, and its writer is told that it failed. */
function cutOff(prefix: string): void {
  const { create } = replica.files
  replica.files.create = async (name: string, source: ByteSource) => {
    if (!name.startsWith(prefix)) return create(name, source)
    replica.files.create = create
    await create(name, source)
    const whole = replica.files.stored.get(name) as Uint8Array
    replica.files.stored.set(name, whole.slice(0, whole.length / 2))
    throw new Error('cut off')
  }
}

async function assertWhole(): Promise<void> {
  const reader = new ReplicaReader(replica, await readReplicaState(replica))
  expect(reader.end()).toBe(copied)
  expect(await verifyReplica({ reader, hashing, blobs: 'read' })).toMatchObject({ findings: [] })
  let seq = 0
  for await (const { bytes } of reader.journal.events()) expect(bytes).toEqual(ports.journal.log[seq++])
  expect(seq).toBe(reader.state.head)
}

async function joinAll({ upkeep }: Writer): Promise<void> {
  while (await upkeep.merge());
  await upkeep.deleteReplaced()
}

/** Writes and joins until the next join is one of this level. */
async function writeUpToJoin(level: number): Promise<Writer> {
  const writer = await begin()
  const files = mergedAtOnce ** level
  for (let n = 1; n < files; n++) {
    await write(writer, 1)
    await joinAll(writer)
  }
  await write(writer, 1)
  for (let joins = 1; joins < level; joins++) await writer.upkeep.merge()
  return writer
}

const cases = [
  { level: 1, kind: 'log' },
  { level: 1, kind: 'rows' },
  { level: 2, kind: 'log' },
  { level: 2, kind: 'rows' },
] as const

describe('a joined file that was cut off while it was written', () => {
  it.each(cases)('hides nothing of the files it was to join: $kind/$level', async ({ level, kind }) => {
    const writer = await writeUpToJoin(level)
    const prefix = `${kind}/${level}/`
    cutOff(prefix)
    await expect(joinAll(writer)).rejects.toThrow('cut off')
    expect([...replica.files.stored.keys()].filter((name) => name.startsWith(prefix))).toHaveLength(1)
    await assertWhole()
  })

  it.each(cases)('is removed by the next writer, which joins them: $kind/$level', async ({ level, kind }) => {
    const writer = await writeUpToJoin(level)
    cutOff(`${kind}/${level}/`)
    await joinAll(writer).catch(() => undefined)
    const next = await begin()
    await joinAll(next)
    await assertWhole()
    expect(next.upkeep.files).toBe(1)
    const terms = [...replica.files.stored.keys()].filter((name) => name.startsWith(`${kind}/${level}/`))
    expect(terms).toEqual([expect.stringMatching(/-00000002$/)])
  })

  it('hides nothing, wherever it is cut', async () => {
    const writer = await writeUpToJoin(1)
    const before = new Map(replica.files.stored)
    await writer.upkeep.merge()
    const [name, whole] = [...replica.files.stored].find(([each]) => each.startsWith('log/1/')) as [string, Uint8Array]
    for (let length = 0; length < whole.length; length += 9) {
      replica.files.stored.clear()
      for (const [each, bytes] of before) replica.files.stored.set(each, bytes)
      replica.files.stored.set(name, whole.slice(0, length))
      await assertWhole()
    }
  })

  it('hides nothing of the file that another writer has joined', async () => {
    const writer = await writeUpToJoin(1)
    cutOff('log/1/')
    await joinAll(writer).catch(() => undefined)
    const [name, bytes] = [...replica.files.stored].find(([each]) => each.startsWith('log/1/')) as [string, Uint8Array]
    await joinAll(await begin())
    // The target carries the request out late.
    replica.files.stored.set(name, bytes)
    await assertWhole()
  })

  it('is damage when the files that it has joined are gone', async () => {
    const writer = await writeUpToJoin(1)
    await joinAll(writer)
    const [name, bytes] = [...replica.files.stored].find(([each]) => each.startsWith('log/1/')) as [string, Uint8Array]
    replica.files.stored.set(name, bytes.slice(0, bytes.length / 2))
    await expect(readReplicaState(replica)).rejects.toMatchObject({ code: 'ReplicaCorrupt', details: { file: name } })
  })

  it('is damage when the bytes that it has joined are gone', async () => {
    const writer = await writeUpToJoin(1)
    await joinAll(writer)
    const [name, bytes] = [...replica.files.stored].find(([each]) => each.startsWith('rows/1/')) as [string, Uint8Array]
    replica.files.stored.set(name, bytes.slice(0, bytes.length / 2))
    const reader = new ReplicaReader(replica, await readReplicaState(replica))
    const { findings } = await verifyReplica({ reader, hashing, blobs: 'read' })
    expect(findings[0]?.error).toMatchObject({ code: 'ReplicaCorrupt', details: { file: name } })
  })
})
