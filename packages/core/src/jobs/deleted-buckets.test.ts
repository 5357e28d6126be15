import { beforeEach, describe, expect, it } from 'vitest'
import { deletedBucketTable, rangeOf, uploadTable } from '../views/tables.ts'
import { KeyWriter } from '../bytes/key-codec.ts'
import { codeOf } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryJournal, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import type { UploadInfo } from '../api/types/index.ts'

const uploadCount = 230
const bob = { id: 'bob', name: 'Bob' }
const everyUpload = rangeOf(new KeyWriter(uploadTable.range({ bucket: '', incarnation: 0 }).gte[0] as number))

let ports: MemoryPorts
let store: Store

beforeEach(async () => {
  ports = memoryPorts()
  // A turn of the loop between the steps of the background, as in a process.
  ports = {
    ...ports,
    timer: { pause: async () => undefined, nextTurn: () => new Promise((turn) => setImmediate(turn)) },
  }
  store = await openEngine(ports, { inlineMax: 64 })
})

/** Resolves once everything that was left is aborted. */
async function cleared(): Promise<void> {
  await store.sweep()
  expect(await ports.journal.cursor(deletedBucketTable.range).next(1)).toEqual([])
}

async function withUploads(bucket: string, count = uploadCount): Promise<readonly UploadInfo[]> {
  await store.buckets.create(bucket)
  const uploads = await Promise.all(
    Array.from({ length: count }, (_, i) => store.uploads.create(bucket, `key ${i % 7}`)),
  )
  await store.uploads.uploadPart(uploads[0] as UploadInfo, 1, 'v'.repeat(100))
  await store.uploads.uploadPart(uploads[1] as UploadInfo, 1, 'inline')
  return uploads
}

/** How many rows the last commit of some work changed. */
async function rowsChanged(work: () => Promise<unknown>): Promise<number> {
  const { commit } = ports.journal
  let changed = 0
  ports.journal.commit = (batch) => {
    changed ||= batch.rows.length
    return commit(batch)
  }
  await work()
  ports.journal.commit = commit
  return changed
}

describe('deleting a bucket that has uploads', () => {
  it('is one commit of the same size, however many there are', async () => {
    await withUploads('few', 2)
    await withUploads('many')
    const few = await rowsChanged(() => store.buckets.delete('few'))
    expect(await rowsChanged(() => store.buckets.delete('many'))).toBe(few)
  })

  it('takes them away at once, even if the bucket is created again', async () => {
    const uploads = await withUploads('box')
    const [upload] = uploads as readonly [UploadInfo]
    await store.buckets.delete('box')
    expect(await codeOf(store.uploads.listPage('box'))).toBe('NoSuchBucket')
    const other = store.as({ by: bob })
    await other.buckets.create('box')
    const own = await other.uploads.create('box', upload.key)
    expect((await other.uploads.listPage('box')).entries).toMatchObject([{ uploadId: own.uploadId }])
    for (const use of [
      () => store.uploads.head(upload),
      () => store.uploads.listPartsPage(upload),
      () => store.uploads.uploadPart(upload, 1, 'x'),
      () => store.uploads.complete(upload, [{ partNumber: 1, etag: 'x' }]),
      () => store.uploads.abort(upload),
    ])
      expect(await codeOf(use())).toBe('NoSuchUpload')
    await cleared()
    expect((await other.uploads.listPage('box')).entries).toHaveLength(1)
    await other.uploads.uploadPart(own, 1, 'mine')
    await other.buckets.delete('box')
    await cleared()
  })

  it('has them aborted in small commits, between which others commit', async () => {
    await withUploads('box')
    await store.buckets.create('other')
    await store.buckets.delete('box')
    const from = store.seq
    const put = await store.objects.put('other', 'k', 'v')
    // It waited for one group at most.
    expect(put.seq - from).toBeLessThanOrEqual(51)
    await cleared()
    const events = []
    for await (const event of store.log({ from })) events.push(event)
    const aborted = events.filter(({ type }) => type === 'UploadAborted')
    expect(aborted).toHaveLength(uploadCount)
    expect(new Set(aborted.map(({ by }) => by.name))).toEqual(new Set(['cleanup']))
    expect(aborted.filter(({ data }) => 'lastOf' in data)).toEqual([aborted.at(-1)])
    expect(await ports.journal.cursor(everyUpload).next(1)).toEqual([])
    expect(ports.blobs.bytes.size).toBe(0)
  })

  it('goes on with them when the store is opened again, and no rebuilding changes a row', async () => {
    await withUploads('box')
    const { commit } = ports.journal
    let left = 3
    ports.journal.commit = (batch) => (left-- > 0 ? commit(batch) : Promise.reject(new Error('crash')))
    await store.buckets.delete('box')
    await store.sweep().catch(() => undefined)
    expect(store.state).toBe('failed')
    ports.journal.commit = commit
    expect(await ports.journal.cursor(deletedBucketTable.range).next(2)).toHaveLength(1)
    store = await openEngine(ports, { inlineMax: 64 })
    await store.buckets.create('box')
    expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ divergences: [] })
    await cleared()
    expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ divergences: [] })
  })

  it('clears the bucket of one name as often as it is deleted', async () => {
    for (let round = 0; round < 5; round++) {
      await withUploads('box', 60)
      await store.buckets.delete('box')
    }
    await store.buckets.create('box')
    await store.uploads.create('box', 'key 1')
    await cleared()
    expect((await store.uploads.listPage('box')).entries).toHaveLength(1)
    expect(await ports.journal.cursor(everyUpload).next(2)).toHaveLength(1)
    expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ divergences: [] })
  })

  it('does not keep the store from closing', async () => {
    await withUploads('box')
    await store.buckets.delete('box')
    await store.close()
    expect(await ports.journal.cursor(deletedBucketTable.range).next(2)).toHaveLength(1)
  })
})

describe('the history of a key', () => {
  const typesOf = async (bucket: string, key: string) => {
    const types = []
    for await (const event of store.history(bucket, key)) types.push(event.type)
    return types
  }

  it('has every part that was ever uploaded, replaced, unused and erased ones too', async () => {
    await store.buckets.create('box')
    const upload = await store.uploads.create('box', 'k')
    await store.uploads.uploadPart(upload, 1, 'replaced')
    const part = await store.uploads.uploadPart(upload, 1, 'chosen')
    await store.uploads.uploadPart(upload, 2, 'unused')
    await store.uploads.complete(upload, [part])
    const given = await store.uploads.create('box', 'k')
    await store.uploads.uploadPart(given, 1, 'given up')
    await store.uploads.abort(given)
    await store.objects.delete('box', 'k')
    const open = await store.uploads.create('box', 'k')
    await store.uploads.uploadPart(open, 1, 'in progress')
    const completed = ['UploadStarted', 'PartAdded', 'PartAdded', 'PartAdded', 'UploadCompleted']
    const aborted = ['UploadStarted', 'PartAdded', 'UploadAborted']
    const story = [...completed, ...aborted, 'VersionRemoved', 'UploadStarted', 'PartAdded']
    expect(await typesOf('box', 'k')).toEqual(story)
    await store.sweep()
    expect(await typesOf('box', 'k')).toEqual(story)
    await store.rebuild()
    expect(await typesOf('box', 'k')).toEqual(story)
    await store.buckets.delete('box')
    expect(await typesOf('box', 'k')).toEqual(story)
    await cleared()
    expect(await typesOf('box', 'k')).toEqual([...story, 'UploadAborted'])
  })
})
