import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { memoryBlobs, memoryJournal, memoryMedium } from '@varve/adapters'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '@varve/core'
import { openStore } from '../store/open-store.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { inspectReplica, restoreStore, verifyReplica } from './replicas.ts'

let home: string
let to: string
const everyMs = 20

const scratch = scratchDirectory()

beforeEach(async () => {
  home = scratch.next()
  await mkdir(home)
  to = join(home, 'replica')
})

const open = (name: string, more: { readonly takeOver?: boolean } = {}): Promise<Store> =>
  openStore(join(home, name), { replicas: [{ to, everyMs, ...more }] })

const jobOf = ({ jobs }: Store) => jobs.find(({ name }) => name.startsWith('replication'))

/** The end of the log is looked up each time, because a sweep may write events meanwhile. */
const isWhole = (store: Store) =>
  expect
    .poll(() => [jobOf(store)?.progress, { position: store.seq, head: store.seq }], { timeout: 30_000 })
    .toSatisfy(([progress, end]) => JSON.stringify(progress) === JSON.stringify(end))

async function fill(store: Store, count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    await store.objects.put('box', `key${n}`, Buffer.alloc(n % 3 === 0 ? 100_000 : 100, `text ${n}`))
}

async function contentOf(store: Store): Promise<Record<string, string>> {
  const all: Record<string, string> = {}
  for await (const listed of store.objects.list('box'))
    if (listed.kind === 'object')
      all[listed.key] = `${listed.etag} ${await (await store.objects.get('box', listed.key)).text()}`
  return all
}

