/** The example of an app with undo and redo. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RestoreResult } from '@varve/core'
import { memoryStore, type Store } from 'varve'

interface Backend {
  save(user: string, files: Readonly<Record<string, string>>): Promise<void>
  remove(user: string, ...keys: string[]): Promise<void>
  undo(): Promise<readonly string[]>
  redo(): Promise<readonly string[]>
  folderAsItWas(prefix: string, when: Date | number): Promise<RestoreResult>
}

const { backend } = (await import(new URL('../../examples/undo/backend.mjs', import.meta.url).href)) as {
  backend(store: Store, bucket: string): Backend
}

let store: Store
let app: Backend

beforeEach(async () => {
  store = await memoryStore({ retentionMs: 1_000_000 })
  await store.buckets.create('notes')
  app = backend(store, 'notes')
  await app.save('ann', { 'letters/a': 'Dear Ann', 'letters/b': 'Dear Bob' })
})
afterEach(() => store.close())

async function files(): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {}
  for await (const entry of store.objects.list('notes'))
    if ('key' in entry) found[entry.key] = await (await store.objects.get('notes', entry.key)).text()
  return found
}

describe('the example of undo and redo', () => {
  it('undoes and redoes each action of a user as a whole', async () => {
    const first = await files()
    await app.save('bob', { 'letters/a': 'nonsense', 'letters/c': 'more' })
    const second = await files()
    await app.remove('bob', 'letters/a', 'letters/b')
    const third = await files()
    expect(await app.undo()).toEqual(['letters/a', 'letters/b'])
    expect(await files()).toEqual(second)
    await app.undo()
    expect(await files()).toEqual(first)
    await app.redo()
    await app.redo()
    expect(await files()).toEqual(third)
    expect(await app.redo()).toEqual([])
  })

  it('puts a folder back as it was', async () => {
    const then = store.seq
    await app.save('bob', { 'letters/a': 'nonsense', 'other/x': 'stays' })
    await app.folderAsItWas('letters/', then)
    expect(await files()).toEqual({ 'letters/a': 'Dear Ann', 'letters/b': 'Dear Bob', 'other/x': 'stays' })
  })
})
