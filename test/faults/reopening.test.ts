/**
 * A store that is closed while LevelDB merges its tables, and opened again, over and over: what a merge left unfinished is
 * neither missed nor held against the store. Buffers are so small that every life merges.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeHashing, openStoreDirectory, randomIds, systemClock } from '@varve/adapters'
import { openEngine, type Store } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { openStore } from 'varve'

const lives = 12
/** Some megabytes in the journal, so that merging takes longer than a life. */
const keys = Array.from({ length: 256 }, (_, i) => `k${i}`)
const bodyOf = (key: string, life = 0): string => `${life} ${key} `.repeat(3000)
/** The least that LevelDB takes for the size of a table. */
const level = { writeBufferSize: 256 * 1024, maxFileSize: 1024 * 1024, compression: false }

/** Opens the store, lets `work` have it, and closes it at once. Resolves with whether its files were as they had been left. */
async function live(path: string, work: (store: Store) => Promise<unknown>): Promise<boolean> {
  const directory = await openStoreDirectory(path, { level })
  const { journal, blobs, witness, reserve, sealed } = directory
  const ports = { journal, blobs, witness, reserve, clock: systemClock, ids: randomIds, hashing: await nodeHashing() }
  const store = await openEngine(ports, { sealed })
  await directory.markReady()
  directory.markSound()
  await work(store)
  await store.close()
  await directory.close()
  return sealed
}

describe('a store that is closed while tables are merged', () => {
  it(`is as it was left, ${lives} times`, async () => {
    const scratch = await mkdtemp(join(tmpdir(), 'varve-reopening-'))
    const path = join(scratch, 'store')
    try {
      await live(path, async ({ buckets, objects }) => {
        await buckets.create('box')
        await Promise.all(keys.map((key) => objects.put('box', key, bodyOf(key))))
      })
      for (let life = 0; life < lives; life++) {
        // One put a life is one table more, until there are enough to be merged with all others.
        const isAsLeft = await live(path, ({ objects }) => objects.put('box', 'last', bodyOf('last', life)))
        expect(isAsLeft, `after ${life} lives`).toBe(true)
      }
      const store = await openStore(path)
      for (const key of keys)
        expect((await (await store.objects.get('box', key)).text()) === bodyOf(key), key).toBe(true)
      expect((await (await store.objects.get('box', 'last')).text()) === bodyOf('last', lives - 1)).toBe(true)
      expect((await store.verify()).divergences).toEqual([])
      await store.close()
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  })
})
