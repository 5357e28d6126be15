import { beforeEach, describe, expect, it } from 'vitest'
import { hashing, memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { toHex } from '../bytes/hex.ts'
import { copyLog } from '../repair/copy-log.ts'
import { headKey, inlineTable, viewRange, viewsVersion } from '../views/tables.ts'
import { JoinedReplicas } from './joined-replicas.ts'
import { memoryReplica, type MemoryReplica } from './memory-replica.fixture.ts'
import { replicaFormat } from './replica-files-json.ts'
import { parsePartName, partName, viewsPrefix } from './replica-names.ts'
import { ReplicaReader } from './replica-reader.ts'
import { readReplicaState } from './replica-state.ts'
import { ReplicaViews } from './replica-views.ts'
import { Replicator } from './replicator.ts'
import { verifyReplica } from './verify-replica.ts'
import { BlockFiller, createPart, type PartBlock } from './write-part.ts'

const options = { inlineMax: 8, retentionMs: 0 } as const
const eventsMin = 10

let ports: MemoryPorts
let store: Store
let replica: MemoryReplica

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, options)
  replica = memoryReplica()
  await store.buckets.create('box')
  await store.buckets.setVersioning('box', 'Enabled')
})

let claims = 0

async function begin({ of = ports, ...pace }: { readonly of?: MemoryPorts; readonly rowsShare?: number } = {}) {
  const writer = { id: 'one', name: 'the cellar' }
  const claim = `claim ${++claims}`
  const { replicator } = await Replicator.begin({
    from: of,
    into: replica,
    hashing,
    writer,
    claim,
    at: 1,
    takeOver: true,
  })
  const views = await ReplicaViews.begin({ from: of, into: replica, hashing, replicator, eventsMin, ...pace })
  const copyUp = async (): Promise<void> => {
    const head = await of.journal.head()
    while (replicator.position < head) await replicator.copy(head)
  }
  return { replicator, views, copyUp }
}

async function fill(count: number, of = store): Promise<void> {
  for (let n = 0; n < count; n++) await of.objects.put('box', `key${n % 7}`, 'x'.repeat(n % 20))
}

const viewFiles = (): readonly string[] =>
  [...replica.files.stored.keys()].filter((name) => name.startsWith(viewsPrefix))

const viewPositions = (): readonly number[] =>
  viewFiles()
    .map((name) => parsePartName(name)?.from ?? 0)
    .toSorted((a, b) => a - b)

const reader = async () => new ReplicaReader(replica, await readReplicaState(replica))

/** Copies the log, and resolves with how many events the views were computed from. */
async function restored(to?: number, from?: JoinedReplicas) {
  const into = memoryPorts()
  let computed = 0
  const onProgress = ({ stage, total }: { readonly stage: string; readonly total: number }): void => {
    if (stage === 'views') computed = total
  }
  const source = from ?? (await reader())
  await copyLog({ from: source, into, hashing, to: to ?? source.end(), believesViews: true, onProgress })
  return { into, computed }
}

const rowsOf = async ({ journal }: MemoryPorts): Promise<readonly string[]> => {
  const cursor = journal.cursor(viewRange)
  const rows = await cursor.next(Number.MAX_SAFE_INTEGER)
  await cursor.close()
  return rows.map(([key, value]) => `${toHex(key)} ${toHex(value)}`)
}

const replaced = (change: (bytes: Uint8Array) => Uint8Array): void => {
  for (const name of viewFiles()) replica.files.stored.set(name, change(replica.files.stored.get(name) as Uint8Array))
}

