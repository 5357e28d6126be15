/** Tags and storage classes that objects are made with, and what copies keep of them. */
import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf, list } from '../api/answers.fixture.ts'
import { memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'

let store: Store

beforeEach(async () => {
  store = await openEngine(memoryPorts(), { inlineMax: 64 })
  await store.buckets.create('box')
})

const tags = [
  { key: 'b', value: '1' },
  { key: 'a', value: '2' },
]
const sorted = [tags[1], tags[0]]
const tagsOf = async (key: string) => (await store.objects.annotations('box', key)).tags

describe('tags', () => {
  it('are kept by key, with objects and with what uploads become', async () => {
    await store.objects.put('box', 'k', 'v', { tags })
    expect(await tagsOf('k')).toEqual(sorted)
    const upload = await store.uploads.create('box', 'assembled', { tags })
    await store.uploads.complete(upload, [await store.uploads.uploadPart(upload, 1, 'v')])
    expect(await tagsOf('assembled')).toEqual(sorted)
    await store.objects.annotate('box', 'k', { kind: 'tags', value: [{ key: 'c', value: '' }, ...tags] })
    expect(await store.objects.head('box', 'k')).toMatchObject({ tagCount: 3 })
    await store.objects.annotate('box', 'k', { kind: 'tags', value: [] })
    expect(await tagsOf('k')).toBeUndefined()
  })

  it('are copied with an object, or replaced, or left behind', async () => {
    await store.objects.put('box', 'k', 'v')
    await store.objects.annotate('box', 'k', { kind: 'tags', value: tags })
    const source = { bucket: 'box', key: 'k' }
    const other = [{ key: 'c', value: '3' }]
    await store.objects.copy(source, 'box', 'kept', { tags: other })
    await store.objects.copy(source, 'box', 'replaced', { taggingDirective: 'REPLACE', tags: other })
    await store.objects.copy(source, 'box', 'left', { taggingDirective: 'REPLACE' })
    expect([await tagsOf('kept'), await tagsOf('replaced'), await tagsOf('left')]).toEqual([sorted, other, undefined])
  })

  it('are refused before anything is taken in', async () => {
    const twice = [...tags, ...tags]
    expect(await codeOf(store.objects.put('box', 'k', 'v', { tags: twice }))).toBe('InvalidTag')
    expect(await codeOf(store.uploads.create('box', 'k', { tags: twice }))).toBe('InvalidTag')
    await store.objects.put('box', 'k', 'v')
    expect(await codeOf(store.objects.annotate('box', 'k', { kind: 'tags', value: twice }))).toBe('InvalidTag')
    expect(await codeOf(store.buckets.settings.put('box', 'Tags', twice))).toBe('InvalidTag')
  })
})

describe('a storage class', () => {
  it('is kept and shown, unless it is the default', async () => {
    await store.objects.put('box', 'cold', 'v', { storageClass: 'GLACIER' })
    await store.objects.put('box', 'plain', 'v', { storageClass: 'STANDARD' })
    const upload = await store.uploads.create('box', 'open', { storageClass: 'ONEZONE_IA' })
    expect(upload).toMatchObject({ storageClass: 'ONEZONE_IA' })
    expect((await store.uploads.listPage('box')).entries).toMatchObject([{ storageClass: 'ONEZONE_IA' }])
    expect(await store.objects.head('box', 'cold')).toMatchObject({ storageClass: 'GLACIER' })
    const [cold, plain] = await list(store.objects.list('box'))
    expect(cold).toMatchObject({ storageClass: 'GLACIER' })
    expect(plain).not.toHaveProperty('storageClass')
    expect(await (await store.objects.get('box', 'cold')).text()).toBe('v')
  })

  it('is no reason to refuse a copy onto itself, and is not copied', async () => {
    await store.objects.put('box', 'k', 'v', { storageClass: 'GLACIER' })
    const source = { bucket: 'box', key: 'k' }
    expect(await codeOf(store.objects.copy(source, 'box', 'k'))).toBe('InvalidRequest')
    await store.objects.copy(source, 'box', 'k', { storageClass: 'STANDARD_IA' })
    expect(await store.objects.head('box', 'k')).toMatchObject({ storageClass: 'STANDARD_IA' })
    await store.objects.copy(source, 'box', 'other')
    expect(await store.objects.head('box', 'other')).not.toHaveProperty('storageClass')
  })

  it('is one of the words S3 has', async () => {
    expect(await codeOf(store.objects.put('box', 'k', 'v', { storageClass: 'OUTPOSTS' }))).toBe('InvalidStorageClass')
  })
})

describe('a website redirect', () => {
  it('belongs to one object: a copy has it only on request, and the request is a change', async () => {
    await store.objects.put('box', 'k', 'v', { websiteRedirectLocation: '/there', contentType: 'text/plain' })
    const source = { bucket: 'box', key: 'k' }
    await store.objects.copy(source, 'box', 'other')
    expect(await store.objects.head('box', 'other')).not.toHaveProperty('websiteRedirectLocation')
    await store.objects.copy(source, 'box', 'k', { websiteRedirectLocation: '/there' })
    expect(await store.objects.head('box', 'k')).toMatchObject({
      contentType: 'text/plain',
      websiteRedirectLocation: '/there',
    })
  })
})
