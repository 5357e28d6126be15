/** The promises of a journal that several engines use at the same time, in terms of the engines. */
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import type { StorePorts } from '../engine/store-ports.ts'
import type { Journal, Timer } from '../ports/index.ts'
import { membershipMs } from '../sharing/membership.ts'
import { assert, assertEqual } from './assert.ts'
import { type ContractCase, contractCase, type OpenFresh } from './contract.ts'

/** What engines need besides a journal. The blobs are those of all engines of a case. */
export interface EngineMachine extends Pick<StorePorts, 'hashing' | 'ids'> {
  readonly timer: Timer
  openBlobs(): StorePorts['blobs']
}

/** Two engines on the journal of a case, and the time that both measure. */
interface TwoEngines {
  readonly one: Store
  readonly two: Store
  readonly blobs: StorePorts['blobs']
  pass(ms: number): void
  /** Waits, by the time of the machine. */
  pause(ms: number): Promise<void>
}

const bucket = 'box'
const long = 'v'.repeat(100_000)

interface TwoEnginesCase {
  readonly name: string
  run(engines: TwoEngines): Promise<void>
}

const cases: readonly TwoEnginesCase[] = [
  {
    name: 'each sees at once what the other has committed',
    run: async ({ one, two }) => {
      for (let i = 0; i < 10; i++) {
        const [writer, reader] = i % 2 === 0 ? [one, two] : [two, one]
        await writer.objects.put(bucket, 'k', `v${i}`)
        assertEqual(await textOf(reader, 'k'), `v${i}`, 'the object')
        assertEqual((await reader.objects.listPage(bucket)).entries.length, 1, 'entries of the listing')
      }
    },
  },

  {
    name: 'exactly one of two creations of a key wins',
    run: async ({ one, two }) => {
      for (let i = 0; i < 20; i++) {
        const create = (store: Store) =>
          store.objects.put(bucket, `k${i}`, store === one ? 'one' : 'two', { ifNoneMatch: '*' })
        const outcomes = await Promise.allSettled([create(one), create(two)])
        assertEqual(outcomes.filter(({ status }) => status === 'fulfilled').length, 1, 'winners')
        const winner = outcomes[0].status === 'fulfilled' ? 'one' : 'two'
        for (const store of [one, two]) assertEqual(await textOf(store, `k${i}`), winner, 'the object')
      }
    },
  },

  {
    name: 'no update of a counter is lost',
    run: async ({ one, two }) => {
      await one.objects.put(bucket, 'counter', '0')
      await Promise.all([one, two, one, two].map((store) => count(store, 10)))
      assertEqual(await textOf(two, 'counter'), '40', 'the counter')
    },
  },

  {
    name: 'all of many commits of both are there, in one chain of events',
    run: async ({ one, two }) => {
      const keys = Array.from({ length: 100 }, (_, i) => `k${i}`)
      await Promise.all(
        keys.map((key, i) => (i % 2 === 0 ? one : two).objects.put(bucket, key, i % 10 === 0 ? long : key)),
      )
      const found: string[] = []
      for await (const entry of two.objects.list(bucket)) if (entry.kind !== 'prefix') found.push(entry.key)
      assertEqual(found.length, keys.length, 'objects')
      let seq = 0
      for await (const event of one.log()) assertEqual(event.seq, ++seq, 'position')
      assertEqual(seq, keys.length + 1, 'events')
    },
  },

  {
    name: 'an upload that one began is completed by the other',
    run: async ({ one, two }) => {
      const upload = await one.uploads.create(bucket, 'k')
      await two.uploads.complete(upload, [await two.uploads.uploadPart(upload, 1, long)])
      assertEqual(await textOf(one, 'k'), long, 'the object')
    },
  },

  {
    name: 'bytes stay until no read of the other needs them',
    run: async ({ one, two, blobs, pass }) => {
      await one.objects.put(bucket, 'k', long)
      const reading = await two.objects.get(bucket, 'k')
      await one.objects.delete(bucket, 'k')
      await one.sweep()
      assertEqual(await reading.text(), long, 'the bytes')
      for (let round = 0; round < 2; round++) {
        pass(membershipMs * 0.6)
        for (const store of [one, two]) await store.objects.listPage(bucket)
      }
      await one.sweep()
      const left: string[] = []
      for await (const id of blobs.list()) left.push(id)
      assertEqual(left.length, 0, 'blobs that no read needs')
    },
  },

  {
    name: 'an engine that did not work for long joins again',
    run: async ({ one, two, pass }) => {
      await one.sweep()
      pass(membershipMs * 2)
      await two.sweep({ orphans: true })
      pass(membershipMs * 2)
      await two.sweep({ orphans: true })
      await one.objects.put(bucket, 'k', long)
      assertEqual(await textOf(two, 'k'), long, 'the object of an engine that joined again')
    },
  },

  {
    name: 'a restore in parts that one had begun is ended by the other',
    run: async ({ one, two, pause }) => {
      const keys = ['a', 'b', 'c', 'd']
      for (const key of keys) await one.objects.put(bucket, key, 'then')
      const to = one.seq
      for (const key of keys) await one.objects.put(bucket, key, 'now')
      let closing: Promise<void> | undefined
      const onProgress = (): void => void (closing ??= one.close())
      const restoring = one.restore({ bucket, to, inParts: true, partSize: 1, onProgress })
      assertEqual(
        await restoring.then(
          () => 'ended',
          () => 'interrupted',
        ),
        'interrupted',
        'the restore',
      )
      await closing
      while ((await two.tasks.list()).length > 0) await pause(20)
      for (const key of keys) assertEqual(await textOf(two, key), 'then', `the object ${key}`)
    },
  },

  {
    name: 'views that one computes again are whole for the other',
    run: async ({ one, two }) => {
      for (let i = 0; i < 50; i++) await one.objects.put(bucket, `k${i}`, 'v')
      const rebuilding = one.rebuild()
      for (let i = 0; i < 5; i++)
        assertEqual((await two.objects.listPage(bucket)).entries.length, 50, 'entries meanwhile')
      await rebuilding
      assertEqual((await two.objects.listPage(bucket)).entries.length, 50, 'entries')
    },
  },
]

