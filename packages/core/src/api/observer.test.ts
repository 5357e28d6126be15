import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CacheObservation, CommitObservation, JobObservation, Observer, QueueObservation } from '../ports/index.ts'
import { observerErrors } from '../observing/observer-errors.ts'
import { codeOf } from './answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

class Recording implements Observer {
  readonly commits: CommitObservation[] = []
  readonly jobs: JobObservation[] = []
  readonly caches: CacheObservation[] = []
  readonly queues: QueueObservation[] = []
  commit = (one: CommitObservation): unknown => this.commits.push(one)
  job = (one: JobObservation): unknown => this.jobs.push(one)
  cache = (one: CacheObservation): unknown => this.caches.push(one)
  queue = (one: QueueObservation): unknown => this.queues.push(one)
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
const timer = { pause: () => nextTurn(), nextTurn }

let ports: MemoryPorts
let observer: Recording
let store: Store

const opened = (given: Observer): Promise<Store> =>
  openEngine({ ...ports, timer, observer: given }, { inlineMax: 64 }, { warn: () => undefined })

beforeEach(async () => {
  ports = memoryPorts()
  observer = new Recording()
  store = await opened(observer)
  await store.buckets.create('box')
  await nextTurn()
})
afterEach(() => store.close())

describe('an observer of a store', () => {
  it('gets each commit with its size, its durations and the place in the log', async () => {
    const { commit } = ports.journal
    ports.journal.commit = async (given) => {
      ports.clock.time += 7
      await commit.call(ports.journal, given)
    }
    observer.commits.length = 0
    await store.objects.put('box', 'k', 'value')
    await nextTurn()
    expect(observer.commits).toEqual([
      {
        seq: store.seq,
        commands: 1,
        refused: 0,
        events: 1,
        rows: expect.any(Number) as number,
        bytes: expect.any(Number) as number,
        conflicts: 0,
        waitingMs: 0,
        decidingMs: 0,
        writingMs: 7,
        durationMs: 7,
      },
    ])
    expect(observer.commits[0]?.rows).toBeGreaterThan(2)
    expect(observer.commits[0]?.bytes).toBeGreaterThan(100)
  })

  it('gets one commit for a group, its longest wait, and the depth of the queue before it', async () => {
    const { commit } = ports.journal
    const later: Promise<unknown>[] = []
    ports.journal.commit = async (given) => {
      if (later.length === 0) later.push(...['a', 'b', 'c'].map((key) => store.buckets.create(`later-${key}`)))
      await nextTurn()
      ports.clock.time += 5
      await commit.call(ports.journal, given)
    }
    observer.commits.length = 0
    observer.queues.length = 0
    await store.buckets.create('first')
    await Promise.all(later)
    await nextTurn()
    expect(observer.commits).toMatchObject([
      { commands: 1, events: 1, waitingMs: 0 },
      { commands: 3, events: 3, waitingMs: 5 },
    ])
    expect(observer.queues).toEqual([
      { name: 'commands', depth: 1 },
      { name: 'commands', depth: 3 },
    ])
  })

  it('counts refused commands, and reports that nothing was written', async () => {
    observer.commits.length = 0
    expect(await codeOf(store.buckets.create('box'))).toBe('BucketAlreadyOwnedByYou')
    await nextTurn()
    const nothing = { commands: 1, refused: 1, events: 0, rows: 0, bytes: 0, writingMs: 0, seq: store.seq }
    expect(observer.commits).toMatchObject([nothing])
  })

  it('gets the code of a commit that failed, and no text of it', async () => {
    observer.commits.length = 0
    ports.journal.commit = () => Promise.reject(new Error('no space for secret.txt'))
    expect(await codeOf(store.objects.put('box', 'k', 'v'))).toBe('StoreFailed')
    await nextTurn()
    expect(observer.commits).toMatchObject([{ errorCode: 'JournalFailed', commands: 1, events: 1 }])
    expect(JSON.stringify(observer)).not.toContain('secret')
  })

  it('gets the runs of jobs, with the code of those that failed', async () => {
    observer.jobs.length = 0
    await store.scrub()
    ports.blobs.list = () => {
      throw new Error('gone')
    }
    await expect(store.sweep({ orphans: true })).rejects.toThrow('gone')
    await nextTurn()
    const ended = observer.jobs.map(({ name, errorCode }) => [name, errorCode])
    expect(ended).toContainEqual(['scrub', undefined])
    expect(ended).toContainEqual(['orphans', 'BlobFailed'])
    expect(observer.jobs.every(({ durationMs }) => durationMs >= 0)).toBe(true)
  })

  it('gets all hits and misses by the end of the store', async () => {
    await store.objects.put('box', 'k', 'v')
    for (let i = 0; i < 10; i++) await store.objects.head('box', 'k')
    await store.close()
    const rows = observer.caches.filter(({ name }) => name === 'rows')
    expect(rows.reduce((sum, { hits }) => sum + hits, 0)).toBeGreaterThan(10)
    expect(rows.reduce((sum, { misses }) => sum + misses, 0)).toBeGreaterThan(0)
  })

  it('gets everything also when closing fails', async () => {
    const other = await openEngine(
      { ...ports, timer, observer },
      {},
      { closePorts: () => Promise.reject(new Error('the disk is gone')) },
    )
    observer.commits.length = 0
    await other.buckets.create('last')
    await expect(other.close()).rejects.toThrow('the disk is gone')
    expect(observer.commits).toHaveLength(1)
  })

  it('gets the lookups of uploads and of their parts', async () => {
    const upload = await store.uploads.create('box', 'parts')
    const part = await store.uploads.uploadPart(upload, 1, 'v'.repeat(1000))
    await store.uploads.complete(upload, [{ partNumber: 1, etag: part.etag }])
    for (let i = 0; i < 2; i++) await (await store.objects.get('box', 'parts')).text()
    await store.close()
    const byName = (cache: string) => observer.caches.filter(({ name }) => name === cache)
    expect(byName('parts').some(({ hits }) => hits > 0)).toBe(true)
    expect(byName('manifests').reduce((sum, { hits }) => sum + hits, 0)).toBeGreaterThan(0)
  })

  it('is called after the caller of a command has its result', async () => {
    const order: string[] = []
    const other = await opened({ commit: () => order.push('observed') })
    await other.objects.put('box', 'k', 'v')
    order.push('answered')
    await nextTurn()
    expect(order).toEqual(['answered', 'observed'])
    await other.close()
  })

  it('may call the store, and wait for it', async () => {
    let puts = 0
    const inner: Promise<unknown>[] = []
    const other = await opened({
      commit() {
        if (puts++ > 2) return undefined
        const put = other.objects.put('box', `inner-${puts}`, 'v')
        inner.push(put)
        return put
      },
    })
    await other.objects.put('box', 'k', 'v')
    while (inner.length < 3) await nextTurn()
    await Promise.all(inner)
    expect(await (await other.objects.get('box', 'inner-3')).text()).toBe('v')
    await other.close()
  })

  it('may close the store', async () => {
    let closing: Promise<void> | undefined
    const other = await opened({ commit: () => (closing = other.close()) })
    await other.objects.put('box', 'k', 'v')
    await nextTurn()
    await closing
    expect(other.state).toBe('closed')
  })

  it('is refused if a method of it is no function, and changes nothing', async () => {
    const getter = {
      get job(): never {
        throw new Error('no')
      },
    }
    for (const wrong of [1, () => undefined, { commit: 'yes' }, { queue: null }, getter]) {
      expect(await codeOf(opened(wrong as never))).toBe('InvalidArgument')
    }
  })
})

describe('a store with a failing observer', () => {
  const fail = () => {
    throw new Error('no')
  }
  const reject = () => Promise.reject(new Error('no'))
  const hang = () => new Promise(() => undefined)

  async function history(given: Store): Promise<unknown> {
    const create = given.buckets.create('other', { versioning: 'Enabled' })
    const puts = ['a', 'b', 'a'].map((key, at) => given.objects.put('other', key, `v${at}`))
    await Promise.allSettled([create, ...puts])
    await given.objects.delete('other', 'b')
    await given.sweep({ orphans: true })
    const events: unknown[] = []
    for await (const { seq, type, data } of given.log()) events.push([seq, type, data])
    return events
  }

  it.each(Object.entries({ fail, reject, hang }))('has the same log and results: %s', async (_, method) => {
    const failing: Observer = { commit: method, sync: method, job: method, cache: method, queue: method }
    ports = memoryPorts()
    const plain = await openEngine({ ...ports, timer }, { inlineMax: 64 })
    ports = memoryPorts()
    const other = await opened(failing)
    expect(await history(other)).toEqual(await history(plain))
    await other.close()
    await plain.close()
    const errors = Object.keys(observerErrors(failing)).sort()
    expect(errors).toEqual(method === hang ? [] : ['cache', 'commit', 'job', 'queue'])
  })
})
