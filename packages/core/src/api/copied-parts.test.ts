import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from './answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

let ports: MemoryPorts
let store: Store
/** Done once, as soon as the bucket and then the source were looked up. */
let onceFound: (() => Promise<unknown>) | undefined
let lookups = 0

beforeEach(async () => {
  lookups = 0
  const { journal, ...others } = memoryPorts()
  const snapshot = () => {
    const taken = journal.snapshot()
    const close = async () => {
      await taken.close()
      if (onceFound === undefined || ++lookups < 2) return
      const act = onceFound
      onceFound = undefined
      await act()
    }
    return { ...taken, close }
  }
  ports = { ...others, journal: { ...journal, snapshot } }
  store = await openEngine(ports, { inlineMax: 64 })
  await store.buckets.create('box')
})

describe('a copied part', () => {
  it('has the bytes that met the condition, though the null version was replaced meanwhile', async () => {
    const { etag } = await store.objects.put('box', 'source', 'a'.repeat(100))
    const upload = await store.uploads.create('box', 'k')
    onceFound = () => store.objects.put('box', 'source', 'b'.repeat(100))
    const source = { bucket: 'box', key: 'source', conditions: { ifMatch: [etag] } }
    const part = await store.uploads.copyPart(upload, 1, source)
    expect(part.etag).toBe(etag)
  })

  it('is taken whole from a source that is deleted and swept meanwhile', async () => {
    const { etag } = await store.objects.put('box', 'source', 'a'.repeat(100))
    const upload = await store.uploads.create('box', 'k')
    onceFound = async () => {
      await store.objects.delete('box', 'source')
      await store.sweep()
    }
    const part = await store.uploads.copyPart(upload, 1, { bucket: 'box', key: 'source' })
    expect([part.etag, part.size]).toEqual([etag, 100])
  })
})

describe('a copy into a bucket that is not there', () => {
  it('fails with NoSuchBucket, whatever else is missing', async () => {
    const source = { bucket: 'nowhere', key: 'nothing' }
    const upload = { bucket: 'elsewhere', key: 'k', uploadId: 'none' }
    expect(await codeOf(store.objects.copy(source, 'elsewhere', 'k'))).toEqual('NoSuchBucket')
    await store.buckets.create('nowhere')
    expect(await codeOf(store.objects.copy(source, 'elsewhere', 'k'))).toEqual('NoSuchBucket')
    expect(await codeOf(store.objects.copy(source, 'box', 'k'))).toEqual('NoSuchKey')
    expect(await codeOf(store.uploads.copyPart(upload, 1, source))).toEqual('NoSuchBucket')
  })
})
