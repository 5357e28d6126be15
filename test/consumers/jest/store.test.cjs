const { mkdtempSync, rmSync } = require('node:fs')
const { tmpdir } = require('node:os')
const { join } = require('node:path')
const { isStorageError, openStore } = require('varve')
const { startS3 } = require('varve/testing')

let s3
beforeAll(async () => (s3 = await startS3({ buckets: ['photos'] })))
afterEach(() => s3.reset())
afterAll(() => s3.stop())

test('stores an object, and forgets it after the test', async () => {
  await s3.store.objects.put('photos', 'cat.txt', 'a small cat')
  const answer = await fetch(`${s3.url}/photos/cat.txt`)
  expect(answer.status).toBe(403)
  expect(await (await s3.store.objects.get('photos', 'cat.txt')).text()).toBe('a small cat')
})

test('starts with what was there at the beginning', async () => {
  expect((await s3.store.objects.listPage('photos')).entries).toEqual([])
})

test('opens a store in a directory', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'store-'))
  const store = await openStore(dir)
  const refused = await store.objects.get('photos', 'cat.txt').catch((error) => error)
  expect(isStorageError(refused, 'NoSuchBucket')).toBe(true)
  await store.close()
  rmSync(dir, { recursive: true })
})
