import { beforeEach, describe, expect, it } from 'vitest'
import { type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine, type Store } from './store.ts'

let ports: MemoryPorts
let store: Store
/** Done once, as soon as something was looked up. */
let afterNextLookup: (() => Promise<unknown>) | undefined

beforeEach(async () => {
  const { journal, ...others } = memoryPorts()
  const snapshot = () => {
    const taken = journal.snapshot()
    const close = async () => {
      await taken.close()
      const next = afterNextLookup
      afterNextLookup = undefined
      await next?.()
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
    afterNextLookup = () => store.objects.put('box', 'source', 'b'.repeat(100))
    const source = { bucket: 'box', key: 'source', conditions: { ifMatch: [etag] } }
    const part = await store.uploads.copyPart(upload, 1, source)
    expect(part.etag).toBe(etag)
  })

  it('is taken whole from a source that is deleted and swept meanwhile', async () => {
    const { etag } = await store.objects.put('box', 'source', 'a'.repeat(100))
    const upload = await store.uploads.create('box', 'k')
    afterNextLookup = async () => {
      await store.objects.delete('box', 'source')
      await store.sweep()
    }
    const part = await store.uploads.copyPart(upload, 1, { bucket: 'box', key: 'source' })
    expect([part.etag, part.size]).toEqual([etag, 100])
  })
})
