import { beforeEach, describe, expect, it } from 'vitest'
import { hashing, memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import type { ByteSource } from '../ports/index.ts'
import { withoutCutOffJoins } from './cut-off-joins.ts'
import { memoryReplica, type MemoryReplica } from './memory-replica.fixture.ts'
import { mergedAtOnce, mergeParts } from './merge-parts.ts'
import type { LinePart } from './replica-line.ts'
import { ReplicaReader } from './replica-reader.ts'
import { readReplicaState } from './replica-state.ts'
import { ReplicaUpkeep } from './replica-upkeep.ts'
import { Replicator } from './replicator.ts'
import { idsOf, StoredPart } from './stored-part.ts'
import { verifyReplica } from './verify-replica.ts'
import { withoutRows } from './without-rows.ts'

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

  it('hides nothing of the bytes that another writer has joined in another way, however late it comes', async () => {
    const writer = await writeUpToJoin(1)
    const files = new Map(replica.files.stored)
    await writer.upkeep.merge()
    const [name, bytes] = [...replica.files.stored].find(([each]) => each.startsWith('rows/1/')) as [string, Uint8Array]
    replica.files.stored.clear()
    for (const [each, whole] of files) replica.files.stored.set(each, whole)
    const next = await begin()
    await write(next, 1)
    const [, ...others] = (await readReplicaState(replica)).log.map(({ part }) => part)
    await mergeParts({ ...replica, term: next.replicator.term }, others, [])
    await replica.files.delete(others.map((part) => part.name))
    replica.files.stored.set(name, bytes.slice(0, bytes.length / 2))
    await assertWhole()
    await begin().then(({ upkeep }) => upkeep.deleteReplaced())
    expect(replica.files.stored.has(name)).toBe(false)
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

describe('a damaged file', () => {
  const damage = (prefix: string): string => {
    const [name, bytes] = [...replica.files.stored].findLast(([each]) => each.startsWith(prefix)) as [
      string,
      Uint8Array,
    ]
    replica.files.stored.set(name, bytes.slice(0, bytes.length / 2))
    return name
  }

  it('hides nothing if a joined file has its events, and is removed by the next writer', async () => {
    const writer = await writeUpToJoin(1)
    await writer.upkeep.merge()
    const name = damage('log/0/')
    await assertWhole()
    await begin().then(({ upkeep }) => upkeep.deleteReplaced())
    expect(replica.files.stored.has(name)).toBe(false)
    await assertWhole()
  })

  it('is named if its events are in no other file', async () => {
    const writer = await begin()
    await write(writer, 3)
    const name = damage('log/0/')
    const reader = new ReplicaReader(replica, await readReplicaState(replica))
    expect(() => reader.end()).toThrow(
      expect.objectContaining({ code: 'ReplicaCorrupt', details: { kind: 'form', file: name } }),
    )
  })

  it('is named if it is the one that was written again without what was erased', async () => {
    const writer = await begin()
    await write(writer, 3)
    const last = (await readReplicaState(replica)).log.at(-1)?.part as LinePart
    const ids = new Set((await StoredPart.open(replica, last)).entries.flatMap(idsOf))
    await withoutRows({ ...replica, term: writer.replicator.term }, last, ids)
    await replica.files.delete([last.name])
    const name = damage('log/0/')
    expect(name).toMatch(/-\d{14}$/)
    const reader = new ReplicaReader(replica, await readReplicaState(replica))
    expect(() => reader.end()).toThrow(expect.objectContaining({ code: 'ReplicaCorrupt' }))
  })

  it('is kept with its error if a joined file that has its events is damaged too', async () => {
    const writer = await writeUpToJoin(1)
    await writer.upkeep.merge()
    const joined = damage('log/1/')
    const name = damage('log/0/')
    await expect(assertWhole()).rejects.toMatchObject({ code: 'ReplicaCorrupt' })
    await begin().catch(() => undefined)
    expect([joined, name].filter((each) => replica.files.stored.has(each))).toEqual([joined, name])
  })
})

describe('files of several branches', () => {
  const part = (
    kind: 'log' | 'rows',
    level: number,
    [from, to]: readonly [number, number],
    term: number,
  ): LinePart => ({
    kind,
    level,
    from,
    to,
    term,
    name: `${kind}/${level}/${from}-${to}-${term}`,
    size: 1,
  })
  const starts = [
    { term: 1, from: 1 },
    { term: 2, from: 61 },
  ]
  const cutOffOf = async (log: LinePart[], rows: readonly LinePart[], damaged: readonly LinePart[]) =>
    (await withoutCutOffJoins({ log, rows }, starts, async (one) => !damaged.includes(one))).cutOff

  it('do not make a joined file needed whose events are behind those that count of a longer one', async () => {
    const log = [part('log', 2, [1, 66], 1), part('log', 1, [61, 68], 2), part('log', 1, [69, 76], 2)]
    const rows = [part('rows', 1, [61, 68], 2), part('rows', 1, [69, 76], 2), part('rows', 2, [61, 76], 2)]
    expect(await cutOffOf(log, [part('rows', 2, [1, 66], 1), ...rows], rows.slice(2))).toEqual(rows.slice(2))
  })

  it('do not stand for the bytes of each other', async () => {
    const log = [part('log', 2, [1, 69], 1), part('log', 1, [61, 68], 2)]
    const damaged = part('rows', 1, [61, 68], 2)
    expect(await cutOffOf(log, [part('rows', 2, [1, 69], 1), damaged], [damaged])).toEqual([])
  })

  it('never leave out a file for one that is damaged too', async () => {
    const log = [part('log', 2, [1, 40], 1), part('log', 3, [1, 40], 1)]
    expect(await cutOffOf(log, [], log)).toEqual([])
  })
})

describe('files that are joined later than they are written', () => {
  it('are few, however many come meanwhile', async () => {
    const writer = await begin()
    for (let joins = 0; joins < 12; joins++) {
      await write(writer, 12)
      await writer.upkeep.merge()
    }
    await joinAll(writer)
    expect(writer.upkeep.files).toBeLessThan(3 * mergedAtOnce)
    await assertWhole()
  })
})
