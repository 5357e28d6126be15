import type { PastStore, Store } from '@varve/core'
import { expect } from 'vitest'
import { type ModelState, modelVersions } from './model.ts'

/** Everything a store shows, compared with what the model says. Bytes are compared where `bytes` says they are kept. */
export async function expectSame(store: Store | PastStore, state: ModelState, bytes: boolean): Promise<void> {
  const buckets = await all(store.buckets.list())
  expect(buckets.map(({ name }) => name)).toEqual([...state.keys()].sort())
  for (const [name, bucket] of state) {
    expect(await store.buckets.getVersioning(name)).toBe(bucket.versioning)
    const versions = modelVersions(bucket)
    const listed = await all(store.versions.list(name))
    expect(
      listed.map((entry) => entry.kind !== 'prefix' && [entry.key, entry.versionId, entry.isLatest, entry.kind]),
    ).toEqual(
      versions.map(({ key, version, isLatest }) => [
        key,
        version.id,
        isLatest,
        version.body === undefined ? 'marker' : 'version',
      ]),
    )
    const current = versions.filter(({ version, isLatest }) => isLatest && version.body !== undefined)
    const objects = await all(store.objects.list(name))
    expect(objects.map((entry) => entry.kind === 'object' && [entry.key, entry.versionId])).toEqual(
      current.map(({ key, version }) => [key, version.id]),
    )
    const rolled = await all(store.objects.list(name, { delimiter: '/' }))
    expect(rolled.map((entry) => (entry.kind === 'prefix' ? entry.prefix : entry.key))).toEqual(
      unique(current.map(({ key }) => key.replace(/\/.*$/s, '/'))),
    )
    if (!bytes) continue
    for (const { key, version } of versions) {
      if (version.body === undefined) continue
      const got = await store.objects.get(name, key, { versionId: version.id })
      expect(await got.text()).toBe(version.body)
    }
  }
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)]

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
