/** Projections over the journal in memory: states, versions, failures, and several users. */
import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf, list } from './answers.fixture.ts'
import { memoryPorts, type MemoryPorts } from './memory-ports.fixture.ts'
import { openEngine, openForReading } from './open-engine.ts'
import { defineProjection, type OpenProjection } from './projections.ts'
import { settle, SimulatedTime } from './simulated-time.fixture.ts'
import type { Store } from './store.ts'
import type { ProjectionRangeOptions } from './types/index.ts'

interface Usage {
  readonly bytes: number
  readonly files: string[]
}

/** The bytes and the keys of each folder. */
const usage = defineProjection<Usage>({
  name: 'usage',
  version: 1,
  init: () => ({ bytes: 0, files: [] }),
  key: (event) => ('key' in event.data ? (event.data.key.split('/')[0] ?? '') : []),
  on: {
    VersionAdded(state, { data }) {
      state.bytes += data.size
      state.files.push(data.key)
    },
    VersionRemoved: () => null,
  },
})
/** The number of versions. */
const count = (version = 1) =>
  defineProjection({
    name: 'count',
    version,
    init: () => 0,
    on: { VersionAdded: (state) => state + version },
  })
/** Fails at the key `bad`. */
const fragile = defineProjection({
  name: 'fragile',
  version: 1,
  init: () => ({ n: 0 }),
  on: {
    VersionAdded(state, { data }) {
      if (data.key === 'bad') throw new Error('no such key was expected')
      state.n++
    },
  },
})

const options = { inlineMax: 64, retentionMs: 1e12 }
let time: SimulatedTime
let ports: MemoryPorts & { readonly timer: SimulatedTime }
let store: Store

const open = () => openEngine(ports, options)
const reopen = async () => {
  await store.close()
  store = await open()
}
const put = (key: string, body = 'bytes') => store.objects.put('box', key, body)
const range = async <S>(of: OpenProjection<S>, given?: ProjectionRangeOptions) =>
  (await list(of.range(given))).map(({ key }) => key).join(' ')

/** Lets reads of the log wait. */
function hold(journal: MemoryPorts['journal']): { resume(): void } {
  const { events } = journal
  let resume = (): void => undefined
  const resumed = new Promise<void>((resolve) => {
    resume = resolve
  })
  journal.events = async function* (given) {
    await resumed
    yield* events(given)
  }
  return { resume }
}

beforeEach(async () => {
  time = new SimulatedTime()
  ports = { ...memoryPorts(), clock: time as never, timer: time }
  store = await open()
  await store.buckets.create('box')
  for (const key of ['a/1', 'b/1', 'a/2']) await put(key)
})

