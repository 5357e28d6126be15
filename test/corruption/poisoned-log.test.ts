/** Logs with events that cannot be read: salvage keeps everything but what is wrong, each at its position. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeHashing, openStoreDirectory } from '@varve/adapters'
import { afterAll, describe, expect, it } from 'vitest'
import { frameFormat, seal } from '#core/bytes/frame'
import { decodeEvent, encodeEvent, eventKey } from '#core/events/event-codec'
import { openStore, salvageStore, type Store } from 'varve'

const root = await mkdtemp(join(tmpdir(), 'varve-poisoned-'))
let made = 0
const next = (): string => join(root, String(made++))
afterAll(() => rm(root, { recursive: true, force: true }))
const hashing = await nodeHashing()

type Wrong = (payload: Uint8Array) => Uint8Array

const cutShort: Wrong = (payload) => payload.subarray(0, -1)

/**
 * A store whose log has impossible events at these positions. Its hash chain is valid, as if the store had written it
 * so.
 */
async function poisoned(live: (store: Store) => Promise<unknown>, wrong: ReadonlyMap<number, Wrong>): Promise<string> {
  const [good, dir] = [next(), next()]
  const store = await openStore(good, { sweepEveryMs: 0 })
  await live(store)
  await store.close()
  const from = await openStoreDirectory(good, {})
  const into = await openStoreDirectory(dir, {})
  const events: Uint8Array[] = []
  let prev = ''
  for await (const stored of from.journal.events()) {
    const { event } = decodeEvent(hashing, stored)
    const payload = encodeEvent(hashing, { ...event, prev }).subarray(5)
    const changed = wrong.get(event.seq)?.(payload) ?? payload
    const frame = Uint8Array.of(0, 0, 0, 0, 0, ...changed)
    events.push(seal(hashing, eventKey(event.seq), frame, frameFormat.record))
    prev = hashing.sha256(changed)
  }
  const rows = []
  const cursor = from.journal.cursor({ gte: Uint8Array.of(0x80), lt: Uint8Array.of(0x81) })
  for (const [key, value] of await cursor.next(1000)) rows.push({ key, value })
  await cursor.close()
  await into.journal.commit({ expectedHead: 0, events, rows })
  await into.markReady()
  await from.close()
  await into.close()
  return dir
}

/** Fifteen acknowledged events, of which the third is about to be wrong. */
async function life({ buckets, objects }: Store): Promise<void> {
  await buckets.create('box')
  await objects.put('box', 'first', 'one')
  await buckets.settings.put('box', 'Tags', [{ key: 'a', value: 'b' }])
  for (let i = 0; i < 12; i++) await objects.put('box', `k${i}`, `value ${i}`)
}

async function saved(dir: string) {
  const into = next()
  const report = await salvageStore(dir, into)
  const store = await openStore(into, { sweepEveryMs: 0 })
  expect(await store.verify()).toMatchObject({ divergences: [] })
  const types: string[] = []
  for await (const { type } of store.log()) types.push(type)
  return { report, store, types }
}

describe('a log with an event that cannot be read', () => {
  it.each<[string, Wrong]>([
    ['cut short', cutShort],
    ['with more behind its end', (payload) => Uint8Array.of(...payload, 0)],
    ['with a text that is longer than the event', (payload) => payload.with(-1, 0x7f)],
  ])('%s is not opened, and salvage loses that event alone', async (_, wrong) => {
    const dir = await poisoned(life, new Map([[4, wrong]]))
    await expect(openStore(dir)).rejects.toMatchObject({ code: 'LogCorrupt' })
    const { report, store, types } = await saved(dir)
    expect(report).toMatchObject({ events: 15, eventsLost: 1, lost: [{ seq: 4, reason: 'damaged' }], bytesLost: [] })
    expect(types.map((type) => type === 'EventLost')).toEqual(types.map((_type, i) => i === 3))
    for (let i = 0; i < 12; i++) expect(await (await store.objects.get('box', `k${i}`)).text()).toBe(`value ${i}`)
    await store.close()
  })

  it('loses what needed the event, names it, and keeps the rest', async () => {
    const live = async ({ buckets, objects, versions, uploads }: Store) => {
      await buckets.create('gone')
      await objects.put('gone', 'k', 'x')
      await buckets.create('box')
      await objects.put('box', 'source', 'bytes')
      await objects.copy({ bucket: 'box', key: 'source' }, 'box', 'copy')
      await objects.copy({ bucket: 'box', key: 'source' }, 'box', 'again')
      await objects.delete('box', 'source')
      const upload = await uploads.create('box', 'whole')
      const part = await uploads.uploadPart(upload, 1, 'part')
      await uploads.complete(upload, [part])
      await versions.delete('box', 'again', 'null')
    }
    const dir = await poisoned(
      live,
      new Map([
        [2, cutShort],
        [5, cutShort],
        [9, cutShort],
      ]),
    )
    const { report, store, types } = await saved(dir)
    expect(report.lost.map(({ seq, reason, dependsOn }) => [seq, reason, dependsOn])).toEqual([
      [2, 'damaged', undefined],
      [3, 'dependent', 2],
      [5, 'damaged', undefined],
      [8, 'dependent', 5],
      [9, 'damaged', undefined],
      [10, 'dependent', 9],
      [11, 'dependent', 9],
    ])
    expect(types).toHaveLength(12)
    expect(await (await store.objects.get('box', 'copy')).text()).toBe('bytes')
    const names: string[] = []
    for await (const { name } of store.buckets.list()) names.push(name)
    expect(names).toEqual(['box'])
    await store.buckets.create('gone')
    await expect(store.objects.head('gone', 'k')).rejects.toMatchObject({ code: 'NoSuchKey' })
    await store.rebuild()
    expect(await store.verify()).toMatchObject({ divergences: [] })
    await store.close()
  })
})
