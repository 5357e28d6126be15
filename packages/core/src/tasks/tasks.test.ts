import { beforeEach, describe, expect, it } from 'vitest'
import { StorageError } from '../base/errors.ts'
import { codeOf, list } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryJournal, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import type { Parted } from '../api/types/index.ts'
import type { RecordedEvent } from '../events/index.ts'

const keys = ['a', 'b', 'c', 'd', 'e']
const parted: Parted = { inParts: true, partSize: 2 }
let ports: MemoryPorts
let store: Store

const open = async () => (store = await openEngine(ports, { inlineMax: 8, retentionMs: 1e12 }))

beforeEach(async () => {
  ports = memoryPorts()
  await open()
})

const put = (key: string, body: string) => store.objects.put('box', key, body)
const text = async (key: string) => (await store.objects.get('box', key)).text()
const texts = async () => {
  const found: Record<string, string> = {}
  for await (const entry of store.objects.list('box'))
    if (entry.kind === 'object') found[entry.key] = await text(entry.key)
  return found
}
const marks = async (): Promise<readonly string[]> =>
  (await list<RecordedEvent>(store.log({ types: ['TaskStarted', 'TaskContinued', 'TaskEnded'] }))).map(
    ({ type, data }) => ('outcome' in data ? `${type} ${data.outcome}` : `${type} ${(data as { done: number }).done}`),
  )
const idOfTask = async () => {
  const [started] = await list<RecordedEvent>(store.log({ types: ['TaskStarted'] }))
  return started?.requestId ?? ''
}
const isIdle = async () => {
  while ((await store.tasks.list()).length > 0) await new Promise((resolve) => setTimeout(resolve, 1))
}
const isWhole = async () => expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ ok: true })

/** Closes the store when the first part is committed: the rest has no time. */
const interrupted = async (work: (options: Parted) => Promise<unknown>): Promise<unknown> => {
  let closing: Promise<void> | undefined
  const code = await codeOf(work({ ...parted, onProgress: () => void (closing ??= store.close()) }))
  await closing
  return code
}

interface Work {
  readonly kind: string
  /** Makes what the work changes. Returns the work. */
  prepare(): Promise<(options: Parted) => Promise<unknown>>
}

const works: readonly Work[] = [
  {
    kind: 'restore',
    async prepare() {
      await store.buckets.create('box')
      for (const key of keys) await put(key, `${key} of then`)
      const to = store.seq
      for (const key of keys) await put(key, `${key} of now`)
      return (options) => store.restore({ bucket: 'box', to, ...options })
    },
  },
  {
    kind: 'restore of a deleted bucket with settings',
    async prepare() {
      await store.buckets.create('box')
      await store.buckets.settings.put('box', 'Tags', [{ key: 'of', value: 'then' }])
      for (const key of keys) await put(key, `${key} of then`)
      const to = store.seq
      await store.buckets.settings.put('box', 'Tags', [{ key: 'of', value: 'now' }])
      for (const key of keys) await store.objects.delete('box', key)
      await store.buckets.delete('box')
      return (options) => store.restore({ bucket: 'box', to, deletedBucket: true, settings: true, ...options })
    },
  },
  {
    kind: 'undo',
    async prepare() {
      await store.buckets.create('box')
      for (const key of keys) await put(key, `${key} of then`)
      const agent = store.as({ by: { id: 'agent', name: 'Agent' } })
      for (const key of keys) await agent.objects.delete('box', key)
      return (options) => store.undo({ by: 'agent', ...options })
    },
  },
  {
    kind: 'undo of a deleted bucket',
    async prepare() {
      await store.buckets.create('box')
      for (const key of keys) await put(key, `${key} of then`)
      const agent = store.as({ by: { id: 'agent', name: 'Agent' } })
      for (const key of keys) await agent.objects.delete('box', key)
      await agent.buckets.delete('box')
      return (options) => store.undo({ by: 'agent', ...options })
    },
  },
  {
    kind: 'merge',
    async prepare() {
      await store.buckets.create('box')
      for (const key of keys) await put(key, `${key} of now`)
      await store.buckets.fork('box', 'try')
      for (const key of keys) await store.objects.put('try', key, `${key} of then`)
      return (options) => store.merge({ fork: 'try', ...options })
    },
  },
]
const then = Object.fromEntries(keys.map((key) => [key, `${key} of then`]))

