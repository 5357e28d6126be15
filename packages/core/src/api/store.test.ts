import { beforeEach, describe, expect, it } from 'vitest'
import { isStorageError, StorageError } from '../base/errors.ts'
import { type MemoryPorts, memoryJournal, memoryPorts } from './memory-ports.fixture.ts'
import { decodeRow, RowEncoder } from '../views/row-codec.ts'
import { currentTable } from '../views/tables.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'
import type { StoreOptions } from '../engine/store-options.ts'

let ports: MemoryPorts
let store: Store

const open = (options: StoreOptions = {}) => openEngine(ports, { inlineMax: 64, ...options })
const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error: unknown) => (isStorageError(error) ? error.code : error),
  )
const list = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
const text = async (key: string, versionId?: string) =>
  (await store.objects.get('box', key, versionId === undefined ? {} : { versionId })).text()

beforeEach(async () => {
  ports = memoryPorts()
  store = await open()
  await store.buckets.create('box')
})

describe('objects', () => {
  it('gives back what was put, small and large, whole and by range', async () => {
    const large = 'x'.repeat(3_000_000) + 'end'
    await store.objects.put('box', 'small', 'hello')
    await store.objects.put('box', 'large', large, { metadata: { Who: 'me' }, contentType: 'text/plain' })
    expect(await text('small')).toBe('hello')
    expect(await text('large')).toBe(large)
    const part = await store.objects.get('box', 'large', { range: { suffix: 5 } })
    expect(await part.text()).toBe('xxend')
    expect(part).toMatchObject({ size: large.length, metadata: { who: 'me' }, contentType: 'text/plain' })
    expect(ports.blobs.bytes.size).toBe(1)
  })

  it('replaces in an unversioned bucket and erases what was replaced', async () => {
    await store.objects.put('box', 'k', 'a'.repeat(100))
    await store.objects.put('box', 'k', 'b'.repeat(100))
    await store.sweep()
    expect(await text('k')).toBe('b'.repeat(100))
    expect(ports.blobs.bytes.size).toBe(1)
    await store.objects.delete('box', 'k')
    await store.sweep()
    expect(ports.blobs.bytes.size).toBe(0)
    expect(await code(text('k'))).toBe('NoSuchKey')
    expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ ok: true })
  })

  it('keeps every version once versioning is enabled', async () => {
    await store.objects.put('box', 'k', 'zero')
    await store.buckets.setVersioning('box', 'Enabled')
    const one = await store.objects.put('box', 'k', 'one')
    const marker = await store.objects.delete('box', 'k')
    expect(marker.deleteMarker).toBe(true)
    expect(await code(text('k'))).toBe('NoSuchKey')
    expect(await text('k', one.versionId)).toBe('one')
    expect(await text('k', 'null')).toBe('zero')
    expect(await code(text('k', marker.versionId))).toBe('MethodNotAllowed')
    await store.objects.delete('box', 'k', { versionId: marker.versionId as string })
    expect(await text('k')).toBe('one')
    await store.objects.delete('box', 'k', { versionId: one.versionId })
    expect(await text('k')).toBe('zero')
  })

  it('lists versions of one millisecond in the order they were committed', async () => {
    await store.buckets.setVersioning('box', 'Enabled')
    const made: string[] = []
    for (const body of ['one', 'two', 'three']) made.unshift((await store.objects.put('box', 'k', body)).versionId)
    const entries = (await list(store.versions.list('box'))).filter((entry) => entry.kind !== 'prefix')
    expect(new Set(entries.map(({ lastModified }) => lastModified.getTime())).size).toBe(1)
    expect(entries.map(({ versionId }) => versionId)).toEqual(made)
  })

  it('keeps one null version while versioning is suspended, wherever it stands', async () => {
    await store.objects.put('box', 'k', 'zero')
    await store.buckets.setVersioning('box', 'Enabled')
    const one = await store.objects.put('box', 'k', 'one')
    await store.buckets.setVersioning('box', 'Suspended')
    await store.objects.put('box', 'k', 'null again')
    await store.buckets.setVersioning('box', 'Enabled')
    const two = await store.objects.put('box', 'k', 'two')
    const seen = await list(store.versions.list('box'))
    expect(seen.map((v) => v.kind === 'version' && v.versionId)).toEqual([two.versionId, 'null', one.versionId])
    expect(await text('k', 'null')).toBe('null again')
    await store.buckets.setVersioning('box', 'Suspended')
    await store.objects.delete('box', 'k')
    await store.objects.delete('box', 'k')
    const after = await list(store.versions.list('box'))
    expect(after.map((v) => v.kind)).toEqual(['marker', 'version', 'version'])
    expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ ok: true, divergences: [] })
  })

  it('shares bytes between copies until the last of them goes', async () => {
    await store.objects.put('box', 'a', 'c'.repeat(100))
    await store.objects.copy({ bucket: 'box', key: 'a' }, 'box', 'b')
    await store.objects.copy({ bucket: 'box', key: 'a' }, 'box', 'c')
    expect(ports.blobs.bytes.size).toBe(1)
    await store.objects.delete('box', 'a')
    await store.objects.delete('box', 'b')
    await store.sweep()
    expect(await text('c')).toBe('c'.repeat(100))
    await store.objects.delete('box', 'c')
    await store.sweep()
    expect(ports.blobs.bytes.size).toBe(0)
  })

  it('keeps the bytes of an object that is copied onto itself', async () => {
    for (const size of [10, 100]) {
      const key = `of ${size}`
      await store.objects.put('box', key, 'c'.repeat(size))
      for (const contentType of ['text/one', 'text/two']) {
        await store.objects.copy({ bucket: 'box', key }, 'box', key, { metadataDirective: 'REPLACE', contentType })
        await store.sweep()
        expect(await text(key)).toBe('c'.repeat(size))
      }
      await store.objects.delete('box', key)
    }
    await store.sweep()
    expect(ports.blobs.bytes.size).toBe(0)
  })

  it('lets exactly one of many conditional creators win', async () => {
    const tries = Array.from({ length: 50 }, (_, i) =>
      code(store.objects.put('box', 'only', `try ${i}`, { ifNoneMatch: '*' })),
    )
    const codes = await Promise.all(tries)
    expect(codes.filter((one) => one === 'no error')).toHaveLength(1)
    expect(codes.filter((one) => one === 'PreconditionFailed')).toHaveLength(49)
  })

  it('lists by prefix and delimiter, a page at a time, in the order of UTF-8 bytes', async () => {
    const keys = ['a', 'a\u0000b', 'b/1', 'b/2', 'b0', 'z/\uE000', 'z/\u{10FFFF}', 'ü']
    for (const key of [...keys].reverse()) await store.objects.put('box', key, key)
    const plain = await list(store.objects.list('box'))
    expect(plain.map((o) => o.kind === 'object' && o.key)).toEqual(keys)
    const rolled: string[] = []
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = await store.objects.listPage('box', { delimiter: '/', limit: 1, after })
      rolled.push(...page.entries.map((e) => (e.kind === 'prefix' ? e.prefix : e.key)))
      after = page.nextAfter
    }
    expect(rolled).toEqual(['a', 'a\u0000b', 'b/', 'b0', 'z/', 'ü'])
  })
})

