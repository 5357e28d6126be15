import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf, list } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryJournal, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import type { MergeRequest } from '../api/types/index.ts'

let ports: MemoryPorts
let store: Store

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 8, retentionMs: 1_000_000_000 })
  await store.buckets.create('box')
})

const put = (bucket: string, key: string, body = `the bytes of ${key}`) => store.objects.put(bucket, key, body)
const text = async (bucket: string, key: string) => (await store.objects.get(bucket, key)).text()
const fork = () => store.buckets.fork('box', 'try')
const merge = (options: Partial<MergeRequest> = {}) => store.merge({ fork: 'try', ...options })
const actions = async (options: Partial<MergeRequest> = {}) =>
  (await merge(options)).entries.map(({ action, key }) => `${action} ${key}`)
const isWhole = async () => expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ ok: true })

/** What clients get of a bucket: each key with its bytes, metadata and tags. */
async function contentsOf(bucket: string): Promise<Readonly<Record<string, unknown>>> {
  const found: Record<string, unknown> = {}
  for (const { key } of (await list(store.objects.list(bucket))) as { key: string }[]) {
    const { metadata } = await store.objects.head(bucket, key)
    const { tags = [] } = await store.objects.annotations(bucket, key)
    found[key] = [await text(bucket, key), { ...metadata }, tags]
  }
  return found
}

describe.each(['never set', 'Enabled', 'Suspended'] as const)('a merge where versioning is %s', (versioning) => {
  beforeEach(async () => {
    if (versioning !== 'never set') await store.buckets.setVersioning('box', versioning)
  })

  it('gives the base what the fork changed, and moves no bytes', async () => {
    for (const key of ['changed', 'deleted', 'same', 'tagged']) await put('box', key)
    await fork()
    await put('try', 'added')
    await put('try', 'changed', 'other bytes, longer')
    await store.objects.delete('try', 'deleted')
    await store.objects.annotate('try', 'tagged', { kind: 'tags', value: [{ key: 'k', value: 'v' }] })
    await put('box', 'of the base')
    const blobs = ports.blobs.bytes.size
    const expected = ['add added', 'add changed', 'remove deleted', 'annotate tagged']
    const before = await contentsOf('box')
    expect(await actions({ dryRun: true })).toEqual(expected)
    expect(await contentsOf('box')).toEqual(before)
    expect(await actions()).toEqual(expected)
    expect(await contentsOf('box')).toEqual({ ...(await contentsOf('try')), 'of the base': before['of the base'] })
    expect(ports.blobs.bytes.size).toBe(blobs)
    await isWhole()
  })

  it('changes nothing a second time, and can be undone', async () => {
    for (const key of ['a', 'b']) await put('box', key)
    await fork()
    await put('try', 'a', 'changed in the fork')
    await store.objects.delete('try', 'b')
    const before = await contentsOf('box')
    const { id } = await merge()
    const end = store.seq
    expect(await merge()).toMatchObject({ entries: [], conflicts: [], refused: [], erased: [] })
    expect(store.seq).toBe(end)
    await store.undo({ requestId: id as string })
    expect(await contentsOf('box')).toEqual(before)
    await isWhole()
  })

  it('refuses what both changed, with both versions, unless told to skip or to force it', async () => {
    for (const key of ['a', 'b', 'c', 'd']) await put('box', key)
    await fork()
    const ofFork = (await put('try', 'a', 'of the fork')).versionId
    const ofBase = (await put('box', 'a', 'of the base')).versionId
    await store.objects.delete('try', 'b')
    await put('box', 'b', 'of the base')
    await put('try', 'c', 'of the fork')
    for (const bucket of ['box', 'try']) await store.objects.delete(bucket, 'd')
    const end = store.seq
    expect(await codeOf(merge())).toBe('MergeConflict')
    expect(store.seq).toBe(end)
    const { conflicts, entries } = await merge({ dryRun: true })
    expect(conflicts).toMatchObject([
      { key: 'a', before: { size: 14 }, fork: { versionId: ofFork }, base: { versionId: ofBase } },
      { key: 'b', before: { size: 14 }, base: { size: 11 } },
    ])
    expect(entries.map(({ key }) => key)).toEqual(['c'])
    expect(await actions({ onConflict: 'skip' })).toEqual(['add c'])
    expect(await text('box', 'a')).toBe('of the base')
    expect(await actions({ onConflict: 'force' })).toEqual(['add a', 'remove b'])
    expect(await contentsOf('box')).toEqual(await contentsOf('try'))
    await isWhole()
  })
})