describe.each(works)('a $kind of several commits', ({ prepare }) => {
  it('records what was requested, how far it is, and its end', async () => {
    const work = await prepare()
    await work(parted)
    expect([await texts(), await store.tasks.list()]).toEqual([then, []])
    const [started, ...rest] = await marks()
    expect([started, rest.at(-1)]).toEqual(['TaskStarted 2', 'TaskEnded done'])
    expect(rest.length).toBeGreaterThan(1)
    await isWhole()
  })

  it('goes on after the store was closed, and ends as if nothing had happened', async () => {
    const work = await prepare()
    expect(await interrupted(work)).toBe('StoreClosed')
    await open()
    await isIdle()
    expect([await texts(), (await marks()).at(-1)]).toEqual([then, 'TaskEnded done'])
    await isWhole()
  })

  it('goes on as often as it is interrupted, and changes each place once', async () => {
    const work = await prepare()
    await interrupted(work)
    for (let i = 0; i < 4; i++) {
      await open()
      await store.close()
    }
    await open()
    await isIdle()
    expect(await texts()).toEqual(then)
    const requestId = await idOfTask()
    const changes = await list<RecordedEvent>(store.log({ requestId, types: ['VersionAdded', 'VersionRestored'] }))
    expect(changes.map(({ data }) => (data as { key: string }).key).sort()).toEqual(keys)
  })

  it('is undone as one', async () => {
    const work = await prepare()
    const before = await texts().catch((error: unknown) => codeOf(Promise.reject(error as Error)))
    await interrupted(work)
    await open()
    await isIdle()
    const requestId = await idOfTask()
    await store.undo({ requestId })
    expect(await texts().catch((error: unknown) => codeOf(Promise.reject(error as Error)))).toEqual(before)
    await isWhole()
  })

  it('can be stopped between two commits, and leaves what it has committed', async () => {
    const work = await prepare()
    let stopping: Promise<void> | undefined
    const stopped = work({
      ...parted,
      onProgress: () => void (stopping ??= store.tasks.list().then(([task]) => store.tasks.stop(task?.id ?? ''))),
    })
    expect(await codeOf(stopped)).toBe('TaskStopped')
    await stopping
    expect((await marks()).at(-1)).toBe('TaskEnded stopped')
    expect(await store.tasks.list()).toEqual([])
    await store.close()
    await open()
    expect((await marks()).at(-1)).toBe('TaskEnded stopped')
    await isWhole()
  })

  it('ends when its caller aborts it', async () => {
    const work = await prepare()
    const aborter = new AbortController()
    const aborted = work({ ...parted, signal: aborter.signal, onProgress: () => aborter.abort() } as Parted)
    await expect(aborted).rejects.toThrow('abort')
    expect((await marks()).at(-1)).toBe('TaskEnded stopped')
  })
})

describe('a task that is interrupted', () => {
  const prepare = (works[0] as Work).prepare

  it('tells what is left of it', async () => {
    await interrupted(await prepare())
    store = await openEngineForLook()
    expect(await store.tasks.list()).toMatchObject([
      {
        kind: 'restore',
        request: { bucket: 'box', to: 6 },
        startedBy: { id: 'local' },
        done: 2,
        total: 5,
        isHere: false,
      },
    ])
  })

  it.each(['fail', 'skip'] as const)('never takes back what others wrote since its plan: %s', async (onConflict) => {
    const work = await prepare()
    await interrupted((options) => work({ ...options, onConflict } as Parted))
    store = await openEngineForLook()
    await put('d', 'of another')
    await store.objects.delete('box', 'e')
    await store.close()
    await open()
    await isIdle()
    expect(await texts()).toEqual({
      a: 'a of then',
      b: 'b of then',
      c: onConflict === 'fail' ? 'c of now' : 'c of then',
      d: 'of another',
    })
    expect((await marks()).at(-1)).toBe(onConflict === 'fail' ? 'TaskEnded failed' : 'TaskEnded done')
  })

  it('still has the bytes that it needs, however much time has passed', async () => {
    await interrupted(await prepare())
    ports.clock.time += 2e12
    await open()
    await isIdle()
    expect(await texts()).toEqual(then)
    ports.clock.time += 2e12
    await store.sweep()
    expect(await list<RecordedEvent>(store.log({ types: ['ContentsErased'] }))).not.toEqual([])
    await isWhole()
  })

  it('keeps no bytes that somebody erases on purpose', async () => {
    await interrupted(await prepare())
    store = await openEngineForLook()
    await store.erase({ bucket: 'box', key: 'e' })
    await store.close()
    await open()
    await isIdle()
    expect(await texts()).toEqual({ ...then, e: 'e of now' })
    expect((await marks()).at(-1)).toBe('TaskEnded done')
  })

  it('fails with a code in the log where it cannot go on', async () => {
    await interrupted(await prepare())
    store = await openEngineForLook()
    for (const { key } of (await list(store.objects.list('box'))) as { key: string }[])
      await store.objects.delete('box', key)
    await store.buckets.delete('box')
    await store.close()
    await open()
    await isIdle()
    const [ended] = await list<RecordedEvent>(store.log({ types: ['TaskEnded'] }))
    expect(ended).toMatchObject({ data: { outcome: 'failed', code: 'NoSuchBucket' }, by: { id: 'local' } })
    expect(store.jobs.find(({ name }) => name === 'tasks')?.lastError?.error).toMatchObject({ code: 'NoSuchBucket' })
  })
})

