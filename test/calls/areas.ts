/** The objects whose methods are called, by the names their entries have. */
import type { Keyspace, PastStore } from '@varve/core'
import type { Store } from 'varve'
import type { Entries } from './entries.ts'
import { moduleCalls } from './module-calls.ts'

export type Areas = Readonly<Record<keyof Entries, object>>

/** The keyspace whose methods are called. Nothing else opens it. */
export const openKeyspace = (store: Store): Promise<Keyspace> => store.keyspaces.open('called', { version: 1 })

/** @param past An earlier state of the store. */
export function areasOf(store: Store, past: PastStore, keyspace: Keyspace): Areas {
  const { buckets, objects, versions, uploads, keys, keyspaces, subscriptions, clock, retention, events } = store
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
    subscriptions,
    clock,
    retention,
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
