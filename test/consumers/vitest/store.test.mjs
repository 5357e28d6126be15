import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startS3 } from 'varve/testing'

let s3
beforeAll(async () => (s3 = await startS3({ buckets: ['photos'] })))
afterEach(() => s3.reset())
afterAll(() => s3.stop())

test('stores an object, and forgets it after the test', async () => {
  await s3.store.objects.put('photos', 'cat.txt', 'a small cat')
  expect(await (await s3.store.objects.get('photos', 'cat.txt')).text()).toBe('a small cat')
})

test('starts with what was there at the beginning', async () => {
  expect((await s3.store.objects.listPage('photos')).entries).toEqual([])
})
