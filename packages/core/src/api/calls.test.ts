import { beforeEach, describe, expect, it } from 'vitest'
import { Manifests } from '../content/manifests.ts'
import { codeOf, list } from './answers.fixture.ts'
import { hashing, type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'
import type { Row } from '../ports/index.ts'
import { objectRow } from '../views/object-row.fixture.ts'
import { decodeRow, RowEncoder } from '../views/row-codec.ts'
import type { ObjectVersionRow } from '../views/version-row.ts'
import { currentTable } from '../views/tables.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

let ports: MemoryPorts
let store: Store

beforeEach(async () => {
  ports = memoryPorts()
  // Some tests change rows behind its back: it remembers none.
  store = await openEngine(ports, { inlineMax: 64, hotBytes: 0 })
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
      expect(await codeOf(list(store.log({ from })))).toBe('InvalidArgument')
    }
  })
})

describe('a bucket that was created', () => {
  it('is answered, though the store is closed meanwhile', async () => {
    const { commit } = ports.journal
    let closing: Promise<void> | undefined
    ports.journal.commit = async (group) => {
      await commit(group)
      closing ??= store.close()
    }
    expect(await store.buckets.create('late', { region: 'us' })).toEqual({
      name: 'late',
      seq: 2,
      owner: { id: 'local', name: 'local' },
      region: 'us',
      createdAt: new Date(ports.clock.time),
    })
    await closing
  })
})

describe('options of a store', () => {
  it.each([
    { groupMax: 0 },
    { groupMax: -1 },
    { groupMax: 1.5 },
    { groupMax: Number.NaN },
    { groupMax: 100_001 },
    { hotBytes: -1 },
    { inlineMax: -1 },
    { inlineMax: 0.5 },
    { inlineMax: 16 * 1024 * 1024 + 1 },
    { inlineMax: Number.POSITIVE_INFINITY },
    { inlineMax: '64' as unknown as number },
    { retentionMs: -1 },
    { region: '' },
    { actor: { id: '', name: 'x' } },
  ])('are refused before anything is touched: %j', async (options) => {
    const fresh = memoryPorts()
    expect(await codeOf(openEngine(fresh, options))).toBe('InvalidArgument')
    expect(fresh.journal.reads).toBe(0)
  })

  it('may be at their edges', async () => {
    for (const options of [
      { groupMax: 1 },
      { groupMax: 100_000 },
      { hotBytes: 0 },
      { inlineMax: 0 },
      { inlineMax: 16 * 1024 * 1024 },
    ]) {
      const edge = await openEngine(memoryPorts(), options)
      await edge.buckets.create('box')
      await edge.objects.put('box', 'k', 'bytes')
      expect(await (await edge.objects.get('box', 'k')).text()).toBe('bytes')
    }
  })
})

describe('an upload', () => {
  it.each(['none', 'u00000000000000', ''])('named %j is missing after its bucket is', async (uploadId) => {
    const calls = (bucket: string) => {
      const upload = { bucket, key: 'k', uploadId }
      return [
        store.uploads.head(upload),
        store.uploads.abort(upload),
        store.uploads.uploadPart(upload, 1, 'x'),
        store.uploads.complete(upload, [{ partNumber: 1, etag: 'x' }]),
        store.uploads.listPartsPage(upload),
      ]
    }
    expect(await Promise.all(calls('none').map(codeOf))).toEqual(Array(5).fill('NoSuchBucket'))
    expect(await Promise.all(calls('box').map(codeOf))).toEqual(Array(5).fill('NoSuchUpload'))
  })

  it('that went with its bucket is not there either', async () => {
    const upload = await store.uploads.create('box', 'k')
    await store.buckets.delete('box')
    expect(await codeOf(store.uploads.abort(upload))).toBe('NoSuchBucket')
  })

  it('lists its parts as of one commit', async () => {
    const upload = await store.uploads.create('box', 'k')
    for (const number of [1, 2, 3]) await store.uploads.uploadPart(upload, number, 'a')
    const { snapshot } = ports.journal
    ports.journal.snapshot = () => {
      ports.journal.snapshot = snapshot
      const reader = snapshot()
      // Between the question about the upload and that about its parts.
      const cursor: typeof reader.cursor = (range) => {
        const walk = reader.cursor(range)
        const aborted = store.uploads.abort(upload)
        return { ...walk, next: (count) => aborted.then(() => walk.next(count)) }
      }
      return { ...reader, cursor }
    }
    const page = await store.uploads.listPartsPage(upload)
    expect(page.entries.map(({ partNumber }) => partNumber)).toEqual([1, 2, 3])
    expect(await codeOf(store.uploads.listPartsPage(upload))).toBe('NoSuchUpload')
  })
})

describe('a copy', () => {
  /** Claims that an object has so many bytes, without writing them. */
  const claim = (size: number) => {
    const { bytes: key } = currentTable.key('box', 'k')
    const name = Buffer.from(key).toString('latin1')
    const frame = (ports.journal.rows.get(name) as Row)[1]
    const row = decodeRow<ObjectVersionRow>(hashing, key, frame)
    const claiming = objectRow(row, { ...row.facts, size })
    ports.journal.rows.set(name, [key, new RowEncoder(hashing).encode(key, claiming)])
  }

  it('takes at most 5 GiB from its source', async () => {
    const most = 5 * 1024 ** 3
    const source = { bucket: 'box', key: 'k' }
    await store.objects.put('box', 'k', 'x')
    claim(most)
    expect(await codeOf(store.objects.copy(source, 'box', 'to'))).toBe('no error')
    claim(most + 1)
    const upload = await store.uploads.create('box', 'to')
    const ranged = (end: number) => store.uploads.copyPart(upload, 1, { ...source, range: { start: 0, end } })
    expect(await codeOf(store.objects.copy(source, 'box', 'to'))).toBe('InvalidRequest')
    expect(await codeOf(store.objects.copy(source, 'box', 'to', { checksumAlgorithm: 'CRC32' }))).toBe('InvalidRequest')
    expect(await codeOf(store.uploads.copyPart(upload, 1, source))).toBe('InvalidRequest')
    expect(await codeOf(ranged(most + 1))).toBe('InvalidRequest')
    expect(await codeOf(ranged(1))).toBe('no error')
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

  it('stay known when many requests need them at once', async () => {
    const uploads: number[] = []
    for (const key of ['a', 'b']) {
      const upload = await store.uploads.create('box', key)
      const part = await store.uploads.uploadPart(upload, 1, 'a')
      await store.uploads.complete(upload, [part])
      uploads.push(store.seq - 2)
    }
    const [a, b] = uploads as [number, number]
    const manifests = new Manifests(async (ask) => ask(ports.journal), hashing, { keptPartsMax: 50 })
    await Promise.all(Array.from({ length: 100 }, () => manifests.parts(a)))
    await manifests.parts(b)
    const before = ports.journal.reads
    expect((await manifests.parts(a)).length).toBe(1)
    expect(ports.journal.reads).toBe(before)
  })
})
