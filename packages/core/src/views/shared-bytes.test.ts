import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeOf, list } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryJournal, memoryPorts, memorySecrets } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { contentId } from './contents.ts'
import { copyStep, takeStep, versionSteps } from './random-steps.fixture.ts'
import { committedRows } from './row-reader.ts'
import { bucketTable, pastVersionTable, versionTable } from './tables.ts'
import type { VersionRow } from './version-row.ts'

const ann = { by: { id: 'a1', name: 'ann' } }
const bob = { by: { id: 'b1', name: 'bob' } }

async function twoOwners(ports: MemoryPorts): Promise<Store> {
  const store = await openEngine({ ...ports, secrets: memorySecrets(new Map()) }, { inlineMax: 8, retentionMs: 1e9 })
  await store.identities.create('ann', { id: 'a1' })
  await store.identities.create('bob', { id: 'b1' })
  await store.as(ann).buckets.create('of-ann')
  await store.as(bob).buckets.create('of-bob')
  return store
}

const bytesOf = async (store: Store, name: string) => (await store.identities.get(name)).usage.bytes

describe('bytes that a copy shares', () => {
  it('are refused if the owner of the copy has no room, from the present and from the past', async () => {
    const store = await twoOwners(memoryPorts())
    await store.identities.setQuota('bob', { bytes: 100 })
    await store.as(ann).objects.put('of-ann', 'a', 'x'.repeat(500))
    const { seq: at } = store
    await store.as(ann).buckets.fork('of-ann', 'fork-of-ann')
    const copy = (source: { bucket: string; key: string; at?: number }) =>
      codeOf(store.as(bob).objects.copy(source, 'of-bob', 'b'))
    expect(await copy({ bucket: 'of-ann', key: 'a' })).toBe('QuotaExceeded')
    expect(await copy({ bucket: 'fork-of-ann', key: 'a' })).toBe('QuotaExceeded')
    await store.as(ann).objects.delete('of-ann', 'a')
    expect(await copy({ bucket: 'of-ann', key: 'a', at })).toBe('QuotaExceeded')
    expect(await copy({ bucket: 'fork-of-ann', key: 'a' })).toBe('QuotaExceeded')
    expect(await bytesOf(store, 'bob')).toBe(0)
  })

  it('count for each owner that needs them, and for the last one alone', async () => {
    const store = await twoOwners(memoryPorts())
    await store.identities.setQuota('ann', { bytes: 500 })
    await store.as(ann).objects.put('of-ann', 'a', 'x'.repeat(500))
    await store.as(bob).objects.copy({ bucket: 'of-ann', key: 'a' }, 'of-bob', 'b')
    expect([await bytesOf(store, 'ann'), await bytesOf(store, 'bob')]).toEqual([500, 500])
    expect(await store.usage()).toMatchObject({ live: 500 })
    await store.as(ann).objects.delete('of-ann', 'a')
    await store.as(ann).buckets.delete('of-ann')
    expect([await bytesOf(store, 'ann'), await bytesOf(store, 'bob')]).toEqual([0, 500])
    await store.as(ann).buckets.create('new')
    await store.as(ann).objects.put('new', 'a', 'y'.repeat(500))
    await store.as(bob).objects.delete('of-bob', 'b')
    expect(await bytesOf(store, 'bob')).toBe(0)
  })

  it('are refused if a fork is merged into a bucket that may not have such objects, or so many', async () => {
    const store = await twoOwners(memoryPorts())
    await store.as(ann).objects.put('of-ann', 'a', 'x')
    await store.as(bob).buckets.fork('of-ann', 'try')
    for (const key of ['a', 'b', 'c']) await store.as(bob).objects.put('try', key, 'y'.repeat(20))
    const merge = () => codeOf(store.as(bob).merge({ fork: 'try', onConflict: 'force' }))
    await store.buckets.settings.put('of-ann', 'Quota', { objectBytes: 19 })
    expect(await merge()).toBe('QuotaExceeded')
    await store.buckets.settings.put('of-ann', 'Quota', { objects: 2 })
    expect(await merge()).toBe('QuotaExceeded')
    expect(await store.usage({ bucket: 'of-ann' })).toMatchObject({ versions: 1 })
    await store.buckets.settings.put('of-ann', 'Quota', { objects: 3, objectBytes: 20 })
    await store.as(bob).merge({ fork: 'try' })
    expect(await store.usage({ bucket: 'of-ann' })).toMatchObject({ versions: 3 })
  })

  it('are refused if a fork is merged into a bucket without room', async () => {
    const store = await twoOwners(memoryPorts())
    await store.as(ann).objects.put('of-ann', 'a', 'x'.repeat(50))
    await store.as(bob).buckets.fork('of-ann', 'try')
    await store.as(bob).objects.put('try', 'b', 'y'.repeat(40))
    await store.as(bob).objects.put('try', 'c', 'y'.repeat(40))
    await store.identities.setQuota('ann', { bytes: 100 })
    expect(await codeOf(store.as(bob).merge({ fork: 'try' }))).toBe('QuotaExceeded')
    await store.as(bob).merge({ fork: 'try', prefix: 'b' })
    expect(await bytesOf(store, 'ann')).toBe(90)
    await store.as(bob).buckets.drop('try')
    await store.sweep()
    expect([await bytesOf(store, 'ann'), await bytesOf(store, 'bob')]).toEqual([90, 0])
  })

  it('count for the owner of a fork that shows them, once the base has removed them and until the fork is gone', async () => {
    const store = await twoOwners(memoryPorts())
    const usage = async () => [await bytesOf(store, 'ann'), await bytesOf(store, 'bob')]
    await store.as(ann).objects.put('of-ann', 'a', 'x'.repeat(500))
    await store.as(ann).objects.put('of-ann', 'b', 'y'.repeat(40))
    await store.as(bob).buckets.fork('of-ann', 'try')
    await store.as(bob).buckets.fork('try', 'try-again')
    expect(await usage()).toEqual([540, 0])
    await store.as(ann).objects.delete('of-ann', 'a')
    expect(await usage()).toEqual([40, 1000])
    expect(await store.usage({ bucket: 'try' })).toMatchObject({ live: 0, shared: 500 })
    await store.identities.setQuota('bob', { bytes: 1000 })
    expect(await codeOf(store.as(bob).objects.put('of-bob', 'c', 'z'))).toBe('QuotaExceeded')
    await store.as(bob).objects.delete('try-again', 'a')
    expect(await usage()).toEqual([40, 500])
    await store.as(bob).objects.annotate('try', 'a', { kind: 'tags', value: [{ key: 'a', value: 'b' }] })
    expect(await store.usage({ bucket: 'try' })).toMatchObject({ live: 500 })
    await store.as(bob).buckets.drop('try-again')
    await store.as(bob).objects.delete('try', 'a')
    await store.as(ann).objects.delete('of-ann', 'b')
    expect(await usage()).toEqual([0, 40])
    await store.as(bob).buckets.drop('try')
    expect(await usage()).toEqual([0, 0])
    expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ divergences: [] })
  })

  it('count for the base again if it takes them back, and for a fork of the past', async () => {
    const store = await twoOwners(memoryPorts())
    const usage = async () => [await bytesOf(store, 'ann'), await bytesOf(store, 'bob')]
    await store.as(ann).objects.put('of-ann', 'a', 'x'.repeat(500))
    const { seq: at } = store
    await store.as(ann).objects.delete('of-ann', 'a')
    await store.as(bob).buckets.fork('of-ann', 'try', { at })
    await store.retention.set({ keepMs: 0 })
    await store.sweep()
    expect(await usage()).toEqual([0, 500])
    await store.as(ann).restore({ bucket: 'of-ann', to: at })
    expect(await usage()).toEqual([500, 0])
  })

  it('are refused to a fork of the past if its owner has no room for those that the base has removed', async () => {
    const store = await twoOwners(memoryPorts())
    await store.as(ann).objects.put('of-ann', 'a', 'x'.repeat(500))
    await store.as(ann).objects.put('of-ann', 'b', 'y'.repeat(400))
    const { seq: at } = store
    for (const key of ['a', 'b']) await store.as(ann).objects.delete('of-ann', key)
    await store.as(ann).objects.put('of-ann', 'c', 'z'.repeat(300))
    await store.as(ann).objects.delete('of-ann', 'c')
    const fork = () => codeOf(store.as(bob).buckets.fork('of-ann', 'try', { at }))
    await store.identities.setQuota('bob', { bytes: 899 })
    expect(await fork()).toBe('QuotaExceeded')
    expect(await codeOf(store.as(bob).buckets.fork('of-ann', 'now'))).toBe('no error')
    await store.identities.setQuota('bob', { bytes: 900 })
    expect(await fork()).toBe('no error')
    await store.retention.set({ keepMs: 0 })
    await store.sweep()
    expect(await bytesOf(store, 'bob')).toBe(900)
  })

  it('count for no fork that began while its base did not have them', async () => {
    const store = await twoOwners(memoryPorts())
    await store.as(ann).objects.put('of-ann', 'a', 'x'.repeat(500))
    await store.as(ann).buckets.fork('of-ann', 'shows')
    const { seq } = store
    await store.as(ann).objects.delete('of-ann', 'a')
    await store.as(bob).buckets.fork('of-ann', 'try')
    await store.as(bob).buckets.fork('try', 'try-again')
    await store.undo({ bucket: 'of-ann', from: seq })
    await store.as(ann).objects.delete('of-ann', 'a')
    expect([await bytesOf(store, 'ann'), await bytesOf(store, 'bob')]).toEqual([500, 0])
    expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ divergences: [] })
  })

  it('count for who copies them from the past, and cost a bucket that has them nothing more', async () => {
    const store = await twoOwners(memoryPorts())
    await store.as(ann).objects.put('of-ann', 'a', 'x'.repeat(500))
    const { seq: at } = store
    await store.as(ann).objects.delete('of-ann', 'a')
    await store.identities.setQuota('bob', { bytes: 600 })
    await store.as(bob).objects.copy({ bucket: 'of-ann', key: 'a', at }, 'of-bob', 'b')
    for (const key of ['c', 'd']) await store.as(bob).objects.copy({ bucket: 'of-bob', key: 'b' }, 'of-bob', key)
    await store.as(bob).objects.copy({ bucket: 'of-ann', key: 'a', at }, 'of-bob', 'e')
    expect([await bytesOf(store, 'ann'), await bytesOf(store, 'bob')]).toEqual([0, 500])
    expect(await codeOf(store.as(bob).objects.put('of-bob', 'f', 'z'.repeat(101)))).toBe('QuotaExceeded')
  })
})

