import { beforeEach, describe, expect, it } from 'vitest'
import { StorageError } from '../base/errors.ts'
import type { ReadSet } from '../commands/read-set.ts'
import { codeOf, list } from './answers.fixture.ts'
import { memoryPorts } from './memory-ports.fixture.ts'
import type { PastStore } from './past-store.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

let store: Store

const names = async (past: PastStore, delimiter = '') =>
  (await list(past.objects.list('box', { delimiter }))).map((entry) =>
    entry.kind === 'prefix' ? entry.prefix : entry.key,
  )

beforeEach(async () => {
  store = await openEngine(memoryPorts(), { inlineMax: 64, retentionMs: 60_000 })
  await store.buckets.create('box')
})

describe('listing the past', () => {
  it('passes over older versions that are gone without losing the keys behind them', async () => {
    await store.buckets.setVersioning('box', 'Enabled')
    const one = await store.objects.put('box', 'k', 'one')
    const two = await store.objects.put('box', 'k', 'two')
    for (const key of ['x', 'y', 'z']) await store.objects.put('box', key, key)
    const then = store.seq
    for (const { versionId } of [one, two]) await store.versions.delete('box', 'k', versionId)
    expect(await names(await store.at(then))).toEqual(['k', 'x', 'y', 'z'])
  })

  it('passes over what is rolled up without losing the keys behind it', async () => {
    for (const key of ['b/1', 'b/2', 'x', 'y', 'z']) await store.objects.put('box', key, key)
    const then = store.seq
    for (const key of ['b/1', 'b/2']) await store.objects.delete('box', key)
    expect(await names(await store.at(then), '/')).toEqual(['b/', 'x', 'y', 'z'])
  })
})

describe('the past for a caller that is authorised', () => {
  const by = { id: 'bob', name: 'Bob' }

  it('answers as long as the authorisation holds, and is refused afterwards', async () => {
    await store.objects.put('box', 'k', 'v')
    const then = store.seq
    const readSet: ReadSet[number][] = []
    await store.tracking(readSet).buckets.head('box')
    const authorisation = {
      readSet: () => readSet,
      renew: () => Promise.reject(new StorageError('AccessDenied', 'No.')),
    }
    const past = await store.as({ by, authorisation }).at(then)
    expect(await past.objects.head('box', 'k')).toMatchObject({ seq: then })
    await store.buckets.settings.put('box', 'Acl', { owner: 'varve', grants: [] })
    expect(await codeOf(past.objects.head('box', 'k'))).toBe('AccessDenied')
    expect(await codeOf(past.objects.get('box', 'k'))).toBe('AccessDenied')
    expect(await codeOf(past.objects.listPage('box'))).toBe('AccessDenied')
    expect(await codeOf(past.versions.listPage('box'))).toBe('AccessDenied')
    expect(await codeOf(past.buckets.head('box'))).toBe('AccessDenied')
    expect(await codeOf(past.buckets.settings.get('box', 'Acl'))).toBe('AccessDenied')
  })
})
