import { describe, expect, it } from 'vitest'
import { list } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { ReadObjects } from '../api/read-objects.ts'
import type { Store } from '../api/store.ts'
import { versionTable } from '../views/tables.ts'

const bucket = 'box'
const key = 'k'

interface World {
  readonly ports: MemoryPorts
  readonly store: Store
}

async function open(): Promise<World> {
  const ports = memoryPorts()
  const store = await openEngine(ports, { inlineMax: 64, retentionMs: 1_000_000_000 })
  await store.buckets.create(bucket)
  return { ports, store }
}

const times = async (count: number, work: () => Promise<unknown>): Promise<void> => {
  for (let i = 0; i < count; i++) await work()
}
const put = ({ store }: World) => store.objects.put(bucket, key, 'body')
const remove = ({ store }: World) => store.objects.delete(bucket, key)
const versioning = ({ store }: World, status: 'Enabled' | 'Suspended') => store.buckets.setVersioning(bucket, status)

/** Removes versions and delete markers, those that come first or last in a listing. */
async function removeVersions({ store }: World, count: number, which: 'newest' | 'oldest'): Promise<void> {
  const listed = await list(store.versions.list(bucket, { prefix: key }))
  const chosen = which === 'newest' ? listed.slice(0, count) : listed.slice(-count).reverse()
  for (const entry of chosen) {
    if (entry.kind !== 'prefix') await store.versions.delete(bucket, key, entry.versionId)
  }
}

/** What many writers did to a key. */
const pasts: Readonly<Record<string, (world: World, count: number) => Promise<void>>> = {
  'overwritten without versions': (world, count) => times(count, () => put(world)),
  'overwritten and deleted without versions': (world, count) =>
    times(count / 2, async () => {
      await put(world)
      await remove(world)
    }),
  'written with versions': async (world, count) => {
    await versioning(world, 'Enabled')
    await times(count, () => put(world))
  },
  'written with versions and deleted with markers': async (world, count) => {
    await versioning(world, 'Enabled')
    await times(count / 2, async () => {
      await put(world)
      await remove(world)
    })
  },
  'written with versions, the older ones removed': async (world, count) => {
    await versioning(world, 'Enabled')
    await times(count, () => put(world))
    await removeVersions(world, count - 1, 'oldest')
  },
  'written with versions, the newer ones removed one after another': async (world, count) => {
    await put(world)
    await versioning(world, 'Enabled')
    await times(count, () => put(world))
    await removeVersions(world, count, 'newest')
  },
  'written with versions, all of them removed': async (world, count) => {
    await versioning(world, 'Enabled')
    await times(count, () => put(world))
    await removeVersions(world, count, 'newest')
  },
  'a null version, and versions above it': async (world, count) => {
    await put(world)
    await versioning(world, 'Enabled')
    await times(count, () => put(world))
  },
  'null versions replaced while versioning was suspended': async (world, count) => {
    await versioning(world, 'Enabled')
    await times(count / 2, () => put(world))
    await versioning(world, 'Suspended')
    await times(count / 2, () => put(world))
    await versioning(world, 'Enabled')
    await times(count / 2, () => put(world))
  },
}

/** The key as its readers see it. */
async function shown({ objects }: { readonly objects: ReadObjects }): Promise<unknown> {
  const or = (error: unknown) => (error as { readonly code?: string }).code
  const head = async (versionId?: string) =>
    objects.head(bucket, key, versionId === undefined ? {} : { versionId }).then((info) => info.seq, or)
  return { newest: await head(), null: await head('null') }
}

const readsOf = async ({ ports }: World, work: () => Promise<unknown>): Promise<number> => {
  const before = ports.journal.reads
  await work()
  return ports.journal.reads - before
}

const many = 64
const names = Object.keys(pasts)
const histories = names.flatMap((before) => names.map((after) => [before, after] as const))
const usual = 'overwritten without versions'
const listed = names.flatMap((name) => [[name, usual] as const, [usual, name] as const])