const names = ['of-ann', 'of-bob', 'try']
const keys = ['k', 'l']
const place = { bucket: fc.constantFrom(...names), key: fc.constantFrom(...keys) }
const plainStep = fc.oneof(
  ...versionSteps(names, keys),
  fc.record({ do: fc.constant('parts' as const), ...place }),
  fc.record({ do: fc.constant('undo' as const), ...place, ago: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ do: fc.constant('fork' as const), bucket: fc.constantFrom('of-ann', 'of-bob') }),
  fc.record({ do: fc.constant('drop' as const) }),
  fc.record({ do: fc.constant('tag' as const), ...place }),
)
const step = fc.oneof(
  { weight: 9, arbitrary: plainStep },
  { weight: 1, arbitrary: copyStep(names, keys) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('restore' as const),
      bucket: place.bucket,
      ago: fc.integer({ min: 1, max: 12 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('merge' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

async function run(store: Store, given: Step, number: number): Promise<void> {
  switch (given.do) {
    case 'parts': {
      const upload = await store.uploads.create(given.bucket, given.key)
      await store.uploads.uploadPart(upload, 1, 'replaced')
      const { etag } = await store.uploads.uploadPart(upload, 1, 'y'.repeat(30))
      await store.uploads.uploadPart(upload, 2, 'y'.repeat(7))
      return void (await store.uploads.complete(upload, [{ partNumber: 1, etag }]))
    }
    case 'undo':
      return void (await store.undo({
        bucket: given.bucket,
        prefix: given.key,
        from: Math.max(1, store.seq - given.ago),
      }))
    case 'restore':
      return void (await store.restore({ bucket: given.bucket, to: Math.max(1, store.seq - given.ago) }))
    case 'fork':
      return void (await store.buckets.fork(given.bucket, 'try'))
    case 'merge':
      return void (await store.merge({ fork: 'try', onConflict: 'force' }))
    case 'drop':
      await store.buckets.drop('try')
      return void (await store.sweep())
    case 'tag':
      return void (await store.objects.annotate(given.bucket, given.key, {
        kind: 'tags',
        value: [{ key: 'a', value: `${number}` }],
      }))
    default:
      return takeStep(store, given)
  }
}

/** The contents of versions that exist, with their sizes. */
async function contentsOf({ journal, hashing }: MemoryPorts, bucket: string): Promise<Map<string, number>> {
  const rows = committedRows(journal, hashing)
  const contents = new Map<string, number>()
  if ((await rows.get(bucketTable.key(bucket))) === undefined) return contents
  for (const key of keys) {
    for (const { row } of await rows.all<VersionRow>(versionTable.ofKey(bucket, key))) addContent(contents, row)
  }
  return contents
}

function addContent(contents: Map<string, number>, row: VersionRow | undefined): void {
  const id = row === undefined || row.deleteMarker ? undefined : contentId(row.content)
  if (id !== undefined && row?.deleteMarker === false) contents.set(id, row.facts.size)
}

/** What the fork shows and no version needs any more. */
async function shownAlone({ journal, hashing }: MemoryPorts, store: Store): Promise<Map<string, number>> {
  const rows = committedRows(journal, hashing)
  const shown = new Map<string, number>()
  for (const entry of await list(store.versions.list('try'))) {
    if (entry.kind !== 'version') continue
    for (const bucket of names) addContent(shown, await rows.get(pastVersionTable.key(bucket, entry.key, entry.seq)))
  }
  for (const bucket of names)
    for (const id of (await contentsOf({ journal, hashing } as MemoryPorts, bucket)).keys()) shown.delete(id)
  return shown
}

const sumOf = (contents: Map<string, number>): number => [...contents.values()].reduce((sum, size) => sum + size, 0)

async function assertCharges(ports: MemoryPorts, store: Store, step: string, copies: boolean): Promise<void> {
  for (const bucket of names) {
    if (!(await store.buckets.exists(bucket))) continue
    const { live, shared = 0 } = await store.usage({ bucket })
    const needed = sumOf(await contentsOf(ports, bucket))
    if (bucket !== 'try') expect(live + shared, `${step} ${bucket}`).toBe(needed)
    else if (copies) expect(live + shared, `${step} try`).toBeGreaterThanOrEqual(needed)
    else expect(live + shared, `${step} try`).toBe(needed + sumOf(await shownAlone(ports, store)))
  }
}

async function runAll(steps: readonly Step[], copies: boolean): Promise<void> {
  const ports = memoryPorts()
  const store = await openEngine(ports, { inlineMax: 8, retention: { keepMs: 1e12 } })
  await store.buckets.create('of-ann')
  await store.buckets.create('of-bob')
  for (const [number, each] of steps.entries()) {
    await codeOf(run(store, each, number))
    await assertCharges(ports, store, each.do, copies)
  }
  const uploads = await Promise.all(names.map((name) => list(store.uploads.list(name)).catch(() => [])))
  expect(uploads.flat()).toEqual([])
  expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ divergences: [] })
  await store.close()
}

describe('each bucket', () => {
  it('is charged for the bytes that its versions need, whatever was copied, forked, restored and removed', async () => {
    const steps = fc.array(step, { maxLength: 30, size: 'max' })
    await fc.assert(
      fc.asyncProperty(steps, (given) => runAll(given, true)),
      { numRuns: 100 },
    )
  }, 60_000)

  it('is charged for exactly what it alone shows, if it is a fork of a bucket without copies', async () => {
    const steps = fc.array(plainStep, { maxLength: 30, size: 'max' })
    await fc.assert(
      fc.asyncProperty(steps, (given) => runAll(given, false)),
      { numRuns: 100 },
    )
  }, 60_000)
})
