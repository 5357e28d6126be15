import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from './answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'
import { garbageTable, shareTable } from '../views/content-tables.ts'
import { inlineTable } from '../views/tables.ts'

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

describe('the bytes of copies from the past', () => {
  const blobs = () => ports.blobs.bytes.size
  const copyOf = (at: number) => codeOf(store.objects.copy({ bucket: 'box', key: 'k', at }, 'box', 'copy'))

  it('are those of the source, with its ETag and its parts', async () => {
    const upload = await store.uploads.create('box', 'k')
    const parts = [await store.uploads.uploadPart(upload, 1, long)]
    const { seq, etag } = await store.uploads.complete(upload, parts)
    await store.objects.delete('box', 'k')
    const before = blobs()
    await store.objects.copy({ bucket: 'box', key: 'k', at: seq }, 'box', 'copy')
    expect(blobs()).toBe(before)
    expect(await store.objects.head('box', 'copy')).toMatchObject({ etag, size: long.length })
    expect(await textOf('copy')).toBe(long)
  })

  it('are not shared where they are lost, which is not called an erasure', async () => {
    const { seq } = await store.objects.put('box', 'k', long)
    await store.objects.delete('box', 'k')
    ports.blobs.bytes.clear()
    const end = store.seq
    expect(await copyOf(seq)).toBe('BlobMissing')
    expect(store.seq).toBe(end)
  })

  it('are not shared while a sweep erases them, and not erased while they are about to be shared', async () => {
    const erasing = gate()
    const committing = gate()
    const { blobs: bytes, journal } = ports
    const stalled = {
      ...ports,
      blobs: { ...bytes, delete: (ids: readonly string[]) => erasing.passed().then(() => bytes.delete(ids)) },
      journal: {
        ...journal,
        commit: (...given: Parameters<typeof journal.commit>) =>
          committing.passed().then(() => journal.commit(...given)),
      },
    }
    store = await openEngine(stalled, { inlineMax: 64, retentionMs: 60_000 })
    const { seq } = await store.objects.put('box', 'k', long)
    await store.objects.delete('box', 'k')
    ports.clock.time += 120_000

    committing.close()
    const copying = copyOf(seq)
    await turns()
    expect(await store.sweep()).toEqual({ erased: 0, orphans: 0 })
    committing.open()
    expect(await copying).toBe('no error')
    expect(await textOf('copy')).toBe(long)

    await store.objects.delete('box', 'copy')
    ports.clock.time += 120_000
    erasing.close()
    const sweeping = store.sweep()
    await turns()
    const late = copyOf(seq)
    await turns()
    erasing.open()
    expect(await sweeping).toEqual({ erased: 1, orphans: 0 })
    expect(await late).toBe('ObjectErased')
    expect((await store.verify()).divergences).toEqual([])
  })

  it.each([
    ['blobs', 64],
    ['inline', 8192],
  ])('are there exactly as long as somebody needs them: %s', async (_, inlineMax) => {
    for (let seed = 1; seed <= 12; seed++) await live(seed, inlineMax)
  })

  /** Writes, removes, copies and sweeps at random; what can be read is compared with what was written. */
  async function live(seed: number, inlineMax: number): Promise<void> {
    ports = memoryPorts()
    store = await openEngine(ports, { inlineMax, retentionMs: 60_000 })
    await store.buckets.create('box')
    const below = randomBelow(seed)
    const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T
    const keys = ['a', 'b', 'c']
    let now: ReadonlyMap<string, string> = new Map()
    const states: { readonly seq: number; readonly objects: ReadonlyMap<string, string> }[] = []
    for (let step = 0; step < 60; step++) {
      const key = pick(keys)
      const next = new Map(now)
      const past = pick([...states, { seq: store.seq, objects: now }])
      const from = pick(keys)
      switch (pick(['put', 'upload', 'delete', 'delete', 'copy', 'copy', 'copy', 'wait', 'sweep'])) {
        case 'put':
          next.set(key, `${step} ${long}`)
          await store.objects.put('box', key, `${step} ${long}`)
          break
        case 'upload': {
          const upload = await store.uploads.create('box', key)
          const part = await store.uploads.uploadPart(upload, 1, `part ${step} ${long}`)
          await store.uploads.complete(upload, [part])
          next.set(key, `part ${step} ${long}`)
          break
        }
        case 'delete':
          next.delete(key)
          await store.objects.delete('box', key)
          break
        case 'copy': {
          const body = past.objects.get(from)
          const code = await codeOf(store.objects.copy({ bucket: 'box', key: from, at: past.seq }, 'box', key))
          expect(code).toBe(await codeOf((await store.at(past.seq)).objects.get('box', from)))
          if (body === undefined) expect(code).toBe('NoSuchKey')
          else expect(['ObjectErased', 'no error']).toContain(code)
          if (code === 'no error' && body !== undefined) next.set(key, body)
          break
        }
        case 'wait':
          ports.clock.time += 30_000
          break
        default:
          await store.sweep({ orphans: true })
      }
      now = next
      states.push({ seq: store.seq, objects: now })
      for (const [name, body] of now) expect([seed, step, await textOf(name)]).toEqual([seed, step, body])
    }
    expect((await store.verify()).divergences).toEqual([])
    for (const key of keys) await store.objects.delete('box', key)
    ports.clock.time += 60_001
    await store.sweep()
    expect([seed, blobs()]).toEqual([seed, 0])
    const ofBytes = [shareTable.key('').bytes[0], garbageTable.range.gte[0], inlineTable.range.gte[0]]
    expect([...ports.journal.rows.values()].filter(([key]) => ofBytes.includes(key[0]))).toEqual([])
  }
})

/** Whole numbers below a bound, always the same for a seed. */
function randomBelow(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Lets calls pass, unless it is closed; then they wait until it opens. */
function gate() {
  let opened: Promise<void> = Promise.resolve()
  let open: () => void = () => undefined
  return {
    passed: () => opened,
    open: () => open(),
    close() {
      opened = new Promise((resolve) => {
        open = resolve
      })
    },
  }
}

async function turns(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
}
