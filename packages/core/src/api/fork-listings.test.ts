/** Pages of listings of forks: wherever a page begins and ends, nothing is missing or shown twice. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { compareKeys } from '../bytes/compare-keys.ts'
import { list } from './answers.fixture.ts'
import { memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { PastStore } from './past-store.ts'
import type { Store } from './store.ts'

const keys = ['a', 'a/1', 'a/2', 'a/b/1', 'a0', 'b/', 'b/x', 'b/y/1', 'c', '\u{10FFFF}', '\uFFFF']
const chosen = [0, 3, 6, 9, 2, 5, 8, 1, 4, 7, 10]
/** What a page shows of an entry. */
type Shown = string

let store: Store
let past: PastStore

beforeAll(async () => {
  store = await openEngine(memoryPorts(), { inlineMax: 100 })
  const { buckets, objects, versions } = store
  const key = (i: number): string => keys[(chosen[i % chosen.length] as number) % keys.length] as string
  await buckets.create('base', { versioning: 'Enabled' })
  for (let i = 0; i < 22; i++) await objects.put('base', key(i), `base ${i}`)
  await buckets.fork('base', 'fork')
  for (let i = 0; i < 30; i++) await objects.put('base', key(i), 'later')
  for (let i = 0; i < 5; i++) await objects.delete('fork', key(i))
  for (let i = 3; i < 8; i++) await objects.put('fork', key(i), `fork ${i}`)
  await objects.put('fork', 'a/own', 'own')
  await buckets.fork('fork', 'again')
  for (const entry of (await list(versions.list('again'))).filter((_, i) => i % 4 === 0)) {
    if (entry.kind !== 'prefix') await versions.delete('again', entry.key, entry.versionId)
  }
  for (let i = 6; i < 11; i++) await objects.put('again', key(i), `again ${i}`)
  past = await store.at(store.seq)
  for (const entry of await list(versions.list('again'))) {
    if (entry.kind !== 'prefix') await versions.delete('again', entry.key, entry.versionId)
  }
})

interface Options {
  readonly bucket: string
  readonly prefix: string
  readonly delimiter: string
  readonly limit: number
  readonly isNow: boolean
}

const options = fc.record({
  bucket: fc.constantFrom('fork', 'again'),
  prefix: fc.constantFrom('', 'a', 'a/', 'b/', 'z'),
  delimiter: fc.constantFrom('', '/'),
  limit: fc.integer({ min: 1, max: 4 }),
  /** The newest state of the fork that has not changed since. */
  isNow: fc.boolean(),
})

const viewOf = ({ bucket, isNow }: Pick<Options, 'bucket' | 'isNow'>): PastStore | Store =>
  isNow && bucket === 'fork' ? store : past

/** The entries of a whole listing, with common prefixes in place of keys. */
function rolledUp(all: readonly (readonly [key: string, id: string])[], { prefix, delimiter }: Options): Shown[] {
  const shown: Shown[] = []
  for (const [key, id] of all) {
    if (!key.startsWith(prefix)) continue
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    const entry = end < 0 ? `${key} ${id}` : key.slice(0, end + 1)
    if (shown.at(-1) !== entry) shown.push(entry)
  }
  return shown
}

const everything = async (bucket: string) =>
  (await list(past.versions.list(bucket))).flatMap((entry) =>
    entry.kind === 'prefix' ? [] : [[entry.key, entry.versionId] as const],
  )

describe('pages of a fork', () => {
  it('of versions have all of them, in order', async () => {
    const whole = await everything('again')
    expect(whole.length).toBeGreaterThan(20)
    expect(whole.map(([key]) => key)).toEqual(whole.map(([key]) => key).toSorted(compareKeys))
    await fc.assert(
      fc.asyncProperty(options, async (chosenOptions) => {
        const { bucket, isNow: _isNow, ...given } = chosenOptions
        const shown: Shown[] = []
        let markers = {}
        for (;;) {
          const page = await viewOf(chosenOptions).versions.listPage(bucket, { ...given, ...markers })
          for (const entry of page.entries) {
            shown.push(entry.kind === 'prefix' ? entry.prefix : `${entry.key} ${entry.versionId}`)
          }
          if (!page.isTruncated || page.last === undefined) break
          const { key, versionId } = page.last
          markers = { keyMarker: key, ...(versionId !== undefined && { versionIdMarker: versionId }) }
        }
        expect(shown).toEqual(rolledUp(await everything(bucket), chosenOptions))
      }),
    )
  })

  it('of objects have the newest of each key, unless that is a delete marker', async () => {
    await fc.assert(
      fc.asyncProperty(options, async (chosenOptions) => {
        const { bucket, isNow: _isNow, ...given } = chosenOptions
        const current: [string, string][] = []
        for (const key of [...keys, 'a/own'].toSorted(compareKeys)) {
          const found = await past.objects.head(bucket, key).catch(() => undefined)
          if (found !== undefined) current.push([key, found.versionId])
        }
        const shown: Shown[] = []
        let after = ''
        for (;;) {
          const page = await viewOf(chosenOptions).objects.listPage(bucket, { ...given, after })
          for (const entry of page.entries) {
            shown.push(entry.kind === 'prefix' ? entry.prefix : `${entry.key} ${entry.versionId}`)
          }
          if (page.nextAfter === undefined) break
          after = page.nextAfter
        }
        expect(shown).toEqual(rolledUp(current, chosenOptions))
      }),
    )
  })

  it('of a fork that hides everything are empty', async () => {
    expect((await store.objects.listPage('again', { limit: 1 })).entries).toEqual([])
    expect(await store.versions.listPage('again', { limit: 1 })).toEqual({ entries: [], isTruncated: false })
  })
})