describe('a merge', () => {
  it('takes keys beneath a prefix only', async () => {
    await fork()
    for (const key of ['in/a', 'out/b']) await put('try', key)
    expect(await actions({ prefix: 'in/' })).toEqual(['add in/a'])
    expect(await actions()).toEqual(['add out/b'])
  })

  it('of a fork of a fork goes into the fork', async () => {
    await put('box', 'a')
    await fork()
    await store.buckets.fork('try', 'deeper')
    await put('deeper', 'b', 'of the deeper one')
    await store.objects.annotate('deeper', 'a', { kind: 'tags', value: [{ key: 'k', value: 'v' }] })
    expect(await store.merge({ fork: 'deeper' })).toMatchObject({ bucket: 'try', conflicts: [] })
    expect(await contentsOf('try')).toEqual(await contentsOf('deeper'))
    expect(await codeOf(text('box', 'b'))).toBe('NoSuchKey')
    expect(await actions()).toEqual(['annotate a', 'add b'])
    expect(await contentsOf('box')).toEqual(await contentsOf('deeper'))
    await isWhole()
  })

  it('of a fork of the past sees what the base changed since as changes of the base', async () => {
    for (const key of ['a', 'b']) await put('box', key)
    const then = store.seq
    await put('box', 'a', 'changed after then')
    await store.buckets.fork('box', 'try', { at: then })
    await put('try', 'a', 'of the fork')
    await put('try', 'b', 'of the fork')
    expect(await merge({ onConflict: 'skip' })).toMatchObject({ entries: [{ key: 'b' }], conflicts: [{ key: 'a' }] })
  })

  it('survives the end of the fork: the base has the bytes', async () => {
    await fork()
    await put('try', 'a', 'bytes that only the fork wrote')
    await merge()
    await store.buckets.drop('try')
    await store.sweep()
    expect(await text('box', 'a')).toBe('bytes that only the fork wrote')
    await isWhole()
  })

  it('leaves locked versions, and never loosens locks', async () => {
    await store.buckets.create('safe', { versioning: 'Enabled' })
    await store.buckets.settings.put('safe', 'ObjectLock', {})
    const until = ports.clock.time + 1_000_000_000
    const retention = { mode: 'GOVERNANCE', until } as const
    await store.objects.put('safe', 'a', 'first', { retention })
    await store.buckets.fork('safe', 'try')
    await store.objects.put('try', 'a', 'second')
    await store.merge({ fork: 'try' })
    const versions = (await list(store.versions.list('safe'))) as { versionId: string }[]
    expect(versions).toHaveLength(2)
    expect(await text('safe', 'a')).toBe('second')
    const first = versions[1]?.versionId as string
    expect(await store.objects.annotations('safe', 'a', { versionId: first })).toMatchObject({ retention })
  })

  it('is refused for a bucket that is no fork, or that is gone, or whose base is gone or another one', async () => {
    expect(await codeOf(store.merge({ fork: 'box' }))).toBe('NotAFork')
    expect(await codeOf(store.merge({ fork: 'absent' }))).toBe('NoSuchBucket')
    await fork()
    await put('try', 'a')
    await store.buckets.delete('box')
    expect(await codeOf(merge())).toBe('NoSuchBucket')
    await store.buckets.create('box')
    expect(await codeOf(merge())).toBe('NoSuchBucket')
  })

  it('takes several commits for more keys than one takes, and tells how far it is', async () => {
    await fork()
    for (let i = 0; i < 260; i++) await put('try', `key ${i}`)
    expect(await codeOf(merge())).toBe('MergeTooLarge')
    const progress: number[] = []
    await merge({ inParts: true, onProgress: ({ done }) => progress.push(done) })
    expect(progress).toEqual([100, 200, 260])
    expect(await contentsOf('box')).toEqual(await contentsOf('try'))
  })

  it('tells its cause in the log', async () => {
    await fork()
    await put('try', 'a')
    const { id, planned } = await merge()
    const [event] = await list(store.log({ from: planned + 1 }))
    expect(event).toMatchObject({
      type: 'VersionAdded',
      requestId: id,
      data: { bucket: 'box', copiedFrom: { bucket: 'try' }, cause: { kind: 'merge', id, to: planned } },
    })
  })

  it('equals a three-way merge of what clients see, in random runs', async () => {
    const random = (() => {
      let state = 7
      return (below: number) => (state = (state * 48_271) % 2_147_483_647) % below
    })()
    for (let run = 0; run < 30; run++) {
      const [base, name] = [`base${run}`, `fork${run}`]
      await store.buckets.create(base, run % 2 === 0 ? { versioning: 'Enabled' } : {})
      const step = async (bucket: string) => {
        const key = `k${random(8)}`
        const what = random(4)
        if (what === 0) await store.objects.delete(bucket, key)
        else if (what === 1)
          await store.objects
            .annotate(bucket, key, { kind: 'tags', value: [{ key: 'n', value: String(random(3)) }] })
            .catch(() => undefined)
        else await put(bucket, key, `${bucket} ${random(1000)}`)
      }
      for (let i = 0; i < 10; i++) await step(base)
      const began = await contentsOf(base)
      await store.buckets.fork(base, name)
      for (let i = 0; i < 8; i++) await step(random(2) === 0 ? base : name)
      const [ours, theirs] = [await contentsOf(name), await contentsOf(base)]
      const { conflicts } = await store.merge({ fork: name, onConflict: 'skip' })
      const refused = new Set(conflicts.map(({ key }) => key))
      const merged = await contentsOf(base)
      for (let k = 0; k < 8; k++) {
        const key = `k${k}`
        const [was, fork, now] = [began[key], ours[key], theirs[key]].map((value) => JSON.stringify(value))
        const expected = refused.has(key) || fork === was ? now : fork
        expect([run, key, JSON.stringify(merged[key])]).toEqual([run, key, expected])
        // A key that the base left as it was is never a conflict.
        if (refused.has(key)) expect(fork).not.toBe(now)
      }
    }
    await isWhole()
  })
})
