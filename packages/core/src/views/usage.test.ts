import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeOf, list } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryJournal, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import type { UploadInfo } from '../api/types/index.ts'
import { type GarbagePlace, ownerUsageTable, pinnedTable } from './content-tables.ts'
import { describeKey } from './describe-key.ts'
import { isPinned, loadPins } from './pins.ts'
import { copyStep, takeStep, versionSteps } from './random-steps.fixture.ts'
import { committedRows } from './row-reader.ts'
import type { GarbageRow } from './rows.ts'

const buckets = ['box', 'other']
const keys = ['k', 'l']

const place = { bucket: fc.constantFrom(...buckets), key: fc.constantFrom(...keys) }
const snapshotName = fc.constantFrom('s', 't', 'u', 'v', 'w')
const size = fc.constantFrom(0, 5, 20)

const step = fc.oneof(
  ...versionSteps(buckets, keys),
  copyStep(buckets, keys),
  fc.record({ do: fc.constant('upload' as const), ...place }),
  fc.record({ do: fc.constant('part' as const), number: fc.integer({ min: 1, max: 3 }), size }),
  fc.record({ do: fc.constant('complete' as const), number: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant('abort' as const) }),
  fc.record({ do: fc.constant('dropBucket' as const), bucket: place.bucket }),
  fc.record({ do: fc.constant('erase' as const), bucket: place.bucket }),
  fc.record({
    do: fc.constant('snapshot' as const),
    name: snapshotName,
    bucket: fc.option(place.bucket, { nil: undefined }),
    ago: fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined }),
  }),
  fc.record({ do: fc.constant('dropSnapshot' as const), name: snapshotName }),
  fc.record({
    do: fc.constant('eraseNow' as const),
    ...place,
    live: fc.boolean(),
    uploads: fc.constantFrom(false, true, 'only' as const),
  }),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

class Uses {
  readonly ports: MemoryPorts
  readonly store: Store
  #upload: UploadInfo | undefined
  readonly #parts = new Map<number, string>()

  constructor(ports: MemoryPorts, store: Store) {
    this.ports = ports
    this.store = store
  }

  /** The bytes that the medium has. */
  get stored(): number {
    const large = [...this.ports.blobs.bytes.values()].reduce((total, bytes) => total + bytes.length, 0)
    const inline = [...this.ports.journal.rows.values()].filter(([key]) => describeKey(key).table === 'inline')
    // A frame has seven bytes besides those of the object.
    return large + inline.reduce((total, [, frame]) => total + frame.length - frameBytes, 0)
  }

  /** The counters of versions and uploads are what listings find. Those of the only owner are those of the store. */
  async assertCounts(): Promise<void> {
    for (const bucket of buckets) {
      if (!(await this.store.buckets.exists(bucket))) continue
      const versions = (await list(this.store.versions.list(bucket))).filter(({ kind }) => kind === 'version').length
      const uploads = (await list(this.store.uploads.list(bucket))).length
      expect(await this.store.usage({ bucket }), bucket).toMatchObject({ versions, uploads })
    }
    const owned = await committedRows(this.ports.journal, this.ports.hashing).get(ownerUsageTable.key('local'))
    const { live } = await this.store.usage()
    expect(owned).toEqual({ live, buckets: (await list(this.store.buckets.list())).length })
  }

  /** Garbage that is set aside, though no snapshot keeps it. */
  async pinnedInVain(): Promise<readonly GarbagePlace[]> {
    const rows = committedRows(this.ports.journal, this.ports.hashing)
    const pins = await loadPins(rows)
    const pinned = await rows.all<GarbageRow>(pinnedTable.range)
    return pinned
      .map(({ key, row }) => ({ place: pinnedTable.place(key), row }))
      .filter(({ place, row }) => !isPinned(place, row, pins))
      .map(({ place }) => place)
  }

  /** All bytes that snapshots promise are there. */
  async readSnapshots(): Promise<void> {
    for (const { name, bucket, complete } of await this.store.snapshots.list()) {
      if (!complete) continue
      const past = await this.store.at(name)
      for (const { name: each } of await list(past.buckets.list())) {
        if (bucket !== undefined && each !== bucket) continue
        for (const entry of await list(past.versions.list(each))) {
          if (entry.kind !== 'version') continue
          await (await past.objects.get(each, entry.key, { versionId: entry.versionId })).bytes()
        }
      }
    }
  }

