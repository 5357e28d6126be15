/**
 * An attached store answers and refuses what a store of this process does, whatever it is called with: two stores get the same calls, one
 * of them over its control socket, and their logs are the same in the end.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { types } from 'node:util'
import { isStorageError, type ObjectContent, type Store } from '@varve/core'
import { type AttachedStore, attachStore, memoryStore, openStore } from 'varve'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { size } from '../model/sizes.ts'
import { eventsOf, readAnswer } from './answers.ts'
import { methodsOf } from './areas.ts'
import { type Entries, entries, type Entry } from './entries.ts'
import { changeAll } from './later-changes.ts'
import { CallersError, mutated } from './mutate.ts'
import { options as otherOptions, prepare } from './run-calls.ts'
import { World } from './world.ts'

const callsEach = size('VARVE_ATTACHED_CALLS', { short: 16, long: 400 })

const options = { ...otherOptions, retentionMs: Number.MAX_SAFE_INTEGER }

type Areas = Readonly<Partial<Record<keyof Entries, object>>>

interface Side {
  readonly store: Store
  readonly world: World
  readonly areas: Areas
}

async function areasOf(store: Store | AttachedStore): Promise<Areas> {
  const { buckets, objects, versions, uploads, keys, retention, snapshots, tasks, identities } = store
  const past = await store.at(12)
  return {
    store,
    buckets,
    settings: buckets.settings,
    objects,
    versions,
    uploads,
    keys,
    retention,
    snapshots,
    tasks,
    identities,
    pastBuckets: past.buckets,
    pastSettings: past.buckets.settings,
    pastObjects: past.objects,
    pastVersions: past.versions,
  }
}

const noScratch = () => expect.fail('nothing is replayed')

let dir: string
let owner: Store
let attached: AttachedStore
let plain: Side
let carried: Side

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'varve-calls-'))
  owner = await openStore(join(dir, 'store'), options)
  const own = await memoryStore(options)
  for (const store of [own, owner]) await prepare(store)
  attached = await attachStore(join(dir, 'store'))
  plain = { store: own, world: new World(own, 7, noScratch), areas: await areasOf(own) }
  carried = { store: owner, world: new World(owner, 7, noScratch), areas: await areasOf(attached) }
})
afterAll(async () => {
  await attached.close()
  await plain.store.close()
  await owner.close()
  await rm(dir, { recursive: true, force: true })
})

/** Not of the same kind in both, or not in both. */
const left: Readonly<Partial<Record<keyof Entries, readonly string[]>>> = {
  keys: ['rotate'],
  // When bytes are deleted depends on the time and on the reads in progress, and so do the events.
  retention: ['set', 'remove'],
  // The slices of a density are times.
  store: ['as', 'subscribe', 'verify', 'erase', 'density'],
}

const calls = Object.entries(entries).flatMap(([area, methods]) =>
  Object.entries(methods as Readonly<Record<string, Entry>>).map(([name, entry]) => ({
    area: area as keyof Entries,
    name,
    entry,
  })),
)

const isCarried = ({ area, name }: (typeof calls)[number]): boolean =>
  carried.areas[area] !== undefined &&
  methodsOf(carried.areas[area]).includes(name) &&
  left[area]?.includes(name) !== true

const makeDue: ReadonlySet<string> = new Set(['delete', 'drop', 'restore', 'undo', 'merge', 'commit'])

/** What differs between two stores that have the same content. */
const differs: ReadonlySet<string> = new Set(
  'accessKeyId,secretAccessKey,at,by,id,prev,hash,requestId,createdAt,uploadId,uploadIdMarker,nextUploadIdMarker,initiated,lastModified,until,created,createdBy,expiration,last,free,budget'.split(
    ',',
  ),
)
const shown = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (name, one: unknown) => {
      if (differs.has(name) || name === 'buffered') return undefined
      // In events, it is an id.
      if (name === 'identity' && typeof one === 'string') return undefined
      return typeof one === 'bigint' ? 0 : one
    }),
  )

const bodyOf = async (content: ObjectContent): Promise<string> => Buffer.from(await content.bytes()).toString('hex')

async function outcome({ areas, world }: Side, { area, name, entry }: (typeof calls)[number], round: number) {
  const args = mutated(entry(world), world)
  const changesLater = world.number(3) === 0
  if (hasOddSignal(args) || isEndless(args)) return { skipped: 'it may wait' }
  const holder = areas[area] as Readonly<Record<string, (...given: readonly unknown[]) => unknown>>
  try {
    const pending = Reflect.apply(holder[name] as () => unknown, holder, args)
    if (changesLater) changeAll(args, round % 2 === 1)
    const answer = await pending
    world.remember(answer)
    return { answer: shown(await readAnswer(answer, bodyOf)) }
  } catch (error) {
    if (isStorageError(error)) return { refused: error.code }
    if (error instanceof CallersError || error instanceof TypeError) return { thrown: 'by the caller' }
    throw error
  }
}

/** When a call looks at its signal, and how, is no promise. */
function hasOddSignal(args: readonly unknown[]): boolean {
  let signal: unknown
  try {
    for (const argument of args) signal ??= (Object(argument) as { readonly signal?: unknown }).signal
  } catch {
    return false
  }
  try {
    const { constructor, aborted } = (signal ?? new AbortController().signal) as AbortSignal
    return constructor !== AbortSignal || aborted || types.isProxy(signal)
  } catch {
    return true
  }
}

/** A log that is followed has no end. */
function isEndless(args: readonly unknown[]): boolean {
  try {
    return args.some((argument) => (Object(argument) as { readonly follow?: unknown }).follow === true)
  } catch {
    return true
  }
}

describe('an attached store', () => {
  it(
    `answers as a store of this process does, in ${callsEach} calls of each method`,
    async () => {
      const chosen = calls.filter(isCarried)
      expect(chosen.length).toBeGreaterThan(50)
      const counts = { answered: 0, refused: 0 }
      for (let round = 0; round < callsEach; round++) {
        for (const call of chosen) {
          const [expected, found] = [await outcome(plain, call, round), await outcome(carried, call, round)]
          // What they make due is cleared in the background, with events of its own.
          if (makeDue.has(call.name)) for (const { store } of [plain, carried]) await store.sweep()
          expect(found, `${call.area}.${call.name} in round ${round}`).toEqual(expected)
          counts['answer' in found ? 'answered' : 'refused']++
        }
      }
      for (const count of Object.values(counts)) expect(count).toBeGreaterThan((callsEach * chosen.length) / 10)
      expect(shown(await eventsOf(owner))).toEqual(shown(await eventsOf(plain.store)))
    },
    Math.max(60_000, callsEach * 5000),
  )
})