describe('a replica with views', () => {
  it('restores to the same rows, and computes only those of later events', async () => {
    await fill(30)
    await store.objects.delete('box', 'key1')
    const { views, copyUp } = await begin()
    await copyUp()
    expect(await views.step()).toBe(true)
    await fill(5)
    await copyUp()
    const { into, computed } = await restored()
    expect(computed).toBe(5)
    expect(await rowsOf(into)).toEqual(await rowsOf(ports))
    const there = await openEngine(into, options)
    expect((await there.verify()).divergences).toEqual([])
  })

  it('has files that are the further apart the older they are, written when enough is new', async () => {
    const { views, copyUp } = await begin({ rowsShare: 0 })
    expect(await views.step()).toBe(false)
    for (let n = 0; n < 60; n++) {
      await fill(eventsMin)
      await copyUp()
      expect(await views.step()).toBe(true)
      expect(await views.step()).toBe(false)
    }
    const positions = viewPositions()
    const head = await ports.journal.head()
    expect(positions.slice(-2)).toEqual([head - eventsMin, head])
    expect(positions.length).toBeLessThan(16)
    for (const [at, position] of positions.entries()) {
      const gap = position - (positions[at - 1] ?? 0)
      expect(gap).toBeLessThanOrEqual(Math.max(2 * eventsMin, (head - position) / 2))
    }
  })

  it('writes the next file after as many events as half of its rows', async () => {
    const { views, copyUp } = await begin()
    await fill(60)
    await copyUp()
    expect(await views.step()).toBe(true)
    await fill(eventsMin)
    await copyUp()
    expect(await views.step()).toBe(false)
    await fill(200)
    await copyUp()
    expect(await views.step()).toBe(true)
  })

  it('goes on with them after its writer was started again', async () => {
    const first = await begin()
    await fill(60)
    await first.copyUp()
    await first.views.step()
    const next = await begin()
    await fill(eventsMin)
    await next.copyUp()
    expect(await next.views.step()).toBe(false)
    await fill(200)
    await next.copyUp()
    expect(await next.views.step()).toBe(true)
    expect(viewFiles()).toHaveLength(2)
  })

  it('restores to an earlier moment with the views before it, or with none', async () => {
    const { views, copyUp } = await begin()
    await fill(30)
    await copyUp()
    await views.step()
    const position = await ports.journal.head()
    await fill(60)
    await copyUp()
    await views.step()
    expect((await restored(position + 3)).computed).toBe(3)
    const { into, computed } = await restored(position - 1)
    expect(computed).toBe(position - 1)
    expect((await (await openEngine(into, options)).verify()).divergences).toEqual([])
  })

  it('computes all rows if its views are damaged, cut off, or gone', async () => {
    const { views, copyUp } = await begin()
    await fill(200)
    await copyUp()
    await views.step()
    const whole = new Map(replica.files.stored)
    const changes: readonly ((bytes: Uint8Array) => Uint8Array)[] = [
      (bytes) => bytes.subarray(0, bytes.length >> 1),
      (bytes) => bytes.subarray(0, 5),
      (bytes) => bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 1 : byte)),
      (bytes) => bytes.map((byte, at) => (at === 20 ? byte ^ 1 : byte)),
      (bytes) => bytes.map((byte, at) => (at === bytes.length - 1 ? byte ^ 1 : byte)),
    ]
    for (const change of changes) {
      replaced(change)
      const { into, computed } = await restored()
      expect(computed).toBe(await ports.journal.head())
      expect(await rowsOf(into)).toEqual(await rowsOf(ports))
      for (const name of viewFiles()) replica.files.stored.set(name, whole.get(name) as Uint8Array)
    }
    expect((await restored()).computed).toBe(0)
  })

  it('does not use views of another branch', async () => {
    await fill(30)
    const { copyUp } = await begin()
    await copyUp()
    // A copy of the store goes its own way, and its writer is deposed before its events count.
    const other = memoryPorts()
    await copyLog({ from: await reader(), into: other, hashing })
    const elsewhere = await openEngine(other, options)
    await fill(10, elsewhere)
    const lost = await begin({ of: other })
    await lost.views.step()
    const away = replica.files.stored.get(viewFiles()[0] as string) as Uint8Array
    expect(away).toBeDefined()
    await fill(40)
    const back = await begin()
    await back.copyUp()
    const { into, computed } = await restored()
    expect(computed).toBe(await ports.journal.head())
    expect(await rowsOf(into)).toEqual(await rowsOf(ports))
    expect(await back.views.step()).toBe(true)
    expect((await restored()).computed).toBe(0)
  })

  it('tells up to which event it has whole ones', async () => {
    const { views, copyUp } = await begin()
    await fill(30)
    await copyUp()
    const check = async () => (await verifyReplica({ reader: await reader(), hashing })).views
    expect(await check()).toBe(0)
    await views.step()
    const position = await ports.journal.head()
    await fill(300)
    await copyUp()
    expect(await check()).toBe(position)
    await views.step()
    expect(await check()).toBe(await ports.journal.head())
    const newest = viewFiles().at(-1) as string
    const bytes = replica.files.stored.get(newest) as Uint8Array
    replica.files.stored.set(
      newest,
      bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 1 : byte)),
    )
    expect(await check()).toBe(position)
  })

  it('is asked for them with others, of which one may lack them', async () => {
    const { views, copyUp } = await begin()
    await fill(30)
    await copyUp()
    await views.step()
    const bare = { ...memoryReplica(), blobs: replica.blobs }
    for (const [name, bytes] of replica.files.stored)
      if (!name.startsWith(viewsPrefix)) bare.files.stored.set(name, bytes)
    const bareReader = new ReplicaReader(bare, await readReplicaState(bare))
    const joined = await JoinedReplicas.of(
      [
        { name: 'bare', reader: bareReader },
        { name: 'whole', reader: await reader() },
      ],
      hashing,
    )
    expect((await restored(undefined, joined)).computed).toBe(0)
  })

  it('goes on after a restore that was interrupted while it brought them', async () => {
    const { views, copyUp } = await begin()
    await fill(30)
    await copyUp()
    await views.step()
    const into = memoryPorts()
    const stopped = new AbortController()
    const source = await reader()
    const slow = {
      journal: source.journal,
      blobs: source.blobs,
      sideRows: source.sideRows.bind(source),
      async *views(to: number) {
        for await (const one of source.views(to))
          yield {
            ...one,
            async *rows() {
              yield* one.rows()
              stopped.abort()
              yield []
            },
          }
      },
    }
    await expect(copyLog({ from: slow, into, hashing, believesViews: true, signal: stopped.signal })).rejects.toThrow(
      /abort/i,
    )
    expect(await into.journal.get(headKey.bytes)).toBeUndefined()
    await copyLog({ from: source, into, hashing })
    expect(await rowsOf(into)).toEqual(await rowsOf(ports))
  })

  it('never brings rows that are no views, such as bytes of objects', async () => {
    const { replicator, copyUp } = await begin()
    await fill(30)
    await copyUp()
    const seq = await ports.journal.head()
    const state = await readReplicaState(replica)
    const named = { kind: 'views', level: 0, from: seq, term: replicator.term } as const
    const { level: _, term, kind, from } = named
    const facts = {
      format: replicaFormat,
      kind,
      store: state.store,
      term,
      from,
      to: seq,
      prev: '',
      absent: 0,
      views: viewsVersion,
    }
    const head = (await ports.journal.get(headKey.bytes)) as Uint8Array
    async function* blocks(): AsyncGenerator<PartBlock> {
      const filler = new BlockFiller(replica, 'views')
      filler.addView(headKey.bytes, head)
      filler.addView(inlineTable.key('f'.repeat(32)), Uint8Array.of(1, 2, 3))
      yield filler.block()
    }
    await createPart(replica, partName(named), { ...facts, last: state.hash, times: [1, 1] }, blocks())
    const { into, computed } = await restored()
    expect(computed).toBe(seq)
    expect(await rowsOf(into)).toEqual(await rowsOf(ports))
    expect(await into.journal.get(inlineTable.key('f'.repeat(32)))).toBeUndefined()
  })
})

