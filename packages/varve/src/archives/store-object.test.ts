/** Objects that are too large for one PUT, here of a few MiB. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore, type Store } from '../index.ts'
import type { ImportedObject } from './import-entry.ts'
import { storeObject } from './store-object.ts'

const mebibyte = 1024 * 1024
const sizes = { wholeMax: 8 * mebibyte, partBytes: 5 * mebibyte }
const bytes = Buffer.alloc(12 * mebibyte, 'some bytes that differ ')
let store: Store

beforeEach(async () => {
  store = await memoryStore()
  await store.buckets.create('box')
})
afterEach(() => store.close())

const objectOf = (read: ImportedObject['read'], size = bytes.length): ImportedObject => ({
  kind: 'object',
  key: 'large',
  size,
  facts: { contentType: 'text/plain', tags: [{ key: 'a', value: 'b' }] },
  read,
})

async function* chunks(end = bytes.length) {
  for (let at = 0; at < end; at += 100_000) yield bytes.subarray(at, Math.min(at + 100_000, end))
}

const uploadsLeft = async (): Promise<number> => (await store.uploads.listPage('box')).entries.length

describe('storeObject', () => {
  it('stores a large object in parts, with its metadata', async () => {
    await storeObject(
      store,
      'box',
      objectOf(() => chunks()),
      { ...sizes, conditions: { ifNoneMatch: '*' } },
    )
    const found = await store.objects.get('box', 'large')
    expect(found).toMatchObject({ partsCount: 3, contentType: 'text/plain', tagCount: 1, size: bytes.length })
    expect(bytes.equals(await found.bytes())).toBe(true)
  })

  it.each<readonly [string, () => AsyncGenerator<Uint8Array>]>([
    [
      'that ends with an error',
      async function* () {
        yield* chunks(7 * mebibyte)
        throw new Error('its digest is wrong')
      },
    ],
    ['that is too short', () => chunks(7 * mebibyte)],
    [
      'that is too long',
      async function* () {
        yield* chunks()
        yield bytes.subarray(0, 1)
      },
    ],
  ])('leaves nothing of a content %s', async (_name, read) => {
    await expect(storeObject(store, 'box', objectOf(read), { ...sizes, conditions: {} })).rejects.toThrow()
    expect(await store.objects.exists('box', 'large')).toBe(false)
    expect(await uploadsLeft()).toBe(0)
  })

  it('leaves an object that was stored meanwhile', async () => {
    async function* slow() {
      yield* chunks()
      await store.objects.put('box', 'large', 'mine')
    }
    const storing = storeObject(store, 'box', objectOf(slow), { ...sizes, conditions: { ifNoneMatch: '*' } })
    await expect(storing).rejects.toMatchObject({ code: 'PreconditionFailed' })
    expect(await (await store.objects.get('box', 'large')).text()).toBe('mine')
    expect(await uploadsLeft()).toBe(0)
  })
})
