/** Parts of the log: by what happened, where, by whom, and when. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { EventType } from '../events/index.ts'
import { codeOf, list } from './answers.fixture.ts'
import { memoryPorts, type MemoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'
import type { LogOptions } from './types/index.ts'

let ports: MemoryPorts
let store: Store
let began: number

const timeAfter = (ms: number) => new Date(began + ms)
const seqs = async (options: LogOptions) => (await list(store.log(options))).map(({ seq }) => seq)

/** One event each second: eight of them, by two actors, in two buckets. */
beforeAll(async () => {
  ports = memoryPorts()
  began = ports.clock.time
  store = await openEngine(ports, { retentionMs: 1e12 })
  const bob = store.as({ by: { id: 'bob', name: 'Bob' }, requestId: 'request-of-bob' })
  const calls = [
    () => store.buckets.create('box'),
    () => store.buckets.create('other'),
    () => store.objects.put('box', 'a/1', 'x'),
    () => bob.objects.put('box', 'a/2', 'x'),
    () => store.objects.put('box', 'b', 'x'),
    () => bob.objects.put('other', 'a/1', 'x'),
    () => store.objects.delete('box', 'a/1'),
    () => bob.buckets.settings.put('box', 'Tags', [{ key: 'a', value: 'b' }]),
  ]
  for (const call of calls) {
    await call()
    ports.clock.time += 1000
  }
})

describe('a part of the log', () => {
  it.each<readonly [string, LogOptions, readonly number[]]>([
    ['all of it', {}, [1, 2, 3, 4, 5, 6, 7, 8]],
    ['of a bucket', { bucket: 'box' }, [1, 3, 4, 5, 7, 8]],
    ['of the keys beneath a prefix', { bucket: 'box', prefix: 'a/' }, [3, 4, 7]],
    ['of all keys of a bucket', { bucket: 'box', prefix: '' }, [3, 4, 5, 7]],
    ['of an actor', { by: 'bob' }, [4, 6, 8]],
    ['of types', { types: ['BucketCreated', 'BucketTagsSet'] }, [1, 2, 8]],
    ['of a request', { requestId: 'request-of-bob' }, [4, 6, 8]],
    ['that matches all of several', { bucket: 'box', by: 'bob', types: ['VersionAdded'], from: 2 }, [4]],
    ['of a bucket that there is not', { bucket: 'none' }, []],
    ['between positions', { from: 3, to: 5, bucket: 'box' }, [3, 4, 5]],
  ])('is what happened: %s', async (_what, options, expected) => expect(await seqs(options)).toEqual(expected))

  it('is what happened after a moment, and up to another', async () => {
    expect(await seqs({ since: 5 })).toEqual([6, 7, 8])
    expect(await seqs({ since: timeAfter(4000) })).toEqual([6, 7, 8])
    expect(await seqs({ since: timeAfter(3999).toISOString() })).toEqual([5, 6, 7, 8])
    expect(await seqs({ until: timeAfter(2500) })).toEqual([1, 2, 3])
    expect(await seqs({ since: '2', until: timeAfter(4000) })).toEqual([3, 4, 5])
    expect(await seqs({ since: 2, until: 6, from: 4, to: 5 })).toEqual([4, 5])
    expect(await seqs({ since: 6, until: 2 })).toEqual([])
    expect(await seqs({ since: 0, until: 0 })).toEqual([])
  })

  it('is the difference between two states of the store', async () => {
    const [from, to] = [timeAfter(2000), timeAfter(5000)]
    const [before, after] = [(await store.at(from)).seq, (await store.at(to)).seq]
    expect(await seqs({ since: from, until: to })).toEqual([4, 5, 6])
    expect([before, after]).toEqual([3, 6])
  })

  it('begins with the log for a time before it, and is refused for one in the future', async () => {
    expect(await seqs({ since: timeAfter(-1), to: 2 })).toEqual([1, 2])
    expect(await seqs({ until: timeAfter(-1) })).toEqual([])
    for (const moment of [timeAfter(9000), 9]) {
      expect(await codeOf(seqs({ since: moment }))).toBe('MomentOutOfRange')
      expect(await codeOf(seqs({ until: moment }))).toBe('MomentOutOfRange')
    }
    expect(await codeOf(seqs({ since: 'no-snapshot' }))).toBe('NoSuchSnapshot')
  })

  it('of an empty log has no event', async () => {
    const empty = await openEngine(memoryPorts(), {})
    expect(await list(empty.log({ since: timeAfter(-1), until: timeAfter(0) }))).toEqual([])
  })

  it('finds a time without reading the events before it', async () => {
    const own = memoryPorts()
    const other = await openEngine(own, { retentionMs: 1e12 })
    await other.buckets.create('box')
    for (let i = 0; i < 500; i++) {
      own.clock.time += 1000
      await other.objects.put('box', 'k', 'x')
    }
    const { events } = own.journal
    let read = 0
    own.journal.events = async function* (range) {
      for await (const event of events(range)) {
        read++
        yield event
      }
    }
    expect((await list(other.log({ since: new Date(own.clock.time - 2500) }))).map(({ seq }) => seq)).toEqual([
      499, 500, 501,
    ])
    expect(read).toBeLessThan(25)
  })

  it('is followed, past events that do not match, up to its end', async () => {
    const own = memoryPorts()
    const other = await openEngine(own, { retentionMs: 1e12 })
    const following = list(other.log({ follow: true, types: ['VersionAdded'], to: 4 }))
    await other.buckets.create('box')
    for (let i = 0; i < 4; i++) await other.objects.put('box', 'k', 'x')
    expect((await following).map(({ seq }) => seq)).toEqual([2, 3, 4])
  })

  it.each([
    [{ prefix: 'a' }, 'options.prefix'],
    [{ types: [] }, 'options.types'],
    [{ types: ['Nothing' as EventType] }, 'options.types[0]'],
    [{ by: 5 as never }, 'options.by'],
    [{ since: -1 }, 'options.since'],
    [{ bucket: null as never }, 'options.bucket'],
    [{ filter: {} } as never, 'options'],
  ])('is refused for %j', async (options, argument) => {
    await expect(list(store.log(options))).rejects.toMatchObject({
      code: 'InvalidArgument',
      details: { ArgumentName: argument },
    })
  })
})