describe('a read of one key as of a moment', () => {
  it.each(histories)('sees what was there and reads few rows: %s; later %s', async (before, after) => {
    const world = await open()
    const { store } = world
    await pasts[before]?.(world, many)
    const [then, seen] = [store.seq, await shown(store)]
    await pasts[after]?.(world, many)
    const past = await store.at(then)
    expect(await shown(past)).toEqual(seen)
    // Bucket, versions of both tables, the change that made an older one the newest, that version, its annotations.
    expect(await readsOf(world, () => past.objects.head(bucket, key).catch(() => undefined))).toBeLessThanOrEqual(8)
    const nullVersion = () => past.objects.head(bucket, key, { versionId: 'null' }).catch(() => undefined)
    expect(await readsOf(world, nullVersion)).toBeLessThanOrEqual(8)
  })

  it.each(histories)('reads no rows again for what it has found before: %s; later %s', async (before, after) => {
    const world = await open()
    const { store } = world
    await pasts[before]?.(world, many)
    const then = store.seq
    await pasts[after]?.(world, many / 2)
    const past = await store.at(then)
    const { newest } = (await shown(past)) as { readonly newest: unknown }
    const again = () => past.objects.head(bucket, key).then(({ seq }) => seq)
    if (typeof newest !== 'number') return
    // The first read found the row by its place, the second one reads it by its key.
    expect(await readsOf(world, again)).toBeLessThanOrEqual(1)
    expect(await readsOf(world, again)).toBe(0)
    // What happens later changes neither the answer nor, more than once, where its row is.
    await pasts[after]?.(world, many / 2)
    expect(((await shown(past)) as { readonly newest: unknown }).newest).toBe(newest)
    expect(await readsOf(world, again)).toBe(0)
  })

  it('reads few rows of annotations and of buckets that were changed often', async () => {
    const world = await open()
    const { store } = world
    await put(world)
    const tag = (value: number) =>
      store.objects.annotate(bucket, key, { kind: 'tags', value: [{ key: 'n', value: String(value) }] })
    await tag(0)
    for (let i = 1; i <= many; i++) {
      await tag(i)
      await store.buckets.settings.put(bucket, 'Tags', [{ key: 'n', value: String(i) }])
    }
    const then = store.seq
    for (let i = many; i <= 2 * many; i++) {
      await tag(i + 1)
      await store.buckets.settings.put(bucket, 'Tags', [{ key: 'n', value: String(i + 1) }])
    }
    const past = await store.at(then)
    expect(await past.objects.annotations(bucket, key)).toMatchObject({ tags: [{ key: 'n', value: String(many) }] })
    expect(await past.buckets.settings.get(bucket, 'Tags')).toEqual([{ key: 'n', value: String(many) }])
    expect(await readsOf(world, () => past.objects.annotations(bucket, key))).toBeLessThanOrEqual(8)
    expect(await readsOf(world, () => list(past.buckets.list()))).toBeLessThanOrEqual(2 * 16 + 4)
  })
})

describe('a read of a deleted key without versioning', () => {
  it('does not seek versions among the rows that were deleted, nor does an undo', async () => {
    const { ports, store } = await open()
    for (const name of ['a', 'b', 'c']) await store.objects.put(bucket, name, 'body')
    const then = store.seq
    for (const name of ['a', 'b', 'c']) await store.objects.delete(bucket, name)
    const versions = versionTable.everything.gte[0]
    let seeks = 0
    const { snapshot, cursor } = ports.journal
    const counted =
      (of: typeof cursor): typeof cursor =>
      (range) => {
        if (range.gte[0] === versions && range.lt[0] === versions) seeks++
        return of(range)
      }
    ports.journal.cursor = counted(cursor)
    ports.journal.snapshot = () => {
      const taken = snapshot()
      return { ...taken, cursor: counted(taken.cursor) }
    }
    expect(await store.objects.head(bucket, 'a').catch(({ code }) => code)).toBe('NoSuchKey')
    expect((await store.undo({ from: then })).entries).toHaveLength(3)
    expect((await store.objects.head(bucket, 'b')).size).toBe(4)
    expect(seeks).toBe(0)
  })
})

describe('a listing as of a moment', () => {
  it.each(listed)('reads no more where keys were written more often: %s; later %s', async (before, after) => {
    const reads = async (count: number): Promise<number> => {
      const world = await open()
      const { store } = world
      await pasts[before]?.(world, count)
      await store.objects.put(bucket, 'a', 'before it')
      await store.objects.put(bucket, 'z', 'behind it')
      const expected = await list(store.objects.list(bucket))
      const then = store.seq
      await pasts[after]?.(world, count)
      const past = await store.at(then)
      expect(await list(past.objects.list(bucket))).toEqual(expected)
      return readsOf(world, () => list(past.objects.list(bucket)))
    }
    // Reading ahead takes 16 rows at first, and 64 then.
    expect((await reads(200)) - (await reads(100))).toBeLessThanOrEqual(80)
  })

  it('of versions does not step through those that were added later', async () => {
    const world = await open()
    const { store } = world
    await versioning(world, 'Enabled')
    await times(3, () => put(world))
    const [then, expected] = [store.seq, await list(store.versions.list(bucket))]
    await times(many, () => put(world))
    await removeVersions(world, many, 'newest')
    const past = await store.at(then)
    expect(await list(past.versions.list(bucket))).toEqual(expected)
    expect(await readsOf(world, () => list(past.versions.list(bucket)))).toBeLessThanOrEqual(60)
  })
})