describe('uploads', () => {
  const part = (letter: string, size = 5 * 1024 * 1024) => letter.repeat(size)

  it('assembles parts without copying them, and reads across their borders', async () => {
    const upload = await store.uploads.create('box', 'big')
    const one = await store.uploads.uploadPart(upload, 1, part('a'))
    await store.uploads.uploadPart(upload, 2, part('lost'.slice(0, 1)))
    const two = await store.uploads.uploadPart(upload, 2, part('b'))
    await store.uploads.uploadPart(
      upload,
      7,
      'unused, but longer than what rides inline, so that it is a blob of its own',
    )
    const blobs = ports.blobs.bytes.size
    const done = await store.uploads.complete(upload, [one, two])
    expect(done.etag).toMatch(/^[0-9a-f]{32}-2$/)
    expect(ports.blobs.bytes.size).toBeLessThanOrEqual(blobs)
    const border = await store.objects.get('box', 'big', { range: { first: one.size - 2, last: one.size + 1 } })
    expect(await border.text()).toBe('aabb')
    expect(await code(store.uploads.complete(upload, [one, two]))).toBe('NoSuchUpload')
    expect(await store.uploads.complete(upload, [one, two], { repeatable: true })).toEqual(done)
    await store.sweep()
    expect(ports.blobs.bytes.size).toBe(2)
    await store.objects.delete('box', 'big')
    await store.sweep()
    expect(ports.blobs.bytes.size).toBe(0)
    expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ ok: true, divergences: [] })
  })

  it.each(['COMPOSITE', 'FULL_OBJECT'] as const)(
    'show in a part the checksum type of the whole: %s',
    async (checksumType) => {
      const upload = await store.uploads.create('box', 'big', { checksumAlgorithm: 'CRC32', checksumType })
      const one = await store.uploads.uploadPart(upload, 1, 'test content 123')
      await store.uploads.complete(upload, [{ partNumber: 1, etag: one.etag }])
      const { checksum } = await store.objects.head('box', 'big', { partNumber: 1 })
      expect(checksum).toEqual({ algorithm: 'CRC32', type: checksumType, value: one.checksum?.value })
    },
  )

  it('show the parts of an object by position, now and as of a past event', async () => {
    const upload = await store.uploads.create('box', 'big')
    const parts = []
    for (const [partNumber, letter] of [
      [3, 'a'],
      [5, 'b'],
      [9, 'c'],
    ] as const)
      parts.push(await store.uploads.uploadPart(upload, partNumber, part(letter)))
    await store.buckets.setVersioning('box', 'Enabled')
    const { seq, versionId } = await store.uploads.complete(upload, parts)
    const size = parts[0]?.size
    const one = { partNumber: 2, size }
    const page = { parts: { after: 1, limit: 1 } }
    expect(await store.objects.attributes('box', 'big', page)).toMatchObject({
      partsCount: 3,
      parts: { entries: [one], isTruncated: true, last: 2 },
    })
    expect((await store.objects.attributes('box', 'big', { parts: {} })).parts?.entries).toHaveLength(3)
    expect(await store.objects.attributes('box', 'big')).not.toHaveProperty('parts')
    await store.objects.put('box', 'big', 'whole')
    expect(await store.objects.attributes('box', 'big', { parts: {} })).not.toHaveProperty('parts')
    const past = await store.at(seq)
    expect((await past.objects.attributes('box', 'big', page)).parts?.entries).toEqual([one])
    await store.objects.delete('box', 'big', { versionId })
    await store.sweep()
    expect(await code(past.objects.attributes('box', 'big', page))).toBe('ObjectErased')
  })

  it('refuses parts that are out of order, unknown, changed or too small', async () => {
    const upload = await store.uploads.create('box', 'big')
    const one = await store.uploads.uploadPart(upload, 1, 'small')
    const two = await store.uploads.uploadPart(upload, 2, 'small too')
    expect(await code(store.uploads.complete(upload, []))).toBe('InvalidRequest')
    expect(await code(store.uploads.complete(upload, [two, one]))).toBe('InvalidPartOrder')
    expect(await code(store.uploads.complete(upload, [{ ...one, etag: two.etag }]))).toBe('InvalidPart')
    expect(await code(store.uploads.complete(upload, [{ ...one, partNumber: 9 }]))).toBe('InvalidPart')
    expect(await code(store.uploads.complete(upload, [one, two]))).toBe('EntityTooSmall')
    await store.uploads.complete(upload, [two])
    expect(await text('big')).toBe('small too')
  })

  it('frees everything when an upload is aborted or its bucket deleted', async () => {
    const upload = await store.uploads.create('box', 'k')
    await store.uploads.uploadPart(upload, 1, part('a', 1000))
    await store.uploads.abort(upload)
    const other = await store.uploads.create('box', 'k')
    await store.uploads.uploadPart(other, 1, part('b', 1000))
    await store.buckets.delete('box')
    await store.sweep()
    expect(ports.blobs.bytes.size).toBe(0)
    expect(await code(store.uploads.uploadPart(other, 2, 'x'))).toBe('NoSuchBucket')
  })
})

