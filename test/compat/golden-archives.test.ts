/** Archives that earlier releases wrote: each stays readable as it was. `UPDATE_GOLDEN=1` writes that of a new format. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  createKeyring,
  exportArchive,
  exportStore,
  importArchive,
  importStore,
  memoryStore,
  openStore,
  type Store,
  verifyArchive,
} from 'varve'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

const pathOf = (name: string): string => fileURLToPath(new URL(`archives/${name}`, import.meta.url))
const formats = ['bucket-1.varve']

/** What is in the archive of format 1: the texts of the versions of each key, the oldest first. */
const versions: Readonly<Record<string, readonly string[]>> = {
  a: ['before versioning', 'two', '(deleted)', 'four'],
  'a/b': ['beneath a'],
  'a//': ['odd'],
  '../up': ['inside'],
  'ü/日本.txt': ['text'],
  [`${'long'.repeat(100)}/x`]: ['long'],
}

async function makeArchive(path: string): Promise<void> {
  const store = await memoryStore()
  await store.buckets.create('golden')
  await store.objects.put('golden', 'a', 'before versioning')
  await store.buckets.setVersioning('golden', 'Enabled')
  await store.buckets.settings.put('golden', 'Tags', [{ key: 'team', value: 'blue' }])
  for (const [key, texts] of Object.entries(versions)) {
    for (const text of key === 'a' ? texts.slice(1) : texts) {
      if (text === '(deleted)') await store.objects.delete('golden', key)
      else await store.objects.put('golden', key, text, { contentType: 'text/plain', metadata: { by: 'Ann' } })
    }
  }
  await store.objects.annotate('golden', 'a', { kind: 'tags', value: [{ key: 'kind', value: 'letter' }] })
  await exportArchive(store, path, { bucket: 'golden', withHistory: true })
  await store.close()
}

async function textsOf(store: Store, key: string): Promise<string[]> {
  const texts: string[] = []
  for await (const entry of store.versions.list('golden', { prefix: key })) {
    if (entry.kind === 'prefix' || entry.key !== key) continue
    const isMarker = entry.kind === 'marker'
    texts.unshift(isMarker ? '(deleted)' : await (await store.versions.get('golden', key, entry.versionId)).text())
  }
  return texts
}

describe.each(formats)('the archive %s', (name) => {
  const path = pathOf(name)

  it('is sound', async () => {
    if (process.env['UPDATE_GOLDEN'] === '1' && !existsSync(path)) await makeArchive(path)
    expect(await verifyArchive(path)).toMatchObject({
      bucket: { name: 'golden' },
      history: true,
      objects: 8,
      markers: 1,
    })
  })

  it('comes back with every version, and what belongs to it', async () => {
    const store = await memoryStore()
    await importArchive(store, path)
    for (const [key, texts] of Object.entries(versions)) expect(await textsOf(store, key), key).toEqual(texts)
    const { contentType, metadata, tagCount } = await store.objects.head('golden', 'a')
    expect({ contentType, by: metadata['by'], tagCount }).toEqual({ contentType: 'text/plain', by: 'Ann', tagCount: 1 })
    expect(await store.buckets.settings.get('golden', 'Tags')).toEqual([{ key: 'team', value: 'blue' }])
    await store.close()
  })
})

/** Closed when the test has ended. */
const kept: { close(): Promise<void> }[] = []
function closing<S extends { close(): Promise<void> }>(opened: S): S {
  kept.push(opened)
  return opened
}
afterEach(async () => {
  for (const opened of kept.splice(0)) await opened.close()
})

const storeFormats = ['store-1.varve']
const keyring = createKeyring({ master: [Buffer.alloc(32, 7).toString('base64')] })
const long = 'longer than what is inline. '.repeat(1300)

async function makeStoreArchive(path: string): Promise<void> {
  const store = await memoryStore({ keyring, retentionMs: 1_000_000 })
  await store.buckets.create('golden', { versioning: 'Enabled' })
  await store.buckets.settings.put('golden', 'Tags', [{ key: 'team', value: 'blue' }])
  await store.objects.put('golden', 'short', 'one')
  await store.objects.put('golden', 'short', 'two')
  await store.objects.put('golden', 'long', long)
  await store.objects.put('golden', 'sealed', 'secret', { encryption: { mode: 'AES256' } })
  await store.objects.put('golden', 'sealed-long', long, { encryption: { mode: 'AES256' } })
  const upload = await store.uploads.create('golden', 'parts')
  await store.uploads.complete(upload, [await store.uploads.uploadPart(upload, 1, long)])
  await store.snapshots.create('golden-snapshot')
  await store.objects.put('golden', 'erased', long)
  await store.erase({ bucket: 'golden', key: 'erased', live: true })
  await store.objects.delete('golden', 'short')
  await exportStore(store, path)
  await store.close()
}

describe.each(storeFormats)('the archive %s of a whole store', (name) => {
  const path = pathOf(name)
  let scratch: string

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'varve-golden-'))
    if (process.env['UPDATE_GOLDEN'] === '1' && !existsSync(path)) await makeStoreArchive(path)
  })
  afterAll(() => rm(scratch, { recursive: true, force: true }))

  const imported = async (dir: string, options: Parameters<typeof importStore>[2] = {}) => {
    await importStore(path, join(scratch, dir), options)
    return openStore(join(scratch, dir), { keyring, retentionMs: 1_000_000 })
  }

  it('is sound', async () => {
    expect(await verifyArchive(path)).toMatchObject({ contents: 'store', blobs: 3, absent: 1 })
  })

  it('comes back with its log, its versions and its bytes', async () => {
    const store = closing(await imported('whole'))
    const { seq } = await verifyArchive(path)
    expect(store.seq).toBe(seq + 1)
    for (const [key, text] of Object.entries({ long, sealed: 'secret', 'sealed-long': long, parts: long }))
      expect(await (await store.objects.get('golden', key)).text()).toBe(text)
    expect(await textsOf(store, 'short')).toEqual(['one', 'two', '(deleted)'])
    expect((await store.verify()).divergences).toEqual([])
  })

  it('comes back as of a snapshot', async () => {
    const store = closing(await imported('then', { at: 'golden-snapshot' }))
    expect(await textsOf(store, 'short')).toEqual(['one', 'two'])
    expect(await store.objects.exists('golden', 'erased')).toBe(false)
  })
})
