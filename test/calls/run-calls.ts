/** Calls with arguments of any kind: each is refused with a code or has happened, and the store and its log stay whole. */
import { memoryJournal } from '@varve/adapters'
import { isStorageError, type Journal } from '@varve/core'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { memoryStore, openStore, type VarveStore } from 'varve'
import { type Entries, entries, type Entry } from './entries.ts'
import { moduleCalls } from './module-calls.ts'
import { CallersError, mutated } from './mutate.ts'
import { World } from './world.ts'

export interface CallCounts {
  calls: number
  refused: number
  callersErrors: number
  answered: number
}

/** The object that has the methods of an area. */
export const areaOf = (store: VarveStore, area: keyof Entries): object =>
  area === 'store'
    ? store
    : area === 'modules'
      ? moduleCalls
      : area === 'settings'
        ? store.buckets.settings
        : store[area]

const options = { lifecycle: false, sweepEveryMs: 0, inlineMax: 64, retentionMs: 1000 } as const

const all = Object.entries(entries).flatMap(([area, methods]) =>
  Object.entries(methods as Readonly<Record<string, Entry>>).map(([name, entry]) => ({
    area: area as keyof Entries,
    name,
    entry,
  })),
)

/** Costly, and no different the second time. */
const seldom: ReadonlySet<string> = new Set(['replay', 'rebuild', 'verify', 'scrub', 'sweep', 'applyLifecycle', 'log'])

/** @throws Error naming the seed and the call that was neither refused nor right. */
export async function round(seed: number, calls: number, counts: CallCounts, onDisk: boolean): Promise<void> {
  const dir = onDisk ? await mkdtemp(join(tmpdir(), 'varve-calls-')) : undefined
  const open = () => (dir === undefined ? memoryStore(options) : openStore(dir, options))
  const store = await open()
  try {
    await prepare(store)
    const scratch: Journal[] = []
    const world = new World(store, seed, () => scratch.pop() as Journal)
    for (let i = 0; i < calls; i++) {
      const chosen = world.pick(all)
      if (seldom.has(chosen.name) && world.number(20) > 0) continue
      if (chosen.name === 'replay') scratch.push(await memoryJournal())
      const args = mutated(chosen.entry(world), world)
      const called = `seed ${seed}, call ${i}: ${chosen.area}.${chosen.name}`
      await oneCall(
        world,
        { called, takesBody: ['put', 'uploadPart', 'toFile'].includes(chosen.name) },
        () => callOf(store, chosen.area, chosen.name, args),
        counts,
      )
      if (store.state !== 'open') throw new Error(`${called} left the store ${store.state}`)
    }
    await expectWhole(store, `seed ${seed}`)
    const log = await eventsOf(store)
    await store.close()
    if (dir === undefined) return
    const again = await openStore(dir, options)
    await expectWhole(again, `seed ${seed}, opened again`)
    if (!isDeepStrictEqual((await eventsOf(again)).slice(0, log.length), log))
      throw new Error(`seed ${seed}: other events`)
    await again.close()
  } finally {
    await store.close()
    if (dir !== undefined) await rm(dir, { recursive: true, force: true })
  }
}

async function prepare({ buckets, objects }: VarveStore): Promise<void> {
  for (const bucket of ['box', 'other']) await buckets.create(bucket)
  await buckets.create('locked', { versioning: 'Enabled', settings: { ObjectLock: {} } })
  for (let i = 0; i < 8; i++) await objects.put('box', `k${i}`, `value ${i}`)
}

function callOf(store: VarveStore, area: keyof Entries, name: string, args: readonly unknown[]): unknown {
  const holder = areaOf(store, area) as Readonly<Record<string, (...given: readonly unknown[]) => unknown>>
  return Reflect.apply(holder[name] as () => unknown, holder, args)
}

const patienceMs = 30_000

interface Called {
  readonly called: string
  /** What the source of a body throws passes: an iterator that was broken throws a `TypeError`. */
  readonly takesBody: boolean
}

async function oneCall(
  world: World,
  { called, takesBody }: Called,
  call: () => unknown,
  counts: CallCounts,
): Promise<void> {
  counts.calls++
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), patienceMs)
  })
  try {
    world.remember(await Promise.race([settled(call), late]))
    counts.answered++
  } catch (error) {
    if (isStorageError(error)) counts.refused++
    else if (error instanceof CallersError || (takesBody && error instanceof TypeError)) counts.callersErrors++
    else throw new Error(`${called} has no code`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

/** What a call answers, read to its end. */
async function settled(call: () => unknown): Promise<unknown> {
  const answer = await call()
  if (typeof answer === 'function') answer()
  if (typeof answer !== 'object' || answer === null) return answer
  if (Symbol.asyncIterator in answer) {
    let count = 0
    for await (const _ of answer as AsyncIterable<unknown>) if (++count === 20) break
  } else if ('bytes' in answer && typeof answer.bytes === 'function') await answer.bytes()
  return answer
}

async function eventsOf(store: VarveStore): Promise<unknown[]> {
  const events: unknown[] = []
  for await (const event of store.log()) events.push(event)
  return events
}

async function expectWhole(store: VarveStore, when: string): Promise<void> {
  const { divergences } = await store.verify()
  if (divergences.length > 0) throw new Error(`${when}: ${JSON.stringify(divergences.slice(0, 3))}`)
  for await (const bucket of store.buckets.list()) {
    await store.buckets.settings.all(bucket.name)
    for await (const version of store.versions.list(bucket.name)) void version
    for await (const upload of store.uploads.list(bucket.name)) void upload
  }
}
