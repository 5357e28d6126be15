/** Reads that may show a state of a short time ago: how old it is at most, and what it is nevertheless. */
import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { type OpenOptions, openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import type { RowSnapshot } from '../ports/index.ts'

const staleMs = 1000

let ports: MemoryPorts
let one: Store
let two: Store
/** Snapshots that engines took. */
let taken: number
/** What a snapshot waits for. */
let before: () => Promise<void>

const open = (options: OpenOptions): Promise<Store> => openEngine(ports, options)
const textOf = async (store: Store, key: string): Promise<string> => (await store.objects.get('box', key)).text()
const etagOf = async (store: Store, key: string) => (await store.objects.head('box', key)).etag

beforeEach(async () => {
  ports = memoryPorts()
  ports.journal.exclusive = false
  taken = 0
  before = async () => undefined
  const { snapshot } = ports.journal
  const counted = async (): Promise<RowSnapshot> => {
    taken++
    await before()
    return snapshot()
  }
  Object.assign(ports.journal, { snapshot: counted })
  one = await open({})
  two = await open({ staleMs })
  await one.buckets.create('box')
  await one.objects.put('box', 'k', 'v1')
  // What an opening begins in the background reads the newest state too.
  for (const store of [one, two]) await store.sweep()
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
})

describe('a read that may be old', () => {
  it('uses rows in memory within the bound, and asks after it', async () => {
    expect(await textOf(two, 'k')).toBe('v1')
    const etag = await etagOf(two, 'k')
    await one.objects.put('box', 'k', 'v2')
    taken = 0
    ports.clock.time += staleMs
    expect(await etagOf(two, 'k')).toBe(etag)
    expect(taken).toBe(0)
    ports.clock.time += 1
    expect(await textOf(two, 'k')).toBe('v2')
  })

  it('is as old as the question, and not as its answer', async () => {
    ports.clock.time += 2 * staleMs
    before = async () => void (ports.clock.time += staleMs / 2)
    await etagOf(two, 'k')
    before = async () => undefined
    const etag = await etagOf(one, 'k')
    await one.objects.put('box', 'k', 'v2')
    ports.clock.time += staleMs / 2
    expect(await etagOf(two, 'k')).toBe(etag)
    ports.clock.time += 1
    expect(await etagOf(two, 'k')).toBe(await etagOf(one, 'k'))
  })

  it('shows what its own engine has acknowledged', async () => {
    await textOf(two, 'k')
    for (let i = 0; i < 5; i++) {
      await two.objects.put('box', 'k', `own ${i}`)
      expect(await textOf(two, 'k')).toBe(`own ${i}`)
    }
    await two.objects.delete('box', 'k')
    expect(await codeOf(textOf(two, 'k'))).toBe('NoSuchKey')
  })

  it('is never of an earlier state than a read before it', async () => {
    await one.objects.put('box', 'cold', 'v1')
    await etagOf(two, 'k')
    await one.objects.put('box', 'k', 'v2')
    await one.objects.put('box', 'cold', 'v2')
    // This row comes from the journal.
    expect(await textOf(two, 'cold')).toBe('v2')
    expect(await textOf(two, 'k')).toBe('v2')
  })

  it('never has rows of two states', async () => {
    await two.buckets.head('box')
    const rule = { id: 'all', status: 'Enabled', filter: {}, filterForm: 'filter', expiration: { days: 1 } } as const
    await one.buckets.settings.put('box', 'Lifecycle', { rules: [rule] })
    await one.objects.put('box', 'k', 'expires')
    // The row of the bucket is in memory, and that of the object is not.
    const found = await two.objects.get('box', 'k')
    expect([await found.text(), found.expiration !== undefined]).toEqual(['expires', true])
  })

  it('waits together with others for one answer, and not for one that comes too late', async () => {
    ports.clock.time += 2 * staleMs
    await etagOf(two, 'k')
    const { getMany } = ports.journal
    let questions = 0
    ports.journal.getMany = (keys) => {
      questions++
      return getMany(keys)
    }
    ports.clock.time += 2 * staleMs
    taken = 0
    await Promise.all(Array.from({ length: 10 }, () => etagOf(two, 'k')))
    expect([taken, questions]).toEqual([1, 0])
    ports.clock.time += 2 * staleMs
    before = async () => void (ports.clock.time += 2 * staleMs)
    taken = 0
    await Promise.all(Array.from({ length: 10 }, () => etagOf(two, 'k')))
    expect(taken).toBe(1)
    expect(questions).toBeGreaterThan(0)
  })

  it('goes on without the journal, but no longer than the bound', async () => {
    const etag = await etagOf(two, 'k')
    before = () => Promise.reject(new Error('away'))
    ports.clock.time += staleMs
    expect(await etagOf(two, 'k')).toBe(etag)
    ports.clock.time += 1
    await expect(etagOf(two, 'k')).rejects.toThrow('away')
  })
})

describe('an engine whose reads may be old', () => {
  it('decides on the newest state', async () => {
    const etag = await etagOf(two, 'k')
    await one.objects.put('box', 'k', 'v2')
    expect(await etagOf(two, 'k')).toBe(etag)
    expect(await codeOf(two.objects.put('box', 'k', 'lost', { ifMatch: etag }))).toBe('PreconditionFailed')
    // What it has learned of then, it shows.
    expect(await textOf(two, 'k')).toBe('v2')
  })

  it('copies the newest version', async () => {
    await etagOf(two, 'k')
    await one.objects.put('box', 'k', 'v2')
    await two.objects.copy({ bucket: 'box', key: 'k' }, 'box', 'copy')
    expect(await textOf(two, 'copy')).toBe('v2')
  })

  it('begins with the newest state when it is opened again', async () => {
    await etagOf(two, 'k')
    await two.close()
    await one.objects.put('box', 'k', 'v2')
    two = await open({ staleMs })
    expect(await textOf(two, 'k')).toBe('v2')
  })

  it('shows no state before its own writes and reads, and none older than the bound, whatever happens', async () => {
    let old = 0
    for (let seed = 1; seed <= 6; seed++) old += await tryHistory(seed)
    expect(old).toBeGreaterThan(0)
  })

  it('has no exclusive journal, and a bound of at most a minute', async () => {
    ports.journal.exclusive = true
    const refused = (given: unknown) =>
      open({ staleMs: given as number }).catch(({ code, details }: { code: string; details: object }) => ({
        code,
        ...details,
      }))
    const wrong = { code: 'InvalidArgument', ArgumentName: 'options.staleMs' }
    for (const given of [1, -1, 60_001, 0.5, '1s', Number.NaN]) expect(await refused(given)).toMatchObject(wrong)
  })
})

/**
 * Writes numbers that grow, and moves the clock. Each read of `two` shows one that was the newest at some time within the
 * bound. Resolves with how many of them were not the newest any more.
 */
async function tryHistory(seed: number): Promise<number> {
  const random = randomFrom(seed)
  /** For each key, the numbers in the order in which they were acknowledged, and when. */
  const written = new Map<string, { readonly value: number; readonly at: number }[]>()
  const shown = new Map<string, number>()
  let [value, old] = [0, 0]
  for (let step = 0; step < 100; step++) {
    const key = `k${Math.floor(random() * 2)}`
    const kind = random()
    const of = written.get(key) ?? []
    if (kind < 0.2) {
      const store = random() < 0.1 ? two : one
      await store.objects.put('box', key, `${++value}`)
      written.set(key, [...of, { value, at: ports.clock.time }])
      if (store === two) shown.set(key, value)
    } else if (kind < 0.85) {
      const found = Number(await textOf(two, key).catch(() => '0'))
      const oldest = of.findLast(({ at }) => at < ports.clock.time - staleMs)?.value ?? 0
      const atLeast = Math.max(oldest, shown.get(key) ?? 0)
      expect({ seed, step, atLeast, found, isKept: found >= atLeast }).toMatchObject({ isKept: true })
      expect([0, ...of.map((each) => each.value)]).toContain(found)
      old += isNewest(found, of) ? 0 : 1
      shown.set(key, found)
    } else {
      ports.clock.time += Math.floor(random() * staleMs)
    }
  }
  for (const key of written.keys()) await one.objects.delete('box', key)
  await two.objects.listPage('box')
  return old
}

const isNewest = (found: number, of: readonly { readonly value: number }[]): boolean =>
  found === (of.at(-1)?.value ?? 0)

/** A small generator of numbers from 0 to 1. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
