/** A process that is killed at any commit to a keyspace: what is there afterwards is whole, and the work continues. */
import { type Keyspace, openEngine, type Reducer, type Store, StorageError } from '@varve/core'
import { afterEach, describe, expect, it } from 'vitest'
import { memoryBlobs } from '../blobs/memory-blobs.ts'
import { nodeHashing } from '../hashing/node-hashing.ts'
import { memoryJournal, memoryMedium } from '../level-journal/memory-journal.ts'
import { randomIds } from '../system/random-ids.ts'
import { systemClock } from '../system/system-clock.ts'
import type { Fault } from './fault-plan.ts'
import { faultyJournal } from './faulty-journal.ts'

const kinds: readonly Fault['kind'][] = ['before', 'after']
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const padding = new Uint8Array(700_000)

/** One large row for each event, so that three events fill a group, and the number of rows so far. */
const reducer: Reducer = async ({ seq }, rows) => {
  const count = await rows.get(bytes('count'))
  rows.put(bytes('count'), Uint8Array.of((count?.[0] ?? 0) + 1))
  rows.put(Uint8Array.of(seq), padding)
}

/** A store in memory, whose process can be killed at a commit of its journal and started again. */
class Machine {
  readonly #medium = memoryMedium()
  readonly #blobs = memoryBlobs()
  /** Commits until the fault; `undefined`: none. */
  left: number | undefined
  kind: Fault['kind'] = 'before'
  #store: Store | undefined

  async start(): Promise<Store> {
    await this.#store?.close().catch(() => undefined)
    this.left = undefined
    const journal = faultyJournal(await memoryJournal(this.#medium), ({ operation }) => {
      if (operation !== 'commit' || this.left === undefined || --this.left > 0) return undefined
      this.left = undefined
      return { kind: this.kind as 'before' | 'after', error: new StorageError('JournalFailed', 'killed') }
    })
    const ports = { journal, blobs: this.#blobs, clock: systemClock, ids: randomIds, hashing: await nodeHashing() }
    this.#store = await openEngine(ports, { retentionMs: 1e12 }, { closePorts: () => journal.close() })
    return this.#store
  }

  async stop(): Promise<void> {
    await this.#store?.close().catch(() => undefined)
  }
}

let machine: Machine
afterEach(() => machine.stop())

async function filled(): Promise<Store> {
  machine = new Machine()
  const store = await machine.start()
  await store.buckets.create('box')
  for (let i = 0; i < 11; i++) await store.objects.put('box', `k${i}`, 'bytes')
  return store
}

async function keysOf(keyspace: Keyspace): Promise<number> {
  let count = 0
  for await (const _ of keyspace.range()) count++
  return count
}

/** Runs `work` with a kill at its nth commit, for every n that it reaches. Returns how many there are. */
async function eachKill(
  prepare: (store: Store) => Promise<() => Promise<unknown>>,
  judge: (store: Store) => Promise<void>,
): Promise<number> {
  for (const kind of kinds) {
    for (let n = 1; ; n++) {
      const work = await prepare(await filled())
      machine.kind = kind
      machine.left = n
      const outcome = await work().then(
        () => 'done',
        (error: unknown) => error,
      )
      if (outcome === 'done') {
        if (kind === 'after') return n - 1
        break
      }
      expect(outcome).toMatchObject({ code: 'StoreFailed' })
      await judge(await machine.start())
      await machine.stop()
    }
  }
  return 0
}

describe('a process that is killed', () => {
  it('while a keyspace follows the log leaves the rows of a beginning of the log, and continues there', async () => {
    const kills = await eachKill(
      async (store) => {
        const keyspace = await store.keyspaces.open('rows', { version: 1, reducer })
        return () => keyspace.follow()
      },
      async (store) => {
        const keyspace = await store.keyspaces.open('rows', { version: 1, reducer })
        const { cursor } = keyspace
        expect(await keysOf(keyspace)).toBe(cursor === 0 ? 0 : cursor + 1)
        expect((await store.verify({ scratch: await memoryJournal() })).found).toBe(0)
        expect(await keyspace.follow()).toBe(12)
        expect([await keysOf(keyspace), await keyspace.get(bytes('count'))]).toEqual([13, Uint8Array.of(12)])
        expect((await store.verify({ scratch: await memoryJournal() })).found).toBe(0)
      },
    )
    expect(kills).toBe(4)
  })

  it.each(['clear', 'drop'] as const)('during a %s leaves all rows or none, and no leftovers', async (name) => {
    const changes = Array.from({ length: 9000 }, (_, i) => ({ key: bytes(String(i)), value: bytes('v') }))
    const kills = await eachKill(
      async (store) => {
        const keyspace = await store.keyspaces.open('rows', { version: 1 })
        await keyspace.commit({ to: 3, changes })
        return () => keyspace[name]()
      },
      async (store) => {
        const { divergences } = await store.verify({ scratch: await memoryJournal() })
        expect(divergences.filter(({ kind }) => kind !== 'Leftover')).toEqual([])
        const keyspace = await store.keyspaces.open('rows', { version: 1 })
        expect([0, 3]).toContain(keyspace.cursor)
        expect(await keysOf(keyspace)).toBe(keyspace.cursor === 0 ? 0 : 9000)
        expect((await store.verify({ scratch: await memoryJournal() })).found).toBe(0)
        await keyspace.commit({ to: 4, changes: [] })
      },
    )
    expect(kills).toBe(4)
  })

  it('when a keyspace begins a new version leaves the old one or the new one', async () => {
    const kills = await eachKill(
      async (store) => {
        const keyspace = await store.keyspaces.open('rows', { version: 1 })
        await keyspace.commit({ to: 3, changes: [{ key: bytes('k'), value: bytes('v') }] })
        return () => store.keyspaces.open('rows', { version: 2 })
      },
      async (store) => {
        const [found] = await store.keyspaces.list()
        expect(found?.cursor).toBe(found?.version === 1 ? 3 : 0)
        expect(await keysOf(await store.keyspaces.open('rows', { version: 2 }))).toBe(0)
        expect((await store.verify({ scratch: await memoryJournal() })).found).toBe(0)
      },
    )
    expect(kills).toBe(2)
  })
})
