import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from './answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

let ports: MemoryPorts
let store: Store

const textOf = async (key: string) => (await store.objects.get('box', key)).text()
const inline = 'short'
const long = 'long '.repeat(100)

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 64, retentionMs: 60_000 })
  await store.buckets.create('box')
})

describe('a copy of an object as it was', () => {
  it.each([
    ['short', inline],
    ['long', long],
    ['empty', ''],
  ])('has its bytes, metadata and tags: %s', async (_, body) => {
    const tags = [{ key: 'stage', value: 'then' }]
    const { seq } = await store.objects.put('box', 'k', body, { metadata: { colour: 'blue' }, tags })
    await store.objects.put('box', 'k', 'new')
    const copied = await store.objects.copy({ bucket: 'box', key: 'k', at: seq }, 'box', 'copy')
    expect(await textOf('copy')).toBe(body)
    expect(await store.objects.head('box', 'copy')).toMatchObject({ metadata: { colour: 'blue' } })
    expect((await store.objects.annotations('box', 'copy')).tags).toEqual(tags)
    expect(copied.sourceVersionId).toBe('null')
  })

  it('has the tags that the object had then', async () => {
    await store.buckets.setVersioning('box', 'Enabled')
    await store.objects.put('box', 'k', inline)
    const tags = [{ key: 'stage', value: 'then' }]
    await store.objects.annotate('box', 'k', { kind: 'tags', value: tags })
    const then = store.seq
    await store.objects.annotate('box', 'k', { kind: 'tags' })
    await store.objects.copy({ bucket: 'box', key: 'k', at: then }, 'box', 'copy')
    expect((await store.objects.annotations('box', 'copy')).tags).toEqual(tags)
  })

  it('puts the object back, in place of what is there now or of nothing', async () => {
    const { seq } = await store.objects.put('box', 'k', long)
    await store.objects.copy({ bucket: 'box', key: 'k', at: seq }, 'box', 'k')
    await store.objects.put('box', 'k', 'new')
    await store.objects.copy({ bucket: 'box', key: 'k', at: seq }, 'box', 'k')
    expect(await textOf('k')).toBe(long)
    await store.objects.delete('box', 'k')
    await store.buckets.delete('box')
    await store.buckets.create('box')
    await store.objects.copy({ bucket: 'box', key: 'k', at: String(seq) }, 'box', 'k')
    expect(await textOf('k')).toBe(long)
  })

  it('keeps its bytes when those of the source are erased', async () => {
    const { seq } = await store.objects.put('box', 'k', long)
    await store.objects.delete('box', 'k')
    await store.objects.copy({ bucket: 'box', key: 'k', at: seq }, 'box', 'copy')
    ports.clock.time += 120_000
    await store.sweep({ orphans: true })
    expect(await textOf('copy')).toBe(long)
    expect((await store.verify()).ok).toBe(true)
  })

  it('is refused when the bytes were erased, and leaves nothing', async () => {
    const { seq } = await store.objects.put('box', 'k', long)
    await store.objects.delete('box', 'k')
    ports.clock.time += 120_000
    await store.sweep()
    const end = store.seq
    expect(await codeOf(store.objects.copy({ bucket: 'box', key: 'k', at: seq }, 'box', 'copy'))).toBe('ObjectErased')
    expect(store.seq).toBe(end)
  })

  it('is a part of an upload, or a range of one', async () => {
    const { seq } = await store.objects.put('box', 'k', long)
    await store.objects.delete('box', 'k')
    const upload = await store.uploads.create('box', 'whole')
    const range = { start: 5, end: 10 }
    const part = await store.uploads.copyPart(upload, 1, { bucket: 'box', key: 'k', at: seq, range })
    await store.uploads.complete(upload, [part])
    expect(await textOf('whole')).toBe('long ')
  })

  it('is refused for moments and objects that were not there', async () => {
    await store.objects.put('box', 'k', inline)
    const copy = (at: never) => codeOf(store.objects.copy({ bucket: 'box', key: 'k', at }, 'box', 'copy'))
    expect(await copy(0 as never)).toBe('NoSuchBucket')
    expect(await copy(1 as never)).toBe('NoSuchKey')
    expect(await copy(99 as never)).toBe('MomentOutOfRange')
    expect(await copy('before-import' as never)).toBe('NoSuchSnapshot')
    for (const wrong of [-1, 1.5, 'Yesterday', {}, null]) expect(await copy(wrong as never)).toBe('InvalidArgument')
  })
})

describe('names of buckets as they were', () => {
  it('are not given to new buckets', async () => {
    for (const name of ['box--at-5', 'x--at-20261120t100000z', 'x--at-before-import']) {
      expect(await codeOf(store.buckets.create(name))).toBe('InvalidBucketName')
    }
    await store.buckets.create('box--at-yesterday')
  })
})

describe('the position of a command', () => {
  it('is told to the caller that sent it', async () => {
    const seqs: number[] = []
    const caller = store.as({ by: { id: 'ann', name: 'Ann' }, committed: (seq) => seqs.push(seq) })
    const { seq } = await caller.objects.put('box', 'k', inline)
    await caller.objects.head('box', 'k')
    await store.objects.put('box', 'other', inline)
    await caller.objects.delete('box', 'k')
    await caller.objects.delete('box', 'k')
    await caller.objects.put('box', 'k', inline, { ifMatch: 'x' }).catch(() => undefined)
    expect(seqs).toEqual([seq, seq + 2])
  })
})