describe('a projection', () => {
  it('computes the state of each key, and follows new commits', async () => {
    const projection = await store.projections.open(usage)
    await projection.caughtUp()
    expect(await projection.get('a')).toEqual({ bytes: 10, files: ['a/1', 'a/2'] })
    expect(await projection.get('c')).toBeUndefined()
    expect(projection).toMatchObject({ name: 'usage', version: 1, cursor: 4, lag: 0, state: 'ready', error: undefined })
    await put('c/1', 'more')
    await projection.caughtUp()
    expect(await projection.get('c')).toEqual({ bytes: 4, files: ['c/1'] })
    expect(await list(projection.range({ gte: 'b' }))).toEqual([
      { key: 'b', state: { bytes: 5, files: ['b/1'] } },
      { key: 'c', state: { bytes: 4, files: ['c/1'] } },
    ])
  })

  it('keeps one state where there is no key, of any kind of JSON', async () => {
    const projection = await store.projections.open(count())
    await projection.caughtUp()
    expect([await projection.get(), await projection.get('')]).toEqual([3, 3])
  })

  it('removes a state for which its handler returns null', async () => {
    const projection = await store.projections.open(usage)
    await store.versions.delete('box', 'b/1', 'null')
    await projection.caughtUp()
    expect(await range(projection)).toBe('a')
  })

  it('changes several states for one event, each once', async () => {
    const folders = defineProjection({
      name: 'folders',
      version: 0,
      init: (key) => ({ key, n: 0 }),
      key: ({ data }) => ('key' in data ? ['all', data.key, 'all'] : []),
      on: { VersionAdded: (state) => ({ ...state, n: state.n + 1 }) },
    })
    const projection = await store.projections.open(folders)
    await projection.caughtUp()
    expect(await projection.get('all')).toEqual({ key: 'all', n: 3 })
    expect(await range(projection)).toBe('a/1 a/2 all b/1')
  })

  it('reads ranges in the order of their bytes, either way, up to a limit', async () => {
    for (const key of ['aa', 'é', '\u{1F600}', '\uFFFF', 'B']) await put(key)
    const projection = await store.projections.open(usage)
    await projection.caughtUp()
    expect(await range(projection)).toBe('B a aa b é \uFFFF \u{1F600}')
    expect(await range(projection, { prefix: 'a' })).toBe('a aa')
    expect(await range(projection, { prefix: 'a', reverse: true })).toBe('aa a')
    expect(await range(projection, { prefix: '' })).toBe('B a aa b é \uFFFF \u{1F600}')
    expect(await range(projection, { gte: 'aa', lt: 'é' })).toBe('aa b')
    expect(await range(projection, { limit: 2, reverse: true })).toBe('\u{1F600} \uFFFF')
    expect(await range(projection, { limit: 0 })).toBe('')
    expect(await codeOf(range(projection, { prefix: 'a', gte: 'b' }))).toBe('InvalidArgument')
  })

  it('continues where it was when the store is opened again', async () => {
    await (await store.projections.open(usage)).caughtUp()
    await reopen()
    await put('a/3')
    const projection = await store.projections.open(usage)
    await projection.caughtUp()
    expect(await projection.get('a')).toEqual({ bytes: 15, files: ['a/1', 'a/2', 'a/3'] })
  })

  it('can be waited for, up to any position of the log', async () => {
    const projection = await store.projections.open(count())
    const { seq } = await put('c')
    await projection.caughtUp(seq)
    expect(await projection.get()).toBe(4)
    await projection.caughtUp(0)
    expect(await codeOf(projection.caughtUp(seq + 1))).toBe('MomentOutOfRange')
    expect(await codeOf(projection.caughtUp(-1))).toBe('InvalidArgument')
  })

  it('does not hold up the end of the store, which ends all waits for it', async () => {
    const { resume } = hold(ports.journal)
    const projection = await store.projections.open(count())
    const waiting = codeOf(projection.caughtUp())
    await settle()
    const closing = store.close()
    resume()
    await closing
    expect(await waiting).toBe('StoreClosed')
    expect(await codeOf(projection.get())).toBe('StoreClosed')
  })

  it('is verified and computed again with the store', async () => {
    const projection = await store.projections.open(usage)
    await projection.caughtUp()
    expect((await store.verify()).divergences).toEqual([])
    const row = [...ports.journal.rows.values()].find(
      ([key]) => Buffer.from(key).includes('usage\0') && key.at(-1) === 97,
    )
    const [key, value] = row as typeof ports.journal.rows extends Map<string, infer R> ? R : never
    ports.journal.rows.set(Buffer.from(key).toString('latin1'), [key, value.slice(1)])
    expect((await store.verify()).divergences).toMatchObject([{ kind: 'RowCorrupt' }])
    expect(await codeOf(projection.get('a'))).toBe('RowCorrupt')
    await store.rebuild()
    expect((await store.verify()).divergences).toEqual([])
    expect(await projection.get('a')).toEqual({ bytes: 10, files: ['a/1', 'a/2'] })
  })

  it('is listed, and removed with all of its states', async () => {
    const projection = await store.projections.open(usage)
    await projection.caughtUp()
    await put('c')
    await projection.caughtUp()
    expect(await store.projections.list()).toEqual([{ name: 'usage', version: 1, cursor: 5, lag: 0, state: 'ready' }])
    expect(await store.keyspaces.list()).toEqual([])
    await store.projections.drop('usage')
    await store.projections.drop('usage')
    expect(await store.projections.list()).toEqual([])
    await put('d')
    expect(await codeOf(projection.get('a'))).toBe('KeyspaceConflict')
    expect(await codeOf(projection.caughtUp())).toBe('KeyspaceConflict')
    expect(projection.state).toBe('failed')
    const again = await store.projections.open(usage)
    await again.caughtUp()
    expect(await range(again)).toBe('a b c d')
    await projection.close()
    expect(again.state).toBe('ready')
  })

  it('with a damaged header is refused, leaves others alone, and can be removed', async () => {
    await (await store.projections.open(count())).caughtUp()
    await reopen()
    for (const [name, [key, value]] of ports.journal.rows) {
      if (name.includes('projection/1/count')) ports.journal.rows.set(name, [key, value.slice(1)])
    }
    expect(await codeOf(store.projections.open(count()))).toBe('RowCorrupt')
    await (await store.projections.open(usage)).caughtUp()
    await store.projections.drop('count')
    const again = await store.projections.open(count())
    await again.caughtUp()
    expect(await again.get()).toBe(3)
  })

  it('is read where the store is read-only, and not followed', async () => {
    await put('c')
    const own = await store.projections.open(count())
    await own.caughtUp()
    await own.close()
    await put('d')
    await store.close()
    const reading = await openForReading(ports)
    const projection = await reading.projections.open(count())
    expect([await projection.get(), projection.cursor, projection.lag]).toEqual([4, 5, 1])
    expect(await codeOf(projection.caughtUp())).toBe('ReadOnly')
    await projection.caughtUp(5)
    expect(await codeOf(reading.projections.open(usage))).toBe('ReadOnly')
    await projection.close()
  })

  it('is what it was when it was opened, whatever the caller changes later', async () => {
    const definition = { ...count() } as {
      -readonly [K in keyof ReturnType<typeof count>]: ReturnType<typeof count>[K]
    }
    const opening = store.projections.open(definition)
    Object.assign(definition, { name: 'other', version: 5, on: {} })
    const projection = await opening
    await projection.caughtUp()
    expect([projection.name, projection.version, await projection.get()]).toEqual(['count', 1, 3])
  })

  it.each([
    ['a name', { name: 'not a name' }],
    ['a version', { version: -1 }],
    ['a handler', { on: { VersionAdded: 'add' } }],
    ['an event', { on: { VersionAdde: () => undefined } }],
    ['an option', { keys: () => '' }],
    ['an init', { init: 0 }],
  ])('is refused for %s that is none', (_what, wrong) => {
    const definition = { name: 'count', version: 1, init: () => 0, on: {}, ...wrong } as never
    expect(() => defineProjection(definition)).toThrowError(
      expect.objectContaining({ code: 'InvalidArgument' }) as Error,
    )
  })
})