describe('history', () => {
  it('reads any bucket as it was after any event', async () => {
    await store.objects.put('box', 'k', 'one')
    const then = store.seq
    await store.objects.put('box', 'k', 'two')
    await store.objects.put('box', 'new', 'x')
    const past = await store.at(then)
    expect((await list(past.objects.list('box'))).map((o) => o.kind === 'object' && o.key)).toEqual(['k'])
    expect((await past.objects.head('box', 'k')).etag).not.toBe((await store.objects.head('box', 'k')).etag)
    await store.sweep()
    expect(await code(past.objects.get('box', 'k'))).toBe('ObjectErased')
    expect(await code((await store.at(0)).objects.list('box').pages()[Symbol.asyncIterator]().next())).toBe(
      'NoSuchBucket',
    )
  })

  it('keeps removed bytes readable for the retention time', async () => {
    store = await open({ retentionMs: 60_000 })
    await store.objects.put('box', 'k', 'one')
    const then = store.seq
    await store.objects.delete('box', 'k')
    await store.sweep()
    expect(await (await (await store.at(then)).objects.get('box', 'k')).text()).toBe('one')
    ports.clock.time += 60_001
    await store.sweep()
    expect(await code((await store.at(then)).objects.get('box', 'k'))).toBe('ObjectErased')
  })

  it('lists the events of one key', async () => {
    await store.buckets.setVersioning('box', 'Enabled')
    const one = await store.objects.put('box', 'k', 'one')
    await store.objects.put('box', 'other', 'x')
    await store.as({ by: { id: 'eve', name: 'Eve' } }).objects.delete('box', 'k')
    await store.objects.delete('box', 'k', { versionId: one.versionId })
    const story = await list(store.history('box', 'k'))
    expect(story.map((e) => [e.type, e.by.name])).toEqual([
      ['VersionAdded', 'local'],
      ['DeleteMarkerAdded', 'Eve'],
      ['VersionRemoved', 'local'],
    ])
  })

  it('reports a row with a malformed key as damaged, even if its checksum is right', async () => {
    await store.objects.put('box', 'k', 'good')
    const { key } = currentTable
    const [good, bad] = [key('box', 'k').bytes, key('box', 'k').bytes.with(-1, 0x02)]
    const row = decodeRow<object>(ports.hashing, good, (await ports.journal.get(good)) as Uint8Array)
    const value = new RowEncoder(ports.hashing).encode(bad, row)
    await ports.journal.commit({ expectedHead: store.seq, events: [], rows: [{ key: bad, value }] })
    expect(await code(store.objects.listPage('box'))).toBe('RowCorrupt')
  })

  it('names a row of inline bytes with a malformed key', async () => {
    const stray = Uint8Array.of(0x80, 0xff)
    await ports.journal.commit({ expectedHead: store.seq, events: [], rows: [{ key: stray, value: stray }] })
    const { divergences } = await store.verify()
    expect(divergences).toEqual([expect.objectContaining({ kind: 'InlineOrphan', key: '80ff' })])
  })

  it('follows the log as it grows and stops when the store closes', async () => {
    const seen: number[] = []
    const following = (async () => {
      for await (const event of store.log({ follow: true })) seen.push(event.seq)
    })()
    await store.objects.put('box', 'a', 'a')
    await store.objects.put('box', 'b', 'b')
    await store.close()
    await following
    expect(seen).toEqual([1, 2, 3])
  })

  it('makes the same rows again from the log, byte for byte, and goes on after a rebuild', async () => {
    await store.objects.put('box', 'k', 'one')
    await store.objects.put('box', 'k', 'two')
    await store.sweep()
    const before = new Map(ports.journal.rows)
    await store.rebuild()
    expect(new Map(ports.journal.rows)).toEqual(before)
    await store.objects.put('box', 'k', 'three')
    await store.close()
    store = await open()
    expect(await text('k')).toBe('three')
  })
})

