/** Archives that earlier releases wrote: each is read as it was, for ever. `UPDATE_GOLDEN=1` writes that of a new format. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { exportArchive, importArchive, memoryStore, type Store, verifyArchive } from 'varve'
import { describe, expect, it } from 'vitest'

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
