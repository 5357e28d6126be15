import { beforeEach, describe, expect, it } from 'vitest'
import { memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

let store: Store
const upload = { bucket: 'box', key: 'k', uploadId: 'none' }

beforeEach(async () => {
  store = await openEngine(memoryPorts(), { inlineMax: 64 })
  await store.buckets.create('box')
  await store.objects.put('box', 'k', 'v')
})

async function readAll(entries: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of entries);
}

const calls: Readonly<Record<string, () => Promise<unknown>>> = {
  'buckets.create': async () => await store.buckets.create('box'),
  'buckets.head': async () => await store.buckets.head('none'),
  'buckets.settings.get': async () => await store.buckets.settings.get('none', 'Acl'),
  'buckets.settings.put': async () => await store.buckets.settings.put('none', 'Tags', []),
  'objects.get': async () => await store.objects.get('box', 'none'),
  'objects.get with a wrong type': async () => await store.objects.get('box', 1 as never),
  'objects.put': async () => await store.objects.put('none', 'k', 'v'),
  'objects.put, refused in the commit': async () => await store.objects.put('box', 'k', 'v', { ifNoneMatch: '*' }),
  'objects.copy': async () => await store.objects.copy({ bucket: 'box', key: 'none' }, 'box', 'k'),
  'objects.delete': async () => await store.objects.delete('none', 'k'),
  'objects.list': async () => await readAll(store.objects.list('none')),
  'versions.list': async () => await readAll(store.versions.list('none')),
  'uploads.uploadPart': async () => await store.uploads.uploadPart(upload, 1, 'v'),
  'past objects.get': async () => await (await store.at(1)).objects.get('box', 'k'),
  at: async () => await store.at(1000),
  log: async () => await readAll(store.log({ from: -1 })),
  verify: async () => await store.verify({ blobs: 'some' as never }),
}

describe('an error', () => {
  it.each(Object.keys(calls))('shows the function that called %s', async (name) => {
    async function theCallingFunction(): Promise<void> {
      await calls[name]?.()
    }
    const error = await theCallingFunction().catch((thrown: unknown) => thrown)
    expect(error).toHaveProperty('code')
    expect((error as Error).stack).toContain('theCallingFunction')
  })

  it('of a write whose outcome is unknown names no caller, since all calls share it', async () => {
    const ports = memoryPorts()
    const failing = await openEngine(ports)
    await failing.buckets.create('box')
    ports.journal.commit = () => Promise.reject(new Error('the disk is gone'))
    const put = () => failing.objects.put('box', 'k', 'v').catch((thrown: unknown) => thrown)
    const [first, second] = [(await put()) as Error, (await put()) as Error]
    expect(first).toBe(second)
    expect(first).toMatchObject({ code: 'StoreFailed' })
  })
})

describe('a message', () => {
  it.each([
    ['My_Bucket', 'Bucket names consist of a–z'],
    ['ab', 'Bucket names have 3 to 63 characters. "ab" is no bucket name.'],
    ['a..b', '"." stands between letters or digits'],
    ['1.2.3.4', 'IP address'],
    ['xn--box', 'S3 reserves bucket names with "xn--"'],
    ['x'.repeat(1000), '…'],
  ])('states the rule and the bucket name %s that breaks it', async (name, message) => {
    await expect(store.buckets.create(name)).rejects.toMatchObject({
      code: 'InvalidBucketName',
      message: expect.stringContaining(message),
      details: { BucketName: name },
    })
  })

  it('names what there is not', async () => {
    await expect(store.objects.get('box', 'none')).rejects.toThrow('There is no object with the key "none".')
    await expect(store.objects.get('none', 'k')).rejects.toThrow('There is no bucket "none".')
    await expect(store.objects.put('box', 'k'.repeat(2000), 'v')).rejects.toThrow('1 to 1024 bytes in UTF-8, not 2000')
    await expect(store.objects.put('box', '', 'v')).rejects.toThrow('this one is empty')
  })
})