describe('a replica of an open store', () => {
  it('follows it, and a store is restored from it', async () => {
    const store = await open('one')
    await store.buckets.create('box')
    await fill(store, 20)
    await isWhole(store)
    const before = await contentOf(store)
    await store.close()
    const report = await restoreStore(to, join(home, 'two'))
    // The last event begins the epoch of the restored store.
    expect(report).toMatchObject({ head: report.events + 1, absent: 0 })
    const there = await openStore(join(home, 'two'))
    expect(await contentOf(there)).toEqual(before)
    expect((await there.verify()).divergences).toEqual([])
    await there.close()
  })

  it('has what was written just before the store was closed', async () => {
    const store = await open('one')
    await store.buckets.create('box')
    await isWhole(store)
    await fill(store, 30)
    const { seq } = store
    await store.close()
    expect((await inspectReplica(to)).head).toBe(seq)
  })

  it('has one file for each interval, however many writes there are', async () => {
    const store = await openStore(join(home, 'one'), { replicas: [{ to, everyMs: 60_000 }] })
    await store.buckets.create('box')
    await fill(store, 60)
    const { seq } = store
    await store.close()
    const { head, files } = await inspectReplica(to)
    expect(head).toBe(seq)
    expect(files.log).toBeLessThan(4)
  })

  it('is not claimed again and again while the store cannot write', async () => {
    const journal = await memoryJournal(memoryMedium(), { exclusive: true })
    let isBroken = false
    const commit: typeof journal.commit = async (given) => {
      if (isBroken) throw new Error('broken')
      await journal.commit(given)
    }
    const breaking = Object.assign(Object.create(journal) as typeof journal, { commit })
    const store = await openStore({ journal: breaking, blobs: memoryBlobs() }, { replicas: [{ to, everyMs }] })
    await store.buckets.create('box')
    await isWhole(store)
    isBroken = true
    await expect(store.objects.put('box', 'key', 'x')).rejects.toMatchObject({ code: 'StoreFailed' })
    expect(store.state).toBe('failed')
    await new Promise((resolve) => setTimeout(resolve, 2500))
    expect((await inspectReplica(to)).writer?.term).toBe(1)
    await store.close().catch(() => undefined)
  })

  it('is restored as of a position, a time and a snapshot', async () => {
    const store = await open('one')
    await store.buckets.create('box')
    await store.objects.put('box', 'key', 'first')
    const [position, time] = [store.seq, new Date()]
    await store.snapshots.create('before')
    await new Promise((resolve) => setTimeout(resolve, 5))
    await store.objects.put('box', 'key', 'second')
    await isWhole(store)
    await store.close()
    for (const [name, at] of [
      ['position', position],
      ['time', time],
      ['snapshot', 'before'],
    ] as const) {
      await restoreStore(to, join(home, name), { at })
      const there = await openStore(join(home, name))
      expect(await (await there.objects.get('box', 'key')).text()).toBe('first')
      await there.close()
    }
    await expect(restoreStore(to, join(home, 'later'), { at: 10_000 })).rejects.toMatchObject({
      code: 'MomentOutOfRange',
    })
    await expect(restoreStore(to, join(home, 'none'), { at: 'no-such-snapshot' })).rejects.toMatchObject({
      code: 'NoSuchSnapshot',
    })
  })

  it('is written on by the same store after it was opened again', async () => {
    for (let n = 1; n <= 3; n++) {
      const store = await open('one')
      if (n === 1) await store.buckets.create('box')
      await fill(store, 3)
      await isWhole(store)
      await store.close()
      expect((await inspectReplica(to)).writer?.term).toBe(n)
    }
  })

  it('is refused to another directory with the same log, which is told why, and goes on without it', async () => {
    const store = await open('one')
    await store.buckets.create('box')
    await isWhole(store)
    await store.close()
    await restoreStore(to, join(home, 'two'))
    const other = await open('two')
    await expect.poll(() => jobOf(other)?.lastError?.error).toMatchObject({ code: 'ReplicaHeld' })
    await other.objects.put('box', 'key', 'x')
    await other.close()
    const taking = await open('two', { takeOver: true })
    await isWhole(taking)
    await taking.close()
  })

  it('is taken over by a store that was restored to an earlier moment, and keeps the branch that it left', async () => {
    const store = await open('one')
    await store.buckets.create('box')
    await store.buckets.setVersioning('box', 'Enabled')
    await store.objects.put('box', 'key', 'kept')
    const at = store.seq
    const { versionId } = await store.objects.put('box', 'key', 'left')
    await isWhole(store)
    await store.close()
    await restoreStore(to, join(home, 'two'), { at })
    const refused = await open('two')
    await expect.poll(() => jobOf(refused)?.lastError?.error).toMatchObject({ code: 'ReplicaDiverged' })
    await refused.close()
    const taking = await open('two', { takeOver: true })
    const other = await taking.objects.put('box', 'key', 'other')
    expect(other.versionId).not.toBe(versionId)
    await expect(taking.objects.get('box', 'key', { versionId })).rejects.toMatchObject({ code: 'NoSuchVersion' })
    await isWhole(taking)
    await taking.close()
    await restoreStore(to, join(home, 'three'))
    const there = await openStore(join(home, 'three'))
    expect(await (await there.objects.get('box', 'key')).text()).toBe('other')
    await there.close()
    const first = await open('one')
    await expect
      .poll(() => jobOf(first)?.lastError?.error)
      .toMatchObject({
        code: expect.stringMatching(/^Replica(Held|Diverged)$/),
      })
    await first.close()
  })

  it('of a copied directory is written by the one that was opened last: the other one is told', async () => {
    const first = await open('one')
    await first.buckets.create('box')
    await isWhole(first)
    await first.close()
    await cp(join(home, 'one'), join(home, 'copy'), { recursive: true })
    const [one, copy] = [await open('one'), await open('copy')]
    await one.objects.put('box', 'a', 'x')
    await copy.objects.put('box', 'b', 'x')
    const errors = () => [one, copy].map((store) => (jobOf(store)?.lastError?.error as { code?: string })?.code)
    await expect.poll(errors, { timeout: 10_000 }).toContainEqual(expect.stringMatching(/^Replica(Held|Diverged)$/))
    await one.close()
    await copy.close()
    expect(await verifyReplica(to, { blobs: 'read' })).toMatchObject({ damaged: 0 })
  })

  it('says which bytes are missing and damaged', async () => {
    const store = await open('one')
    await store.buckets.create('box')
    await fill(store, 9)
    await isWhole(store)
    await store.close()
    expect(await verifyReplica(to, { blobs: 'read' })).toMatchObject({ blobs: 9, damaged: 0 })
    const [shard] = await readdir(join(to, 'blobs'))
    const [blob] = await readdir(join(to, 'blobs', shard as string))
    await rm(join(to, 'blobs', shard as string, blob as string))
    const { damaged, findings } = await verifyReplica(to)
    expect(damaged).toBe(1)
    expect(findings[0]).toMatchObject({ blob, error: { code: 'BlobMissing' } })
  })

  it('is not where nothing was written', async () => {
    await expect(inspectReplica(join(home, 'none'))).rejects.toMatchObject({ code: 'StoreNotFound' })
    await expect(restoreStore(join(home, 'none'), join(home, 'two'))).rejects.toMatchObject({ code: 'StoreNotFound' })
  })

  it('cannot be written by a store that only reads, nor twice at one place', async () => {
    await (await openStore(join(home, 'one'))).close()
    await expect(openStore(join(home, 'one'), { readOnly: true, replicas: [{ to }] })).rejects.toMatchObject({
      code: 'InvalidArgument',
    })
    await expect(openStore(join(home, 'one'), { replicas: [{ to }, { to }] })).rejects.toMatchObject({
      code: 'InvalidArgument',
    })
    await expect(openStore(join(home, 'one'), { replicas: [{ to: 'ftp://a/b' }] })).rejects.toMatchObject({
      code: 'InvalidArgument',
    })
  })
})

