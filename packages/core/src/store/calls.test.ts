import { beforeEach, describe, expect, it } from 'vitest'
import { Manifests } from '../content/manifests.ts'
import { codeOf, list } from './answers.fixture.ts'
import { hashing, type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine, type Store } from './store.ts'

let ports: MemoryPorts
let store: Store

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 64 })
  await store.buckets.create('box')
})

describe('calls that are refused', () => {
  it('leave no cursor and no snapshot open', async () => {
    let open = 0
    const { snapshot } = ports.journal
    const counted = <T extends { close(): Promise<void> }>(it: T): T => {
      open++
      return { ...it, close: () => it.close().then(() => void open--) }
    }
    ports.journal.snapshot = () => {
      const reader = snapshot()
      return counted({ ...reader, cursor: (range) => counted(reader.cursor(range)) })
    }
    const calls = [
      store.uploads.listPage('box', { keyMarker: 'k', uploadIdMarker: 'no such' }),
      store.versions.listPage('box', { keyMarker: 'k', versionIdMarker: 'no such' }),
      store.versions.listPage('box', { versionIdMarker: 'null' }),
    ]
    for (const call of calls) expect(await codeOf(call)).toBe('InvalidArgument')
    expect(await codeOf(store.objects.listPage('none'))).toBe('NoSuchBucket')
    expect(open).toBe(0)
  })

  it('reject, and do not throw', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    expect(await codeOf(store.objects.delete('box', 'k', { signal }))).toEqual(new Error('enough'))
    expect(await codeOf(store.versions.delete('box', 'k', 'null', { signal }))).toEqual(new Error('enough'))
  })

  it('are no sign of damage', async () => {
    for (const from of [0, -1, 1.5, Number.NaN]) {
      expect(await codeOf(list(store.log({ from })))).toBeInstanceOf(TypeError)
    }
  })
})

describe('parts', () => {
  it('are none behind the last number there can be', async () => {
    const upload = await store.uploads.create('box', 'k')
    await store.uploads.uploadPart(upload, 1, 'a')
    await store.uploads.uploadPart(upload, 10_000, 'b')
    const after = async (number: number) =>
      (await store.uploads.listPartsPage(upload, { after: number })).entries.map(({ partNumber }) => partNumber)
    expect(await Promise.all([-1, 0, 1, 9999, 10_000, 65_535, 65_536, 2 ** 31].map(after))).toEqual([
      [1, 10_000],
      [1, 10_000],
      [10_000],
      [10_000],
      [],
      [],
      [],
      [],
    ])
  })

  it('stay known when many ask for them at once', async () => {
    const uploads: number[] = []
    for (const key of ['a', 'b']) {
      const upload = await store.uploads.create('box', key)
      const part = await store.uploads.uploadPart(upload, 1, 'a')
      await store.uploads.complete(upload, [part])
      uploads.push(store.seq - 2)
    }
    const [a, b] = uploads as [number, number]
    const manifests = new Manifests(ports.journal, hashing, 50)
    await Promise.all(Array.from({ length: 100 }, () => manifests.parts(a)))
    await manifests.parts(b)
    const before = ports.journal.reads
    expect((await manifests.parts(a)).length).toBe(1)
    expect(ports.journal.reads).toBe(before)
  })
})