/**
 * The cases that a journal must pass to be shared. Pass a journal that engines can use without being its only user, such
 * as one without the lock of a directory.
 */
export const twoEnginesCases = (machine: EngineMachine): readonly ContractCase<OpenFresh<Journal>>[] =>
  cases.map(({ name, run }) =>
    contractCase<Journal>(`two engines: ${name}`, ({ now: journal }) => withTwoEngines(machine, journal, run)),
  )

async function withTwoEngines(machine: EngineMachine, journal: Journal, run: TwoEnginesCase['run']): Promise<void> {
  const blobs = machine.openBlobs()
  let time = 1_700_000_000_000
  const clock = { now: () => time, monotonic: () => time }
  const { hashing, ids, timer } = machine
  const open = () => openEngine({ journal: shared(journal), blobs, clock, hashing, ids, timer })
  const [one, two] = [await open(), await open()]
  try {
    await one.buckets.create(bucket)
    await run({ one, two, blobs, pass: (ms) => (time += ms), pause: (ms) => timer.pause(ms) })
    const { ok, divergences } = await two.verify({ views: 'check' })
    assert(ok, `the store verifies: ${JSON.stringify(divergences)}`)
  } finally {
    await one.close()
    await two.close()
    await blobs.close()
  }
}

const textOf = async (store: Store, key: string): Promise<string> => (await store.objects.get(bucket, key)).text()

/** Increases the counter, and tries again when another client was first. */
async function count(store: Store, times: number): Promise<void> {
  for (let done = 0; done < times; ) {
    const { etag } = await store.objects.head(bucket, 'counter')
    const value = await textOf(store, 'counter')
    const next = store.objects.put(bucket, 'counter', String(Number(value) + 1), { ifMatch: etag })
    done += await next.then(
      () => 1,
      () => 0,
    )
  }
}

/** The same journal, not marked as exclusive. */
const shared = (journal: Journal): Journal => ({
  head: () => journal.head(),
  commit: (commit) => journal.commit(commit),
  events: (range) => journal.events(range),
  snapshot: (options) => journal.snapshot(options),
  get: (key) => journal.get(key),
  getMany: (keys) => journal.getMany(keys),
  cursor: (range) => journal.cursor(range),
  close: () => journal.close(),
})