describe('a synchronous replica', () => {
  const openSync = (synchronous: 'refuse' | 'continue', patienceMs = 10_000): Promise<Store> =>
    openStore(join(home, 'one'), { replicas: [{ to, everyMs: 60_000, synchronous, patienceMs }] })

  it('has each write that was acknowledged', async () => {
    const store = await openSync('refuse')
    await store.buckets.create('box')
    for (let n = 0; n < 10; n++) {
      await store.objects.put('box', `key${n}`, 'x')
      expect((await inspectReplica(to)).head).toBe(store.seq)
    }
    await Promise.all(Array.from({ length: 50 }, (_, n) => store.objects.put('box', `many${n}`, 'x')))
    expect((await inspectReplica(to)).head).toBe(store.seq)
    await store.close()
  })

  it('refuses writes that it cannot confirm, and takes them again when it can', async () => {
    const store = await openSync('refuse', 300)
    await store.buckets.create('box')
    await rename(join(to, 'replica'), join(to, 'away'))
    await expect(store.objects.put('box', 'key', 'x')).rejects.toMatchObject({
      code: 'NotReplicated',
      details: { kind: 'unconfirmed' },
    })
    await expect(store.objects.put('box', 'key', 'x')).rejects.toMatchObject({
      code: 'NotReplicated',
      details: { kind: 'refused' },
    })
    expect(await (await store.objects.get('box', 'key')).text()).toBe('x')
    await rename(join(to, 'away'), join(to, 'replica'))
    await expect
      .poll(
        () =>
          store.objects.put('box', 'later', 'x').then(
            () => 'written',
            () => 'refused',
          ),
        { timeout: 20_000 },
      )
      .toBe('written')
    expect((await inspectReplica(to)).head).toBe(store.seq)
    await store.close()
  }, 30_000)

  it('does not hold writes back for longer than it may, if they are to go on', async () => {
    const store = await openSync('continue', 300)
    await store.buckets.create('box')
    await rename(join(to, 'replica'), join(to, 'away'))
    await store.objects.put('box', 'key', 'x')
    const before = performance.now()
    for (let n = 0; n < 20; n++) await store.objects.put('box', 'key', 'x')
    expect(performance.now() - before).toBeLessThan(20 * 300)
    await rename(join(to, 'away'), join(to, 'replica'))
    await store.close()
  }, 30_000)

  it('is refused to a store on parts, because another store may write it', async () => {
    const parts = { journal: {}, blobs: {} } as never
    await expect(openStore(parts, { replicas: [{ to, synchronous: 'refuse' }] })).rejects.toMatchObject({
      code: 'InvalidArgument',
    })
  })
})

