/** The objects whose methods are called, by the names their entries have. */
import { defineProjection, type Keyspace, type OpenProjection, type PastStore } from '@varve/core'
import type { Store } from 'varve'
import type { Entries } from './entries.ts'
import { moduleCalls } from './module-calls.ts'

export type Areas = Readonly<Record<keyof Entries, object>>

/** What is opened so that its methods are called. Nothing else opens it. */
interface OpenedAreas {
  readonly keyspace: Keyspace
  readonly projection: OpenProjection<unknown>
}

const called = defineProjection<number>({
  name: 'called',
  version: 1,
  init: () => 0,
  key: ({ data }) => ('key' in data ? data.key : []),
  on: { VersionAdded: (state) => state + 1 },
})

export async function openAreas(store: Store): Promise<OpenedAreas> {
  const keyspace = await store.keyspaces.open('called', { version: 1 })
  const projection = await store.projections.open(called)
  await projection.caughtUp()
  return { keyspace, projection }
}

/** @param past An earlier state of the store. */
export function areasOf(store: Store, past: PastStore, { keyspace, projection }: OpenedAreas): Areas {
  const {
    buckets,
    objects,
    versions,
    uploads,
    keys,
    keyspaces,
    projections,
    subscriptions,
    clock,
    retention,
    snapshots,
    proofs,
    identities,
    tasks,
    events,
  } = store
  return {
    store,
    buckets,
    settings: buckets.settings,
    objects,
    versions,
    uploads,
    keys,
    keyspaces,
    keyspace,
    projections,
    projection,
    subscriptions,
    clock,
    retention,
    snapshots,
    proofs,
    identities,
    tasks,
    events,
    pastBuckets: past.buckets,
    pastSettings: past.buckets.settings,
    pastObjects: past.objects,
    pastVersions: past.versions,
    modules: moduleCalls,
  }
}

/** Methods of an object, its own and those of its class. */
export function methodsOf(object: object): string[] {
  const names = new Set<string>()
  for (let one: object | null = object; one !== null && one !== Object.prototype; one = Object.getPrototypeOf(one)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(one))) {
      if (typeof value === 'function' && name !== 'constructor') names.add(name)
    }
  }
  return [...names].sort()
}