describe('a version of a projection that was raised', () => {
  it('is built while the old one answers, replaces it in one step, and removes its states', async () => {
    await (await store.projections.open(count())).caughtUp()
    await reopen()
    await put('c')
    const { resume } = hold(ports.journal)
    const projection = await store.projections.open(count(10))
    await settle()
    expect(await projection.get()).toBe(3)
    expect(await list(projection.range())).toEqual([{ key: '', state: 3 }])
    expect(projection).toMatchObject({ state: 'building', version: 1, cursor: 4, lag: 1 })
    resume()
    await projection.caughtUp()
    expect(await projection.get()).toBe(40)
    expect(projection).toMatchObject({ state: 'ready', version: 10, cursor: 5, lag: 0 })
    await settle()
    expect(await store.projections.list()).toMatchObject([{ name: 'count', version: 10 }])
    expect((await store.verify()).divergences).toEqual([])
  })

  it('continues to be built after an end at any point, and replaces the old one later', async () => {
    await (await store.projections.open(count())).caughtUp()
    await reopen()
    const building = await store.projections.open(count(2))
    await store.close()
    expect(building.state).toBe('building')
    store = await open()
    const projection = await store.projections.open(count(2))
    await projection.caughtUp()
    expect([await projection.get(), projection.version]).toEqual([6, 2])
  })

  it('refuses a program with the lower one', async () => {
    await (await store.projections.open(count(2))).caughtUp()
    expect(await codeOf(store.projections.open(count(1)))).toBe('UnsupportedFormat')
    await store.projections.drop('count')
    const projection = await store.projections.open(count(1))
    await projection.caughtUp()
    expect(await projection.get()).toBe(3)
  })

  it('fails what follows the old one, when both are open', async () => {
    const before = await store.projections.open(count(1))
    await before.caughtUp()
    const after = await store.projections.open(count(2))
    await after.caughtUp()
    await settle()
    await put('c')
    await after.caughtUp()
    expect(await codeOf(before.caughtUp())).toBe('KeyspaceConflict')
    expect([await after.get(), before.state]).toEqual([8, 'failed'])
  })

  it('that fails while it is built leaves the old one to answer', async () => {
    await (await store.projections.open(count(1))).caughtUp()
    await reopen()
    const failing = defineProjection({
      name: 'count',
      version: 2,
      init: () => 0,
      on: {
        VersionAdded() {
          throw new Error('wrong')
        },
      },
    })
    const projection = await store.projections.open(failing)
    expect(await codeOf(projection.caughtUp())).toBe('ProjectionFailed')
    expect([projection.state, projection.version, await projection.get()]).toEqual(['failed', 1, 3])
  })
})