describe('a restore from several replicas', () => {
  const [a, b] = ['a', 'b']
  const at = (name: string) => join(home, name)

  async function twoReplicas(): Promise<{ readonly content: Record<string, string>; readonly seq: number }> {
    const store = await openStore(at('one'), { replicas: [a, b].map((name) => ({ to: at(name), everyMs })) })
    await store.buckets.create('box')
    await fill(store, 20)
    const content = await contentOf(store)
    const { seq } = store
    await store.close()
    return { content, seq }
  }

  const namesOf = async (name: string, folder: string) =>
    (await readdir(join(at(name), folder), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))

  it('takes from the next what one lacks or has damaged: blobs, and files of events', async () => {
    const { content, seq } = await twoReplicas()
    const [gone, damaged] = await namesOf(a, 'blobs')
    await rm(gone as string)
    await writeFile(damaged as string, 'not what it was')
    const [file] = (await namesOf(a, 'replica')).filter((name) => name.includes('log.'))
    const bytes = await readFile(file as string)
    bytes.fill(0, 300, 340)
    await writeFile(file as string, bytes)
    const report = await restoreStore([at(a), at(b)], at('two'))
    expect(report).toMatchObject({ head: seq + 1, absent: 0 })
    expect(report.replicas.map(({ head }) => head)).toEqual([seq, seq])
    const there = await openStore(at('two'))
    expect(await contentOf(there)).toEqual(content)
    expect((await there.verify()).divergences).toEqual([])
    await there.close()
  })

  it('ends where the longest one ends', async () => {
    await twoReplicas()
    const store = await openStore(at('one'), { replicas: [{ to: at(b), everyMs }] })
    await store.objects.put('box', 'later', 'later')
    const { seq } = store
    await store.close()
    const report = await restoreStore([at(a), at(b)], at('two'))
    expect(report).toMatchObject({ from: at(b), head: seq + 1 })
    expect(report.replicas.map(({ from }) => from)).toEqual([at(b), at(a)])
  })

  it('leaves out one that cannot be read, and says so', async () => {
    const { content } = await twoReplicas()
    const report = await restoreStore([at('none'), at(b)], at('two'))
    expect(report.replicas).toMatchObject([{ from: at(b) }, { from: at('none'), error: { code: 'StoreNotFound' } }])
    const there = await openStore(at('two'))
    expect(await contentOf(there)).toEqual(content)
    await there.close()
    await expect(restoreStore([at('none'), at('neither')], at('three'))).rejects.toMatchObject({
      code: 'StoreNotFound',
    })
  })

  it('refuses replicas of two stores', async () => {
    await twoReplicas()
    const other = await openStore(at('other'), { replicas: [{ to: at('c'), everyMs }] })
    await other.buckets.create('box')
    await other.close()
    await expect(restoreStore([at(a), at('c')], at('two'))).rejects.toMatchObject({ code: 'ReplicaDiverged' })
  })

  it.each([[[]], [[7]], [{}], [['']]])('refuses addresses that are none: %j', async (from) => {
    await expect(restoreStore(from as never, at('two'))).rejects.toMatchObject({ code: 'InvalidArgument' })
  })
})

