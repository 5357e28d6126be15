import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeOf, list } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryJournal, memoryPorts, memorySecrets } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { contentId } from './contents.ts'
import { committedRows } from './row-reader.ts'
import { bucketTable, versionTable } from './tables.ts'
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
const step = fc.oneof(
  fc.record({ do: fc.constant('put' as const), ...place, size: fc.constantFrom(0, 5, 20) }),
  fc.record({ do: fc.constant('parts' as const), ...place }),
  fc.record({
    do: fc.constant('copy' as const),
    ...place,
    from: fc.record(place),
    ago: fc.integer({ min: 0, max: 12 }),
  }),
  fc.record({ do: fc.constant('delete' as const), ...place }),
  fc.record({ do: fc.constant('removeOldest' as const), ...place }),
  fc.record({ do: fc.constant('undo' as const), ...place, ago: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ do: fc.constant('restore' as const), bucket: place.bucket, ago: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ do: fc.constant('versioning' as const), bucket: place.bucket }),
  fc.record({ do: fc.constant('fork' as const), bucket: fc.constantFrom('of-ann', 'of-bob') }),
  fc.record({ do: fc.constant('merge' as const) }),
  fc.record({ do: fc.constant('drop' as const) }),
  fc.record({ do: fc.constant('tag' as const), ...place }),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

async function run(store: Store, given: Step, number: number): Promise<void> {
  switch (given.do) {
    case 'put':
      return void (await store.objects.put(
        given.bucket,
        given.key,
        `${number}`.padEnd(given.size, 'x').slice(0, given.size),
      ))
    case 'parts': {
      const upload = await store.uploads.create(given.bucket, given.key)
      await store.uploads.uploadPart(upload, 1, 'replaced')
      const { etag } = await store.uploads.uploadPart(upload, 1, 'y'.repeat(30))
      await store.uploads.uploadPart(upload, 2, 'y'.repeat(7))
      return void (await store.uploads.complete(upload, [{ partNumber: 1, etag }]))
    }
    case 'copy': {
      const at = given.ago === 0 ? {} : { at: Math.max(1, store.seq - given.ago) }
      return void (await store.objects.copy({ ...given.from, ...at }, given.bucket, given.key))
    }
    case 'delete':
      return void (await store.objects.delete(given.bucket, given.key))
    case 'removeOldest': {
      const { entries } = await store.versions.listPage(given.bucket, { prefix: given.key })
      const oldest = entries.at(-1)
      if (oldest === undefined || oldest.kind === 'prefix') return
      return void (await store.versions.delete(given.bucket, oldest.key, oldest.versionId))
    }
    case 'undo':
      return void (await store.undo({
        bucket: given.bucket,
        prefix: given.key,
        from: Math.max(1, store.seq - given.ago),
      }))
    case 'restore':
      return void (await store.restore({ bucket: given.bucket, to: Math.max(1, store.seq - given.ago) }))
    case 'versioning':
      return store.buckets.setVersioning(given.bucket, 'Enabled')
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
  }
}

/** What the versions that a bucket has rows for need, each content once. */
async function needed({ journal, hashing }: MemoryPorts, bucket: string): Promise<number> {
  const rows = committedRows(journal, hashing)
  const place = await rows.get(bucketTable.key(bucket))
  if (place === undefined) return 0
  const contents = new Map<string, number>()
  for (const key of keys) {
    for (const { row } of await rows.all<VersionRow>(versionTable.ofKey(bucket, key))) {
      const id = row.deleteMarker ? undefined : contentId(row.content)
      if (id !== undefined && !row.deleteMarker) contents.set(id, row.facts.size)
    }
  }
  return [...contents.values()].reduce((sum, size) => sum + size, 0)
}

describe('each bucket', () => {
  it('is charged for the bytes that its versions need, whatever was copied, forked, restored and removed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async (steps) => {
        const ports = memoryPorts()
        const store = await openEngine(ports, { inlineMax: 8, retention: { keepMs: 1e12 } })
        await store.buckets.create('of-ann')
        await store.buckets.create('of-bob')
        for (const [number, each] of steps.entries()) {
          await codeOf(run(store, each, number))
          for (const bucket of names) {
            if (!(await store.buckets.exists(bucket))) continue
            const { live, shared = 0 } = await store.usage({ bucket })
            expect(live + shared, `${each.do} ${bucket}`).toBe(await needed(ports, bucket))
          }
        }
        const uploads = await Promise.all(names.map((name) => list(store.uploads.list(name)).catch(() => [])))
        expect(uploads.flat()).toEqual([])
        expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ divergences: [] })
        await store.close()
      }),
      { numRuns: 150 },
    )
  }, 60_000)
})
