import { describe, expect, it } from 'vitest'
import { memoryStore } from '../index.ts'

describe('memoryStore', () => {
  it('is a whole store without a directory', async () => {
    const store = await memoryStore({ inlineMax: 4 })
    await store.buckets.create('photos')
    await store.objects.put('photos', 'small', 'tiny')
    await store.objects.put('photos', 'large', 'not so tiny')
    expect(await (await store.objects.get('photos', 'large')).text()).toBe('not so tiny')
    expect(store.dir).toBeUndefined()
    expect(await store.verify()).toMatchObject({ ok: true, events: 4, blobs: 2 })
    await store.close()
    await expect(store.buckets.head('photos')).rejects.toMatchObject({ code: 'StoreClosed' })
  })

  it('shares nothing with another', async () => {
    const [one, two] = [await memoryStore(), await memoryStore()]
    await one.buckets.create('photos')
    await expect(two.buckets.head('photos')).rejects.toMatchObject({ code: 'NoSuchBucket' })
    expect(one.storeId).not.toBe(two.storeId)
    await Promise.all([one.close(), two.close()])
  })

  it('takes impossible options for the mistake they are', async () => {
    await expect(memoryStore({ groupMax: 0 })).rejects.toMatchObject({ code: 'InvalidArgument' })
  })
})