it('is not verified if it has no event', async () => {
  const store = await open('one')
  await store.buckets.create('box')
  await store.close()
  for (const name of await readdir(join(to, 'replica')))
    if (/^(log|ends)/.test(name)) await rm(join(to, 'replica', name))
  await expect(verifyReplica(to)).rejects.toMatchObject({ code: 'StoreNotFound', details: { kind: 'empty' } })
})

describe('bytes that a store erases', () => {
  it('stay for a replica that cannot be reached, also after a restart', async () => {
    const store = await open('one')
    await store.buckets.create('box')
    await store.retention.set({ keepMs: 0 })
    await isWhole(store)
    const away = join(home, 'away')
    await rename(to, away)
    // Nothing can be read or made there.
    await symlink(to, to)
    const texts = { short: 'short', long: 'long '.repeat(20_000) }
    for (const [key, text] of Object.entries(texts)) await store.objects.put('box', key, text)
    const { seq } = store
    for (const key of Object.keys(texts)) await store.objects.delete('box', key)
    await store.sweep()
    await store.close()
    const again = await open('one')
    await again.sweep()
    expect((await again.usage()).kept).toBe(100_005)
    expect(jobOf(again)?.pinned).toEqual({ bytes: 100_005, givenUp: { contents: 0, bytes: 0 } })
    await rm(to)
    await rename(away, to)
    await isWhole(again)
    await expect.poll(async () => (await again.usage()).kept, { timeout: 30_000 }).toBe(0)
    await again.close()
    expect((await inspectReplica(to)).absent).toBe(0)
    await restoreStore(to, join(home, 'two'), { at: seq })
    const there = await openStore(join(home, 'two'))
    for (const [key, text] of Object.entries(texts))
      expect(await (await there.objects.get('box', key)).text()).toBe(text)
    await there.close()
  }, 60_000)

  it('are given up beyond the budget, and the gap is named', async () => {
    const gaps: unknown[] = []
    const settings = { to, everyMs, pinMax: 0, onGap: (gap: unknown) => gaps.push(gap) }
    const store = await openStore(join(home, 'one'), { replicas: [settings] })
    await store.buckets.create('box')
    await store.retention.set({ keepMs: 0 })
    await isWhole(store)
    await rename(join(to, 'replica'), join(to, 'away'))
    await store.objects.put('box', 'key', 'short')
    await store.objects.delete('box', 'key')
    await store.sweep()
    expect(gaps).toEqual([{ to, contents: 1, bytes: 5 }])
    expect(jobOf(store)?.pinned).toEqual({ bytes: 0, givenUp: { contents: 1, bytes: 5 } })
    await rename(join(to, 'away'), join(to, 'replica'))
    await isWhole(store)
    await store.close()
    expect((await inspectReplica(to)).absent).toBe(1)
    expect(await verifyReplica(to)).toMatchObject({ damaged: 0, erased: 1 })
  }, 60_000)

  it('are removed from the replica, if somebody had them erased', async () => {
    const store = await open('one')
    await store.buckets.create('box')
    await fill(store, 4)
    await isWhole(store)
    const before = store.seq
    const content = await contentOf(store)
    for (const key of ['key0', 'key1'])
      expect(await store.erase({ bucket: 'box', key, live: true })).toMatchObject({ pending: 0 })
    await store.close()
    expect(await verifyReplica(to, { blobs: 'read' })).toMatchObject({ damaged: 0, erased: 2 })
    expect(await restoreStore(to, join(home, 'two'), { at: before })).toMatchObject({ absent: 2 })
    const there = await openStore(join(home, 'two'))
    for (const key of ['key0', 'key1'])
      await expect(there.objects.get('box', key)).rejects.toMatchObject({ code: 'ObjectErased' })
    for (const key of ['key2', 'key3'])
      expect(content[key]).toContain(await (await there.objects.get('box', key)).text())
    expect((await there.verify()).divergences).toEqual([])
    await there.close()
  }, 60_000)
})