describe('commits', () => {
  it('puts commands that come together into one batch', async () => {
    const before = ports.journal.commits
    await Promise.all(Array.from({ length: 100 }, (_, i) => store.objects.put('box', `k${i}`, 'x')))
    expect(ports.journal.commits - before).toBeLessThan(10)
  })

  it('stops for good when a commit fails, and is consistent after it is opened again', async () => {
    const commit = ports.journal.commit
    ports.journal.commit = async (batch) => {
      await commit(batch)
      throw new Error('EIO')
    }
    expect(await code(store.objects.put('box', 'k', 'v'.repeat(100)))).toBe('StoreFailed')
    expect(await code(store.objects.put('box', 'l', 'v'))).toBe('StoreFailed')
    expect(store.state).toBe('failed')
    ports.journal.commit = commit
    store = await open()
    expect(await text('k')).toBe('v'.repeat(100))
  })

  // A file system that met an error of its disk turns read-only, and from then on every fsync fails with EROFS.
  it.each(['EIO', 'EROFS', 'EUCLEAN'])('stops taking writes when a disk fails under a blob (%s)', async (errno) => {
    const write = ports.blobs.write
    const failWith = (errno: string) => {
      ports.blobs.write = () => Promise.reject(new StorageError('BlobFailed', errno, { details: { errno } }))
    }
    failWith('EMFILE')
    expect(await code(store.objects.put('box', 'k', 'v'.repeat(100))), 'only that request failed').toBe('BlobFailed')
    expect(store.state).toBe('open')
    failWith(errno)
    expect(await code(store.objects.put('box', 'k', 'v'.repeat(100)))).toBe('StoreFailed')
    expect(store.state).toBe('failed')
    ports.blobs.write = write
    store = await open()
    expect(await code(text('k'))).toBe('NoSuchKey')
  })

  it('sweeps blobs that nothing names, and keeps what the log names though its row is gone', async () => {
    await store.objects.put('box', 'k', 'v'.repeat(100))
    const [kept] = [...ports.blobs.bytes.keys()] as [string]
    for (const [name, [key]] of ports.journal.rows) if (key[0] === 0x42) ports.journal.rows.delete(name)
    ports.blobs.bytes.set('0'.repeat(31) + 'f', new Uint8Array(1))
    expect(await store.sweep({ orphans: true })).toMatchObject({ orphans: 1 })
    expect([...ports.blobs.bytes.keys()]).toEqual([kept])
  })

  it('stands by a commit whatever its listeners do', async () => {
    const surfaced = new Promise((resolve) => process.once('unhandledRejection', resolve))
    store.subscribe(() => {
      throw new Error('a listener of no use')
    })
    await store.objects.put('box', 'k', 'v')
    expect(store.state).toBe('open')
    expect(await surfaced).toMatchObject({ message: 'a listener of no use' })
  })

  it('reads and writes as many rows for a key with a thousand versions as for one with one', async () => {
    await store.buckets.setVersioning('box', 'Enabled')
    const cost = async () => {
      const before = ports.journal.reads
      await store.objects.put('box', 'k', 'x')
      await store.objects.head('box', 'k')
      await store.objects.delete('box', 'k')
      return ports.journal.reads - before
    }
    // The bucket is read once for all.
    await cost()
    const first = await cost()
    for (let i = 0; i < 1000; i++) await store.objects.put('box', 'k', 'x')
    expect(await cost()).toBe(first)
  })
})