  async run(given: Step): Promise<void> {
    const { store } = this
    switch (given.do) {
      case 'upload':
        this.#parts.clear()
        this.#upload = await store.uploads.create(given.bucket, given.key)
        return
      case 'part': {
        if (this.#upload === undefined) return
        const { etag } = await store.uploads.uploadPart(this.#upload, given.number, 'y'.repeat(given.size))
        return void this.#parts.set(given.number, etag)
      }
      case 'complete': {
        const etag = this.#parts.get(given.number)
        if (this.#upload === undefined || etag === undefined) return
        await store.uploads.complete(this.#upload, [{ partNumber: given.number, etag }])
        this.#upload = undefined
        return
      }
      case 'abort':
        if (this.#upload !== undefined) await store.uploads.abort(this.#upload)
        this.#upload = undefined
        return
      case 'dropBucket':
        await store.buckets.delete(given.bucket)
        await store.sweep()
        return void (await store.buckets.create(given.bucket))
      case 'snapshot': {
        const { name, bucket, ago } = given
        const at = ago === undefined ? {} : { at: Math.max(0, store.seq - ago) }
        return void (await store.snapshots.create(name, { ...at, ...(bucket !== undefined && { bucket }) }))
      }
      case 'dropSnapshot':
        return store.snapshots.delete(given.name)
      case 'eraseNow': {
        const { bucket, key, live, uploads } = given
        return void (await store.erase({ bucket, key, live, uploads }))
      }
      case 'erase':
        await store.retention.set({ keepMs: 0 }, { bucket: given.bucket })
        await store.sweep()
        return void (await store.retention.remove({ bucket: given.bucket }))
      default:
        return takeStep(store, given)
    }
  }
}

const frameBytes = 5

describe('the usage of a store', () => {
  it('is what the medium has, whatever was done, and what is kept is gone when nothing is to be kept', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
        const ports = memoryPorts()
        const store = await openEngine(ports, { inlineMax: 10, retention: { keepMs: 1e12 } })
        const uses = new Uses(ports, store)
        for (const bucket of buckets) await store.buckets.create(bucket)
        for (const each of steps) {
          await codeOf(uses.run(each))
          const { live, kept, pinned } = await store.usage()
          expect(live + kept + pinned, each.do).toBe(uses.stored)
          await uses.assertCounts()
          await uses.readSnapshots()
        }
        await store.sweep()
        const each = await Promise.all(buckets.map((bucket) => store.usage({ bucket })))
        const { live, pinned } = await store.usage()
        const sumOf = (field: 'live' | 'pinned') => each.reduce((sum, one) => sum + one[field], 0)
        const sums = { live: sumOf('live'), pinned: sumOf('pinned') }
        // Bytes of a bucket that was deleted count in the store alone, also if a copy has them.
        if (steps.some((one) => one.do === 'dropBucket')) expect(sums.live).toBeLessThanOrEqual(live)
        else expect(sums).toEqual({ live, pinned })
        expect(sums.pinned).toBeLessThanOrEqual(pinned)
        expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ divergences: [] })
        await store.retention.set({ keepMs: 0 })
        await store.sweep()
        expect(await store.usage()).toMatchObject({ live, kept: 0 })
        await uses.readSnapshots()
        for (const { name } of await store.snapshots.list()) {
          await store.snapshots.delete(name)
          await store.sweep()
          expect(await uses.pinnedInVain(), name).toEqual([])
        }
        expect(await store.usage()).toMatchObject({ live, kept: 0, pinned: 0 })
        expect(uses.stored).toBe(live)
        await store.close()
      }),
      { numRuns: 100 },
    )
  }, 60_000)

  it('of one bucket does not count the others, and needs a bucket', async () => {
    const store = await openEngine(memoryPorts(), { inlineMax: 0, retention: { keepMs: 1e12 } })
    for (const bucket of buckets) await store.buckets.create(bucket)
    await store.objects.put('box', 'k', 'xx')
    await store.objects.put('other', 'k', 'yyy')
    await store.objects.put('other', 'k', 'zzzz')
    expect(await store.usage({ bucket: 'box' })).toEqual({ live: 2, kept: 0, pinned: 0, versions: 1, uploads: 0 })
    expect(await store.usage({ bucket: 'other' })).toEqual({ live: 4, kept: 3, pinned: 0, versions: 1, uploads: 0 })
    expect(await codeOf(store.usage({ bucket: 'none' }))).toBe('NoSuchBucket')
    expect(await codeOf(store.usage({ bucket: 1 } as never))).toBe('InvalidArgument')
  })
})
