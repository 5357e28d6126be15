/** Whatever the packages export, and whatever methods stores have, is called with values of wrong types or excused. */
import { readFileSync } from 'node:fs'
import { memoryStore } from 'varve'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Areas, areasOf, methodsOf, openAreas } from './areas.ts'
import { type Entries, entries } from './entries.ts'
import { excused, excusedOfStores } from './exports.ts'
import { moduleCalls } from './module-calls.ts'

interface Package {
  readonly name: string
  readonly exports: Readonly<Record<string, unknown>>
}

const entryPoints = ['core', 'adapters', 'http', 'varve'].flatMap((directory) => {
  const url = new URL(`../../packages/${directory}/package.json`, import.meta.url)
  const { name, exports } = JSON.parse(readFileSync(url, 'utf8')) as Package
  return Object.keys(exports)
    .filter((path) => path !== './package.json')
    .map((path) => name + path.slice(1))
})

/** Functions and classes, those of namespaces among them. */
function functionsOf(namespace: object, before = ''): string[] {
  return Object.entries(namespace).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === 'function') return [before + name]
    return isNamespace(value) ? functionsOf(value, `${before}${name}.`) : []
  })
}

const isNamespace = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Reflect.get(value, Symbol.toStringTag) === 'Module'

describe('what is exported', () => {
  it.each(entryPoints)('by %s is called or excused', async (entryPoint) => {
    const names = functionsOf((await import(/* @vite-ignore */ entryPoint)) as object)
    const reasons = excused[entryPoint] ?? {}
    const called = new Set(Object.keys(moduleCalls))
    expect(names.filter((name) => !called.has(name) && !Object.hasOwn(reasons, name))).toEqual([])
    // An excuse for what is called, or is not there, is one too many.
    expect(Object.keys(reasons).filter((name) => called.has(name) || !names.includes(name))).toEqual([])
  })

  it('is all there is in the tables', () => {
    expect(Object.keys(excused).sort()).toEqual([...entryPoints].sort())
  })
})

describe('a store', () => {
  let areas: Areas
  let store: Awaited<ReturnType<typeof memoryStore>>
  beforeAll(async () => {
    store = await memoryStore()
    areas = areasOf(store, await store.at(0), await openAreas(store))
  })
  afterAll(() => store.close())

  it.each(Object.keys(entries) as (keyof Entries)[])('has an entry for each method: %s', (area) => {
    const known = Object.keys(entries[area])
    const missing = methodsOf(areas[area]).filter(
      (name) => !known.includes(name) && !Object.hasOwn(excusedOfStores, `${area}.${name}`),
    )
    expect(missing).toEqual([])
  })

  it('has no object with methods that is no area', async () => {
    const known = new Set<unknown>(Object.values(areas))
    const unknown = (holder: object, before: string) =>
      getters(holder).filter((name) => {
        const value: unknown = Reflect.get(holder, name)
        const isHolder = typeof value === 'object' && value !== null && !Array.isArray(value)
        const hasMethods = isHolder && methodsOf(value).length > 0
        return hasMethods && !known.has(value) && !fresh.has(before + name) && !Object.hasOwn(excusedOfStores, name)
      })
    expect(unknown(store, '')).toEqual([])
    expect(unknown(store.buckets, 'buckets.')).toEqual([])
    expect(unknown(await store.at(0), 'past.')).toEqual([])
  })
})

/** These getters return a new object on each access, so the objects are known by their names. */
const fresh: ReadonlySet<string> = new Set([
  'keys',
  'keyspaces',
  'subscriptions',
  'projections',
  'clock',
  'retention',
  'snapshots',
  'proofs',
  'identities',
  'tasks',
  'past.buckets',
  'past.objects',
  'past.versions',
])

function getters(object: object): string[] {
  const names = new Set<string>(Object.keys(object))
  for (let one: object | null = object; one !== null && one !== Object.prototype; one = Object.getPrototypeOf(one)) {
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(one))) if (get) names.add(name)
  }
  return [...names]
}