describe('a writer of views', () => {
  it('leaves out those of a store with a damaged row, and copies its log on', async () => {
    const { views, copyUp } = await begin()
    await fill(30)
    await copyUp()
    const cursor = ports.journal.cursor({ gte: Uint8Array.of(0x20), lt: Uint8Array.of(0x21) })
    const [[key, value] = []] = await cursor.next(1)
    await cursor.close()
    const expectedHead = await ports.journal.head()
    const damaged = (value as Uint8Array).map((byte, at) => (at === 8 ? byte ^ 1 : byte))
    await ports.journal.commit({ expectedHead, events: [], rows: [{ key: key as Uint8Array, value: damaged }] })
    expect(await views.step()).toBe(false)
    expect(viewFiles()).toEqual([])
    expect((await restored()).computed).toBe(expectedHead)
  })

  it('tries again what could not be written after as many events', async () => {
    const { replicator, copyUp } = await begin()
    const failing = { ...replica, files: { ...replica.files, create: () => Promise.reject(new Error('no')) } }
    const views = await ReplicaViews.begin({ from: ports, into: failing, hashing, replicator, eventsMin })
    await fill(30)
    await copyUp()
    await expect(views.step()).rejects.toThrow('no')
    expect(await views.step()).toBe(false)
    await fill(eventsMin)
    await copyUp()
    await expect(views.step()).rejects.toThrow('no')
  })

  it('ends when it is told to, and leaves no file', async () => {
    const { views, copyUp } = await begin()
    await fill(30)
    await copyUp()
    await expect(views.step(AbortSignal.abort())).rejects.toThrow(/abort/i)
    expect(viewFiles()).toEqual([])
  })

  it('deletes nothing after it was deposed', async () => {
    const { views, copyUp } = await begin()
    await fill(30)
    await copyUp()
    await views.step()
    await fill(200)
    await copyUp()
    await begin()
    await expect(views.step()).rejects.toMatchObject({ code: 'ReplicaHeld' })
    expect(viewFiles()).toHaveLength(2)
  })
})
