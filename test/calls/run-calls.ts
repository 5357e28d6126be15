/** Calls with arguments of any kind: each is refused with a code or has happened, and the store and its log stay whole. */
import { memoryJournal } from '@varve/adapters'
import { isStorageError, type Journal } from '@varve/core'
import { isS3Error } from '@varve/http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { memoryStore, openStore, type Store } from 'varve'
import { type Areas, areasOf, openAreas } from './areas.ts'
import { type Entries, entries, type Entry } from './entries.ts'
import { changeAll } from './later-changes.ts'
import { CallersError, mutated } from './mutate.ts'
import { World } from './world.ts'

export interface CallCounts {
  calls: number
  refused: number
  callersErrors: number
  answered: number
}

export const options = { lifecycle: false, sweepEveryMs: 0, inlineMax: 64, retentionMs: 1000 } as const

type Chosen = (typeof all)[number]

const all = Object.entries(entries).flatMap(([area, methods]) =>
  Object.entries(methods as Readonly<Record<string, Entry>>).map(([name, entry]) => ({
    area: area as keyof Entries,
    name,
    entry,
  })),
)

/** Costly: of so many that are drawn, one is called. */
const seldom: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    ['replay', 'rebuild', 'verify', 'scrub', 'sweep', 'applyLifecycle', 'log'].map((name) => [name, 20]),
  ),
  ...Object.fromEntries(
    ['attachStore', 'openStore', 'openStoreOnParts', 'openStoreReadOnly', 'verifyStore', 'repairStore'].map((name) => [
      name,
      100,
    ]),
  ),
  drop: 100,
  ...Object.fromEntries(['salvageStore', 'migrateStore'].map((name) => [name, 150])),
  ...Object.fromEntries(
    [
      'exportArchive',
      'exportStore',
      'importStore',
      'importArchive',
      'importFolder',
      'importS3',
      'verifyArchive',
      'loadIdentityFile',
      'loadKeyringFile',
      'loadWebhookFile',
      'ensureRootCredentials',
      'file',
      'toFile',
      'serve',
    ].map((name) => [name, 10]),
  ),
}

/** @throws Error naming the seed and the call that was neither refused nor right. */
export async function round(seed: number, calls: number, counts: CallCounts, onDisk: boolean): Promise<void> {
  const dir = onDisk ? await mkdtemp(join(tmpdir(), 'varve-calls-')) : undefined
  const open = () => (dir === undefined ? memoryStore(options) : openStore(dir, options))
  const store = await open()
  try {
    await prepare(store)
    const scratch: Journal[] = []
    const world = new World(store, seed, () => scratch.pop() as Journal)
    const areas = areasOf(store, await store.at(store.seq), await openAreas(store))
    for (let i = 0; i < calls; i++) {
      const chosen = drawn(world)
      if (chosen.name === 'replay') scratch.push(await memoryJournal())
      const args = mutated(chosen.entry(world), world)
      const called = `seed ${seed}, call ${i}: ${chosen.area}.${chosen.name}`
      await oneCall(
        world,
        called,
        () => {
          const pending = callOf(areas, chosen, args)
          if (world.number(3) === 0) changeAll(args, world.number(2) === 0)
          return pending
        },
        counts,
      )
      if (store.state !== 'open') throw new Error(`${called} left the store ${store.state}`)
    }
    await expectWhole(store, `seed ${seed}`)
    const log = await eventsOf(store)
    await store.close()
    if (dir === undefined) return
    // A call may have stated another retention.
    const { retentionMs: _stated, ...others } = options
    const again = await openStore(dir, others)
    await expectWhole(again, `seed ${seed}, opened again`)
    if (!isDeepStrictEqual((await eventsOf(again)).slice(0, log.length), log))
      throw new Error(`seed ${seed}: other events`)
    await again.close()
  } finally {
    await store.close()
    if (dir !== undefined) await rm(dir, { recursive: true, force: true })
  }
}

export async function prepare({ buckets, objects }: Store): Promise<void> {
  for (const bucket of ['box', 'other']) await buckets.create(bucket)
  await buckets.create('locked', { versioning: 'Enabled', settings: { ObjectLock: {} } })
  for (let i = 0; i < 8; i++) await objects.put('box', `k${i}`, `value ${i}`)
}

function drawn(world: World): Chosen {
  for (;;) {
    const chosen = world.pick(all)
    if (world.number(seldom[chosen.name] ?? 1) === 0) return chosen
  }
}

function callOf(areas: Areas, { area, name }: Chosen, args: readonly unknown[]): unknown {
  const holder = areas[area] as Readonly<Record<string, (...given: readonly unknown[]) => unknown>>
  return Reflect.apply(holder[name] as () => unknown, holder, args)
}

/** Long: what is looked for does not end at all. */
const patienceMs = 120_000

async function oneCall(world: World, called: string, call: () => unknown, counts: CallCounts): Promise<void> {
  counts.calls++
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = globalThis.setTimeout(() => reject(new Error('no answer')), patienceMs)
  })
  try {
    world.remember(await Promise.race([settled(call), late]))
    counts.answered++
  } catch (error) {
    if (isStorageError(error) || isS3Error(error)) counts.refused++
    else if (error instanceof CallersError || isOfProxy(error)) counts.callersErrors++
    else throw new Error(`${called} has no code`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

/**
 * A generator behind a proxy throws when its next value is requested. The error comes from the source of a body, so it
 * is passed on and is no fault.
 */
const isOfProxy = (error: unknown): boolean =>
  error instanceof TypeError && error.message.includes('called on incompatible receiver')

/** What a call answers, read to its end. */
async function settled(call: () => unknown): Promise<unknown> {
  const answer = await call()
  if (typeof answer === 'function') answer()
  if (typeof answer !== 'object' || answer === null) return answer
  if (Symbol.asyncIterator in answer) await readSome(answer as AsyncIterable<unknown>)
  else if ('bytes' in answer && typeof answer.bytes === 'function') await answer.bytes()
  return answer
}

/** A subscription waits for the acknowledgement of a batch, or for events. Such a wait ends when the store closes. */
const quietMs = 500

/** Up to 20 items, as long as they come at once. */
async function readSome(items: AsyncIterable<unknown>): Promise<void> {
  const iterator = items[Symbol.asyncIterator]()
  for (let count = 0; count < 20; count++) {
    const next = iterator.next()
    next.catch(() => undefined)
    const quiet = new AbortController()
    const pause = setTimeout(quietMs, undefined, { signal: quiet.signal }).catch(() => undefined)
    const found = await Promise.race([next, pause]).finally(() => quiet.abort())
    if (found === undefined || found.done === true) return
  }
  await iterator.return?.()
}

async function eventsOf(store: Store): Promise<unknown[]> {
  const events: unknown[] = []
  for await (const event of store.log()) events.push(event)
  return events
}

async function expectWhole(store: Store, when: string): Promise<void> {
  const { divergences } = await store.verify()
  if (divergences.length > 0) throw new Error(`${when}: ${JSON.stringify(divergences.slice(0, 3))}`)
  for await (const bucket of store.buckets.list()) {
    await store.buckets.settings.all(bucket.name)
    for await (const version of store.versions.list(bucket.name)) void version
    for await (const upload of store.uploads.list(bucket.name)) void upload
  }
}