/** As a command does that opens the store for maintenance. */
const openEngineForLook = async (): Promise<Store> => {
  const { openForMaintenance } = await import('../api/open-engine.ts')
  return openForMaintenance(ports, { inlineMax: 8 })
}

describe('a call with parts', () => {
  it('is one commit and no task where all of it fits', async () => {
    const work = await (works[0] as Work).prepare()
    await work({ inParts: true })
    expect([await texts(), await marks()]).toEqual([then, []])
  })

  it('is one commit, whatever the size of its parts, unless it may have several', async () => {
    const work = await (works[0] as Work).prepare()
    await work({ partSize: 2 })
    expect([await texts(), await marks()]).toEqual([then, []])
  })

  it.each([0, 251, 1.5, '2'])('has no parts of %j', async (partSize) => {
    expect(await codeOf(store.undo({ by: 'x', inParts: true, partSize: partSize as number }))).toBe('InvalidArgument')
  })

  it('is refused where another with its id goes on', async () => {
    const work = await (works[0] as Work).prepare()
    expect(work).toBeDefined()
    const mine = store.as({ by: { id: 'local', name: 'local' }, requestId: 'mine' })
    const both = [1, 2].map(() => mine.restore({ bucket: 'box', to: 6, ...parted }).then(() => 'done', codeOfError))
    expect(new Set(await Promise.all(both))).toEqual(new Set(['TaskExists', 'done']))
  })

  it('is refused where it names more keys than an event can hold', async () => {
    const work = await (works[0] as Work).prepare()
    const many = [...keys, ...Array.from({ length: 1100 }, (_, i) => `${i}`.padStart(1000, '0'))]
    expect(await codeOf(work({ ...parted, keys: many } as Parted))).toBe('InvalidArgument')
    expect(await texts()).not.toEqual(then)
  })
})

const codeOfError = (error: unknown): unknown => (error as { readonly code?: string }).code

describe('a task whose caller loses its rights', () => {
  it('ends between two commits, and does not go on later', async () => {
    const work = await (works[0] as Work).prepare()
    expect(work).toBeDefined()
    let isRevoked = false
    const readSet = () => {
      if (isRevoked) throw new StorageError('AccessDenied', 'Access Denied')
      return []
    }
    const bob = store.as({ by: { id: 'bob', name: 'Bob' }, authorisation: { readSet, renew: async () => undefined } })
    const onProgress = () => (isRevoked = true)
    expect(await codeOf(bob.restore({ bucket: 'box', to: 6, ...parted, onProgress }))).toBe('AccessDenied')
    expect([(await marks()).at(-1), await store.tasks.list()]).toEqual(['TaskEnded failed', []])
  })
})

describe('stopping a task', () => {
  it.each(['none', '', 'x'.repeat(2000)])('that does not go on is refused: %s', async (id) => {
    expect(await codeOf(store.tasks.stop(id))).toMatch(/NoSuchTask|InvalidArgument/)
  })
})
