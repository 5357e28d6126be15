/** Bytes of the past that are lost are never called erased, whatever reads them; bytes that were erased are never called lost. */
import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from './answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

let ports: MemoryPorts
let store: Store

const long = 'long '.repeat(100)

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 64, retentionMs: 60_000 })
  await store.buckets.create('box', { versioning: 'Enabled' })
})

/** How a version with bytes in the blob store comes to be. */
const kinds: Readonly<Record<string, () => Promise<unknown>>> = {
  'an object': () => store.objects.put('box', 'k', long),
  'an object of parts': async () => {
    const upload = await store.uploads.create('box', 'k')
    await store.uploads.complete(upload, [await store.uploads.uploadPart(upload, 1, long)])
  },
}

/** What becomes of the version before its bytes are looked for. */
const fates: Readonly<Record<string, (versionId: string) => Promise<unknown>>> = {
  'still exists': async () => undefined,
  'was overwritten': () => store.objects.put('box', 'k', 'new'),
  'was removed': (versionId) => store.versions.delete('box', 'k', versionId),
}

/** Everything that reads the bytes of a past state, by the position and the id of the version. */
const readers: Readonly<Record<string, (at: number, versionId: string) => Promise<unknown>>> = {
  'a read of the past': async (at) => (await (await store.at(at)).objects.get('box', 'k')).bytes(),
  'a read of a range': async (at) =>
    (await (await store.at(at)).objects.get('box', 'k', { range: { first: 100, last: 110 } })).bytes(),
  'a read by the id of the version': async (at, versionId) =>
    (await (await store.at(at)).objects.get('box', 'k', { versionId })).bytes(),
  'a copy of the past': async (at) => store.objects.copy({ bucket: 'box', key: 'k', at }, 'box', `copy${at}`),
  'a part that is copied': async (at) => {
    const upload = await store.uploads.create('box', 'other')
    return store.uploads.copyPart(upload, 1, { bucket: 'box', key: 'k', at })
  },
  'a read in a fork of the past': async (at) => {
    const fork = `fork${at}-${store.seq}`
    await store.buckets.fork('box', fork, { at })
    return (await store.objects.get(fork, 'k')).bytes()
  },
}

describe.each(Object.keys(kinds))('%s', (kind) => {
  describe.each(Object.keys(fates))('that %s', (fate) => {
    it.each(Object.keys(readers))('is lost, and not erased, for %s', async (reader) => {
      const versionId = await version(kind)
      const at = store.seq
      await fates[fate]?.(versionId)
      ports.blobs.bytes.clear()
      const read = () => Promise.resolve(readers[reader]?.(at, versionId))
      const code = await codeOf(read())
      // A copy of what exists shares the bytes without looking at them.
      expect(['BlobMissing', ...(fate === 'was removed' ? [] : ['no error'])]).toContain(code)
      if (reader.startsWith('a read')) expect(code).toBe('BlobMissing')
    })

    it.each(Object.keys(readers).filter((name) => !name.includes('fork')))(
      'is erased, and not lost, for %s',
      async (reader) => {
        const versionId = await version(kind)
        const at = store.seq
        await fates[fate]?.(versionId)
        await store.erase({ bucket: 'box', key: 'k', live: true })
        expect(ports.blobs.bytes.size).toBe(0)
        expect(await codeOf(Promise.resolve(readers[reader]?.(at, versionId)))).toBe('ObjectErased')
      },
    )
  })
})

/** Resolves with the id of a version of this kind. */
async function version(kind: string): Promise<string> {
  await kinds[kind]?.()
  return (await store.objects.head('box', 'k')).versionId
}

it('a restore lists what is erased, and refuses to call lost bytes erased', async () => {
  await store.objects.put('box', 'erased', long)
  await store.objects.put('box', 'lost', long)
  const at = store.seq
  for (const key of ['erased', 'lost'])
    await store.versions.delete('box', key, (await store.objects.head('box', key)).versionId)
  await store.erase({ bucket: 'box', key: 'erased' })
  expect((await store.restore({ bucket: 'box', to: at, dryRun: true })).erased.map(({ key }) => key)).toEqual([
    'erased',
  ])
  ports.blobs.bytes.clear()
  expect(await codeOf(store.restore({ bucket: 'box', to: at, dryRun: true }))).toBe('BlobMissing')
  expect((await store.restore({ bucket: 'box', prefix: 'erased', to: at, dryRun: true })).erased).toHaveLength(1)
})
