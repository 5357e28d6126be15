/** A log of the old format that is written into another journal in the current one: whole, in pieces, and damaged. */
import { memoryBlobs, memoryJournal, nodeHashing } from '@varve/adapters'
import {
  continuesUpgrade,
  type Journal,
  openEngine,
  type RecordedEvent,
  type Store,
  StorageError,
  upgradeLog,
  type UpgradeOptions,
} from '@varve/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { fixedWorld } from '../compat/golden-session.ts'
import { oldFrame, type OldLogWriter, writeAsOld } from './old-format.ts'

const hashing = await nodeHashing()
const formats = { from: 1, to: 3 }
/** Several commits of the upgrade. */
const objects = 1100

let blobs: ReturnType<typeof memoryBlobs>
let old: Journal
let end: OldLogWriter
let before: readonly unknown[]

beforeAll(async () => {
  blobs = memoryBlobs()
  const journal = await memoryJournal()
  const store = await engine(journal)
  await store.buckets.create('box', { versioning: 'Enabled' })
  const puts = Array.from({ length: objects }, (_, i) => store.objects.put('box', `key ${i}`, `body ${i}`))
  const added = await Promise.all(puts)
  await store.versions.delete('box', 'key 7', added[7]?.versionId ?? '')
  await store.objects.delete('box', 'key 8')
  old = await memoryJournal()
  end = await writeAsOld(journal, store.log(), old)
  before = await eventsOf(store)
  await store.close()
})

const engine = (journal: Journal): Promise<Store> =>
  openEngine({ journal, blobs, hashing, ...fixedWorld() }, { retentionMs: 1e14 })

/** Without the links, which are new. */
async function eventsOf(store: Store): Promise<readonly unknown[]> {
  const events: unknown[] = []
  for await (const { prev: _, ...event } of store.log()) events.push(event)
  return events
}

const upgrade = (into: Journal, options: Partial<UpgradeOptions> = {}) =>
  upgradeLog({ from: old, into, hashing, formats, ...options })

/** Everything in a journal, as text. */
async function contents(journal: Journal): Promise<readonly string[]> {
  const all: string[] = []
  for await (const { seq, bytes } of journal.events()) all.push(`${seq} ${Buffer.from(bytes).toString('hex')}`)
  const cursor = journal.cursor({ gte: Uint8Array.of(0), lt: Uint8Array.of(0xff) })
  for (let page = await cursor.next(500); page.length > 0; page = await cursor.next(500))
    for (const row of page) all.push(row.map((bytes) => Buffer.from(bytes).toString('hex')).join(' '))
  await cursor.close()
  return all
}

/** A journal that fails at one commit, before or after it took effect, and from then on. */
function failingAt(journal: Journal, at: number, isDone = false): Journal & { readonly commits: () => number } {
  let count = 0
  return {
    ...journal,
    commits: () => count,
    async commit(commit) {
      if (++count >= at) {
        if (isDone && count === at) await journal.commit(commit)
        throw new StorageError('JournalFailed', 'As planned.')
      }
      await journal.commit(commit)
    },
  }
}

/** The old log with the bytes of one event changed. */
const altered = (seq: number, alter: (bytes: Uint8Array) => Uint8Array): Journal => ({
  ...old,
  async *events(range) {
    for await (const stored of old.events(range))
      yield stored.seq === seq ? { seq, bytes: alter(stored.bytes) } : stored
  },
})

const flipped = (bytes: Uint8Array): Uint8Array => bytes.map((byte, i) => (i === 20 ? byte ^ 1 : byte))