describe('a projection that fails', () => {
  it('stops with the error and its position, and answers the states before it', async () => {
    const projection = await store.projections.open(fragile)
    const other = await store.projections.open(count())
    await put('bad')
    await put('c')
    await expect(projection.caughtUp()).rejects.toMatchObject({
      code: 'ProjectionFailed',
      details: { projection: 'fragile', seq: 5 },
      cause: new Error('no such key was expected'),
    })
    expect(projection).toMatchObject({ state: 'failed', cursor: 4, lag: 2, error: { code: 'ProjectionFailed' } })
    expect(await projection.get()).toEqual({ n: 3 })
    await projection.caughtUp(4)
    await other.caughtUp()
    expect(await other.get()).toBe(5)
    expect(store.state).toBe('open')
    expect((await store.verify()).divergences).toEqual([])
  })

  it('continues at that event when it is opened again with code that handles it', async () => {
    await put('bad')
    const failed = await store.projections.open(fragile)
    expect(await codeOf(failed.caughtUp())).toBe('ProjectionFailed')
    await failed.close()
    const mended = { ...fragile, on: { VersionAdded: (state: { n: number }) => void state.n++ } }
    const projection = await store.projections.open(mended)
    await projection.caughtUp()
    expect(await projection.get()).toEqual({ n: 4 })
  })

  it.each<readonly [string, unknown]>([
    ['a Date', new Date(0)],
    ['a Map', new Map()],
    ['a function', () => 0],
    ['a number that is none', Number.NaN],
    ['a BigInt', 1n],
    [
      'a circle',
      (() => {
        const circle: Record<string, unknown> = {}
        circle['self'] = circle
        return circle
      })(),
    ],
    ['a promise', Promise.resolve(1)],
  ])('does so for a state with %s, which is no JSON', async (_what, value) => {
    const wrong = defineProjection<unknown>({
      name: 'wrong',
      version: 1,
      init: () => 0,
      on: { VersionAdded: () => ({ value }) },
    })
    const projection = await store.projections.open(wrong)
    await expect(projection.caughtUp()).rejects.toMatchObject({
      code: 'ProjectionFailed',
      details: { projection: 'wrong', seq: 2 },
    })
  })

  it.each<readonly [string, unknown]>([
    ['no text', 5],
    ['half a surrogate pair', '\ud800'],
    ['too long', 'k'.repeat(1281)],
  ])('does so for a key that is %s', async (_what, key) => {
    const wrong = { ...count(), name: 'wrong', key: () => key as string }
    expect(await codeOf((await store.projections.open(wrong)).caughtUp())).toBe('ProjectionFailed')
  })

  it('waits for room on the disk instead', async () => {
    let isFull = false
    ports = { ...ports, reserve: { exhausted: async () => isFull } as never }
    await store.close()
    store = await open()
    const projection = await store.projections.open(count())
    await projection.caughtUp()
    await put('c')
    isFull = true
    await time.pass(5000)
    expect(projection.state).toBe('ready')
    isFull = false
    await time.pass(1000)
    await projection.caughtUp()
    expect(await projection.get()).toBe(4)
  })
})

describe('several users of a projection', () => {
  it('share its work, until the last one closes it', async () => {
    const definition = count()
    const [one, two] = await Promise.all([store.projections.open(definition), store.projections.open(definition)])
    await one.close()
    await one.close()
    await put('c')
    await two.caughtUp()
    expect([await one.get(), two.state]).toEqual([4, 'ready'])
    expect(await codeOf(store.projections.open(count()))).toBe('InvalidRequest')
    await two.close()
    expect(two.state).toBe('closed')
    await put('d')
    expect(await codeOf(two.caughtUp())).toBe('InvalidRequest')
    expect(await two.get()).toBe(4)
    const again = await store.projections.open(count())
    await again.caughtUp()
    expect(await again.get()).toBe(5)
  })

  it('in two engines count each event once', async () => {
    ports = { ...memoryPorts(), clock: time as never, timer: time }
    ports.journal.exclusive = false
    const [one, two] = [await open(), await open()]
    await one.buckets.create('box')
    const opened = [await one.projections.open(count()), await two.projections.open(count())]
    for (let i = 0; i < 30; i++) {
      await (i % 3 === 0 ? two : one).objects.put('box', `k${i % 5}`, 'x')
      if (i % 7 === 0) await time.pass(700)
    }
    await time.pass(5000)
    for (const projection of opened) {
      await projection.caughtUp()
      expect(await projection.get()).toBe(30)
    }
    expect(opened.map(({ state }) => state)).toEqual(['ready', 'ready'])
  })
})
