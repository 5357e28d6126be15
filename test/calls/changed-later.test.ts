/**
 * What a call is given is what it goes by, whatever the caller does with it once the call has returned: two stores get the same calls, and
 * the arguments of one of them are changed before their promises are waited for, or what they return is read.
 */
import { isStorageError, type ObjectContent } from '@varve/core'
import { memoryStore, type Store } from 'varve'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventsOf, readAnswer } from './answers.ts'
import { type Areas, areasOf, openAreas } from './areas.ts'
import { type Entries, entries, type Entry } from './entries.ts'
import { changeAll } from './later-changes.ts'
import { options, prepare } from './run-calls.ts'
import { World } from './world.ts'

/** What functions beside stores leave behind, their own tests see. Proofs of two stores are never the same. */
const areas = [
  'buckets',
  'settings',
  'objects',
  'versions',
  'uploads',
  'keys',
  'keyspaces',
  'retention',
  'snapshots',
  'identities',
  'tasks',
  'keyspace',
  'projection',
  'subscriptions',
  'pastObjects',
  'pastVersions',
] as const
const ofStore = ['at', 'log', 'history', 'notifications', 'erase', 'sweep', 'scrub', 'verify'] as const

const calls = [
  ...areas.flatMap((area) =>
    Object.entries(entries[area] as Readonly<Record<string, Entry>>).map(([name, entry]) => ({ area, name, entry })),
  ),
  ...ofStore.map((name) => ({ area: 'store' as const, name, entry: entries.store[name] as Entry })),
]

interface Side {
  readonly store: Store
  readonly world: World
  readonly areas: Areas
}

async function side(): Promise<Side> {
  const store = await memoryStore(options)
  await prepare(store)
  const noScratch = () => expect.fail('nothing is replayed')
  const areas = areasOf(store, await store.at(store.seq), await openAreas(store))
  return { store, world: new World(store, 7, noScratch), areas }
}

/** What differs between two stores that have the same content. */
const differs: ReadonlySet<string> = new Set(
  'accessKeyId,secretAccessKey,tokenKey,at,by,id,prev,hash,requestId,createdAt,uploadId,uploadIdMarker,nextUploadIdMarker,initiated,lastModified,until,created,expiration,eventTime,record,last'.split(
    ',',
  ),
)
const shown = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (name, one: unknown) => {
      // In events, `identity` is an id.
      if (differs.has(name) || (name === 'identity' && typeof one === 'string')) return undefined
      return typeof one === 'bigint' ? 0 : one
    }),
  )

const bodyOf = (content: ObjectContent): Promise<string> => content.text()

async function outcome(
  { areas, world }: Side,
  { area, name }: (typeof calls)[number],
  args: unknown[],
  changes: () => void,
) {
  const holder = areas[area as keyof Entries] as Readonly<Record<string, (...given: readonly unknown[]) => unknown>>
  try {
    const pending = Reflect.apply(holder[name] as () => unknown, holder, args)
    changes()
    const answer = await pending
    world.remember(answer)
    return { answer: shown(await readAnswer(answer, bodyOf)) }
  } catch (error) {
    if (!isStorageError(error)) throw error
    return { refused: error.code, message: error.message.replaceAll(/u[0-9a-z]{36}/g, 'upload') }
  }
}

describe('arguments that are changed after the call', () => {
  let left: Side
  let right: Side
  beforeEach(async () => {
    left = await side()
    right = await side()
  })
  afterEach(async () => {
    await left.store.close()
    await right.store.close()
  })

  it.each(calls)('$name of $area goes by what it was given', async (call) => {
    for (let i = 0; i < 12; i++) {
      const [given, same] = [call.entry(left.world), call.entry(right.world)]
      // Something to iterate is read as it is needed.
      const kept = given.filter((one) => !(Array.isArray(one) && typeof one[0] === 'string'))
      const changes = () => changeAll(kept, i % 2 === 1)
      expect(await outcome(left, call, given, changes)).toEqual(await outcome(right, call, same, () => undefined))
    }
    expect(shown(await eventsOf(left.store))).toEqual(shown(await eventsOf(right.store)))
  })

  it.each([
    ['filled again', false],
    ['given away', true],
  ])('bytes of several slices that are %s are stored as they were', async (_, detaches) => {
    for (const body of [new Uint8Array(3 * 1024 * 1024), new ArrayBuffer(3 * 1024 * 1024)]) {
      const put = left.store.objects.put('box', 'large', body, { checksum: { algorithm: 'CRC32' } })
      changeAll([body], detaches)
      await put
      const bytes = await (await left.store.objects.get('box', 'large')).bytes()
      expect(bytes.length).toBe(3 * 1024 * 1024)
      expect(bytes.every((byte) => byte === 0)).toBe(true)
    }
  })
})