describe('an upgraded log', () => {
  it('has every event and all bytes, and ends with the event that names the old tip', async () => {
    const into = await memoryJournal()
    const { tip, events } = await upgrade(into)
    expect(events).toBe(end.seq)
    const store = await engine(into)
    const [last, ...rest] = [...(await eventsOf(store))].reverse()
    expect(rest.reverse()).toEqual(before)
    const { at } = before.at(-1) as RecordedEvent
    const data = { from: 1, to: 3, events: end.seq, tip: end.hash }
    expect(last).toMatchObject({ seq: end.seq + 1, at, by: { id: 'varve' }, type: 'FormatUpgraded', data })
    const report = await store.verify()
    expect(report.divergences).toEqual([])
    expect(report.tip).toEqual(tip)
    expect(await (await store.objects.get('box', `key ${objects - 1}`)).text()).toBe(`body ${objects - 1}`)
    expect((await (await store.at(10)).objects.head('box', 'key 7')).size).toBe(6)
    await store.close()
  })

  it('continues after a failure at any commit, and does not begin again', async () => {
    const whole = failingAt(await memoryJournal(), Number.POSITIVE_INFINITY)
    await upgrade(whole)
    const expected = await contents(whole)
    expect(whole.commits()).toBeGreaterThan(5)
    for (let at = 1; at <= whole.commits(); at++) {
      for (const isDone of [false, true]) {
        const journal = await memoryJournal()
        await expect(upgrade(failingAt(journal, at, isDone))).rejects.toMatchObject({ code: 'JournalFailed' })
        expect(await continuesUpgrade({ from: old, into: journal, hashing, formats })).toBe(true)
        const again = failingAt(journal, Number.POSITIVE_INFINITY)
        await upgrade(again)
        expect((await contents(journal)).join() === expected.join(), `commit ${at}`).toBe(true)
        expect(again.commits(), `commit ${at}`).toBe(whole.commits() - at + (isDone ? 0 : 1))
      }
    }
  }, 120_000)

  it('is not continued after another log', async () => {
    const continues = (into: Journal, from = old) => continuesUpgrade({ from, into, hashing, formats })
    const complete = await memoryJournal()
    await upgrade(complete)
    expect(await continues(complete)).toBe(true)
    // The old release wrote more after the upgrade was complete.
    const longer = await memoryJournal()
    const store = await engine(await memoryJournal())
    for (let i = 0; i <= end.seq; i++) await store.buckets.create(`bucket-${i}`)
    await writeAsOld(await memoryJournal(), store.log(), longer)
    await store.close()
    expect(await continues(complete, longer)).toBe(false)
    const part = await memoryJournal()
    await expect(upgrade(failingAt(part, 2))).rejects.toMatchObject({ code: 'JournalFailed' })
    expect(await part.head()).toBeGreaterThan(1)
    expect(await continues(part)).toBe(true)
    expect(await continues(part, longer)).toBe(false)
    expect(await continues(part, await memoryJournal())).toBe(false)
  })

  it('is not continued after an event that cannot be read', async () => {
    const into = await memoryJournal()
    await into.commit({ expectedHead: 0, events: [oldFrame(Uint8Array.of(7), new Uint8Array(9))], rows: [] })
    expect(await continuesUpgrade({ from: old, into, hashing, formats })).toBe(false)
  })

  it('stops at a signal, and without events has none', async () => {
    const into = await memoryJournal()
    await expect(upgrade(into, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
    const empty = await memoryJournal()
    expect(await upgrade(empty, { from: await memoryJournal() })).toEqual({ tip: undefined, events: 0 })
    expect(await empty.head()).toBe(0)
  })

  it('counts its progress stage by stage up to the number of events', async () => {
    const last = new Map<string, number>()
    const onProgress: UpgradeOptions['onProgress'] = ({ stage, done }) => void last.set(stage, done)
    await upgrade(await memoryJournal(), { onProgress })
    expect([...last.keys()]).toEqual(['events', 'views', 'bytes', 'check'])
    expect(last.get('events')).toBe(end.seq)
  })
})

describe('a damaged old log', () => {
  it.each([1, 600, objects])('stops the upgrade at event %s, before and after an interruption', async (seq) => {
    const into = await memoryJournal()
    const damaged = { code: 'LogCorrupt', details: { seq, kind: 'checksum' } }
    await expect(upgrade(into, { from: altered(seq, flipped) })).rejects.toMatchObject(damaged)
    expect(await into.head()).toBeLessThan(seq)
    await expect(upgrade(into, { from: altered(seq, flipped) })).rejects.toMatchObject(damaged)
    await upgrade(into)
    expect(await into.head()).toBe(end.seq + 1)
  })

  it('is found where its chain or its end is not as it was', async () => {
    const into = await memoryJournal()
    const lost = { code: 'AcknowledgedWritesLost', details: { head: end.seq, witness: end.seq + 1 } }
    const beyond = { seq: end.seq + 1, hash: end.hash }
    await expect(upgrade(into, { witness: beyond })).rejects.toMatchObject(lost)
    const other = { seq: 9, hash: end.hash }
    const unlinked = { code: 'LogCorrupt', details: { seq: 9, kind: 'chain' } }
    await expect(upgrade(into, { witness: other })).rejects.toMatchObject(unlinked)
    const [key, value] = (await rowAhead()) as [Uint8Array, Uint8Array]
    const from = { ...old, get: async (wanted: Uint8Array) => (wanted.join() === key.join() ? value : old.get(wanted)) }
    await expect(upgrade(into, { from })).rejects.toMatchObject({ code: 'AcknowledgedWritesLost' })
    expect(await into.head()).toBe(0)
    const tip = { seq: end.seq, hash: end.hash }
    expect(await upgrade(into, { witness: tip })).toMatchObject({ events: end.seq })
  })

  const rowAhead = async () => {
    const key = Uint8Array.of(0x01)
    return [key, oldFrame(key, Buffer.from(JSON.stringify({ seq: end.seq + 3, hash: end.hash, at: 0, views: 5 })))]
  }
})

describe('what an upgrade wrote', () => {
  it('is refused when a row or inline bytes are not as they were written', async () => {
    for (const table of [0x21, 0x80]) {
      const journal = await memoryJournal()
      const into = { ...journal, commit: (commit: Parameters<Journal['commit']>[0]) => journal.commit(spoiled(commit)) }
      const spoiled = (commit: Parameters<Journal['commit']>[0]) => ({
        ...commit,
        rows: commit.rows.map(({ key, value }) => ({
          key,
          value: value !== null && key[0] === table ? flippedLast(value) : value,
        })),
      })
      const refused = { code: table === 0x80 ? 'LogCorrupt' : expect.stringMatching(/Corrupt$/) }
      await expect(upgrade(into), `table ${table}`).rejects.toMatchObject(refused)
    }
  })

  it('holds bytes that were damaged before as they were', async () => {
    const from = await memoryJournal()
    for await (const { seq, bytes } of old.events())
      await from.commit({ expectedHead: seq - 1, events: [bytes], rows: [] })
    const cursor = old.cursor({ gte: Uint8Array.of(0x80), lt: Uint8Array.of(0x81) })
    const [row] = await cursor.next(1)
    await cursor.close()
    const [key, value] = row as readonly [Uint8Array, Uint8Array]
    await from.commit({ expectedHead: end.seq, events: [], rows: [{ key, value: flippedLast(value) }] })
    const into = await memoryJournal()
    await upgrade(into, { from })
    expect(await into.get(key)).toEqual(flippedLast(value))
  })

  const flippedLast = (bytes: Uint8Array): Uint8Array =>
    bytes.map((byte, i) => (i === bytes.length - 1 ? byte ^ 1 : byte))
})
