import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { duplexPair } from 'node:stream'
import { isStorageError, StorageError } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { frameLink } from './frame-link.ts'
import { type LinkedStores, linkedStores, type LinkedWorker } from './linked-stores.fixture.ts'
import { OwnerLink } from './owner-link.ts'
import { RemoteOwner } from './remote-owner.ts'

const scratch = scratchDirectory()
const mib = 1024 ** 2
let stores: LinkedStores
let worker: LinkedWorker

beforeEach(async () => {
  stores = await linkedStores(scratch.next(), { inlineMax: 32 * 1024 })
  worker = await stores.hire()
  await worker.store.buckets.create('box')
})
afterEach(() => stores.close())

const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no error',
    (error: unknown) => (isStorageError(error) ? error.code : error),
  )

const unfinished = () => readdir(join(stores.dir, 'tmp'))

async function blobsOf(dir: string): Promise<readonly string[]> {
  const entries = await readdir(join(dir, 'blobs'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

/** Yields `size` bytes, and then nothing until `finish` is called. */
function slowBody(size: number) {
  let finish: () => void = () => undefined
  const finished = new Promise<void>((resolve) => (finish = resolve))
  async function* bytes() {
    yield Buffer.alloc(size, 'x')
    await finished
  }
  return { body: bytes(), finish: () => finish() }
}

describe("a worker's store", () => {
  it.each([0, 10, 32 * 1024, 32 * 1024 + 1, 3 * mib])('gives %d bytes back as it took them', async (size) => {
    const bytes = Buffer.alloc(size, 'some bytes')
    const put = await worker.store.objects.put('box', 'k', bytes, {
      metadata: { of: 'mine' },
      contentType: 'text/plain',
    })
    const object = await worker.store.objects.get('box', 'k')
    expect(object).toMatchObject({ ...put, contentType: 'text/plain', metadata: { of: 'mine' } })
    expect(Buffer.from(await object.bytes()).equals(bytes)).toBe(true)
    expect(await (await stores.store.objects.get('box', 'k')).bytes()).toHaveLength(size)
  })

  it.each([10, 3 * mib])('encrypts, and reads the data key through the owner: %d bytes', async (size) => {
    const bytes = Buffer.alloc(size, 'some bytes')
    const customerKey = new Uint8Array(32).fill(7)
    await worker.store.objects.put('box', 'k', bytes, { encryption: { mode: 'SSE-C', key: customerKey } })
    for (const { objects } of [worker.store, worker.store, stores.store]) {
      expect(Buffer.from(await (await objects.get('box', 'k', { customerKey })).bytes()).equals(bytes)).toBe(true)
    }
    expect(await stores.store.verify()).toMatchObject({ ok: true, blobs: 1, divergences: [] })
    const { seq } = stores.store
    await worker.store.objects.delete('box', 'k')
    await stores.store.sweep()
    const past = await worker.store.at(seq)
    expect(await codeOf(past.objects.get('box', 'k', { customerKey }))).toBe('ObjectErased')
  })

  it('sees at once what another wrote', async () => {
    const other = await stores.hire()
    for (let i = 0; i < 20; i++) {
      await worker.store.objects.put('box', 'k', `small ${i}`)
      expect(await (await other.store.objects.get('box', 'k')).text()).toBe(`small ${i}`)
      await other.store.objects.put('box', 'k', 'x'.repeat(40_000 + i))
      expect((await worker.store.objects.head('box', 'k')).size).toBe(40_000 + i)
    }
  })

  it('lists pages of everything, as the owner does', async () => {
    for (let i = 0; i < 1200; i += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, j) => worker.store.objects.put('box', `a/${i + j}`, 'x')))
    }
    for (const options of [{}, { limit: 7 }, { delimiter: '/' }, { prefix: 'a/1', after: 'a/11' }]) {
      expect(await worker.store.objects.listPage('box', options)).toEqual(
        await stores.store.objects.listPage('box', options),
      )
      const { after: keyMarker, ...page } = { after: undefined, ...options }
      expect(await worker.store.versions.listPage('box', { ...page, keyMarker })).toEqual(
        await stores.store.versions.listPage('box', { ...page, keyMarker }),
      )
    }
  })

  it('forks and drops buckets, and reads forks as the owner does', async () => {
    const { buckets, objects } = worker.store
    for (let i = 0; i < 40; i++) await objects.put('box', `k${i}`, 'x'.repeat(i * 2000))
    await buckets.fork('box', 'try')
    await buckets.fork('try', 'again', { at: stores.store.seq })
    await objects.put('box', 'k20', 'later')
    await objects.delete('again', 'k3')
    expect((await (await objects.get('again', 'k20')).text()).length).toBe(40_000)
    for (const options of [{}, { limit: 7 }, { prefix: 'k1', after: 'k11' }]) {
      expect(await objects.listPage('again', options)).toEqual(await stores.store.objects.listPage('again', options))
    }
    await buckets.drop('try')
    await stores.store.sweep()
    expect((await objects.head('again', 'k20')).size).toBe(40_000)
    expect(await codeOf(objects.head('again', 'k3'))).toBe('NoSuchKey')
  })

  it('reads the past by position and by time, as the owner does', async () => {
    await worker.store.objects.put('box', 'k', 'one')
    const then = stores.store.seq
    const time = new Date()
    await new Promise((resolve) => setTimeout(resolve, 5))
    await worker.store.objects.put('box', 'k', 'x'.repeat(40_000))
    await stores.store.snapshots.create('then', { at: then })
    for (const when of [then, time, String(then), time.toISOString(), 'then']) {
      const past = await worker.store.at(when)
      expect(past.seq).toBe(then)
      expect(await past.objects.head('box', 'k')).toMatchObject({ size: 3, seq: then })
      expect((await past.objects.listPage('box')).entries).toHaveLength(1)
    }
    expect(await codeOf(worker.store.at(then + 10))).toBe('MomentOutOfRange')
    expect(await codeOf(worker.store.at('before-import'))).toBe('NoSuchSnapshot')
    expect(await codeOf(worker.store.at(new Date(Number.NaN)))).toBe('InvalidArgument')
  })

  it('shares the bytes of removed objects with copies from the past', async () => {
    await stores.close()
    stores = await linkedStores(scratch.next(), { retentionMs: 3_600_000 })
    worker = await stores.hire()
    await worker.store.buckets.create('box')
    const { seq } = await worker.store.objects.put('box', 'k', 'x'.repeat(40_000))
    await worker.store.objects.delete('box', 'k')
    await worker.store.objects.copy({ bucket: 'box', key: 'k', at: seq }, 'box', 'copy')
    expect(await blobsOf(stores.dir)).toHaveLength(1)
    expect(await (await worker.store.objects.get('box', 'copy')).text()).toBe('x'.repeat(40_000))
    expect((await stores.store.verify()).divergences).toEqual([])
  })

  it('makes objects of parts, and answers a completion that comes twice', async () => {
    const upload = await worker.store.uploads.create('box', 'whole')
    const parts = [
      await worker.store.uploads.uploadPart(upload, 1, Buffer.alloc(5 * mib, 'a')),
      await worker.store.uploads.uploadPart(upload, 2, 'the rest'),
    ]
    const made = await worker.store.uploads.complete(upload, parts, { repeatable: true })
    expect(await worker.store.uploads.complete(upload, parts, { repeatable: true })).toEqual(made)
    const { text } = await worker.store.objects.get('box', 'whole', { range: { suffix: 8 } })
    expect(await text()).toBe('the rest')
    expect(await worker.store.objects.copy({ bucket: 'box', key: 'whole' }, 'box', 'copy')).toMatchObject({
      size: 5 * mib + 8,
    })
  })

  it('refuses with the code and the details of the owner', async () => {
    await worker.store.buckets.setVersioning('box', 'Enabled')
    await worker.store.objects.put('box', 'k', 'x')
    const { versionId } = await worker.store.objects.delete('box', 'k')
    await expect(worker.store.objects.get('box', 'k')).rejects.toMatchObject({
      name: 'StorageError',
      code: 'NoSuchKey',
      details: { DeleteMarker: true, VersionId: versionId },
    })
    expect(await codeOf(worker.store.objects.put('box', 'k', 'x', { ifMatch: 'other' }))).toBe('NoSuchKey')
    expect(await codeOf(worker.store.buckets.create('box'))).toBe('BucketAlreadyOwnedByYou')
    expect(await codeOf(worker.store.buckets.delete('box'))).toBe('BucketNotEmpty')
  })

  it('leaves nothing of bytes that are refused', async () => {
    const large = Buffer.alloc(mib)
    expect(await codeOf(worker.store.objects.put('box', 'k', large, { contentMD5: 'A'.repeat(22) + '==' }))).toBe(
      'BadDigest',
    )
    expect(await codeOf(worker.store.objects.put('box', 'k', large, { sha256: 'a'.repeat(64) }))).toBe('BadDigest')
    await worker.store.objects.put('box', 'k', 'x')
    expect(await codeOf(worker.store.objects.put('box', 'k', large, { ifNoneMatch: '*' }))).toBe('PreconditionFailed')
    expect(await blobsOf(stores.dir)).toEqual([])
    expect(await stores.store.verify()).toMatchObject({ ok: true })
  })
})

describe('what a worker reads', () => {
  it('is not erased under it, and is when it has ended', async () => {
    await worker.store.objects.put('box', 'k', Buffer.alloc(3 * mib, 'x'))
    const object = await worker.store.objects.get('box', 'k')
    await stores.store.objects.delete('box', 'k')
    await stores.store.sweep()
    expect(await blobsOf(stores.dir)).toHaveLength(1)
    expect(await object.bytes()).toHaveLength(3 * mib)
    await expect.poll(async () => (await stores.store.sweep(), blobsOf(stores.dir))).toEqual([])
  })

  it('is let go when it dies', async () => {
    await worker.store.objects.put('box', 'k', Buffer.alloc(3 * mib, 'x'))
    const object = await worker.store.objects.get('box', 'k')
    await stores.store.objects.delete('box', 'k')
    await worker.link.end()
    await stores.store.sweep()
    expect(await blobsOf(stores.dir)).toEqual([])
    await object.close()
  })
})

describe('what a worker writes', () => {
  it('is not swept while it is in flight', async () => {
    const { body, finish } = slowBody(mib)
    const put = worker.store.objects.put('box', 'k', body)
    await expect.poll(unfinished).toHaveLength(1)
    expect(await stores.store.sweep({ orphans: true })).toEqual({ erased: 0, orphans: 0 })
    finish()
    await put
    expect((await worker.store.objects.head('box', 'k')).size).toBe(mib)
    expect(await stores.store.sweep({ orphans: true })).toEqual({ erased: 0, orphans: 0 })
  })

  it('goes with it when it dies before the command, and stays when it dies after', async () => {
    await worker.store.objects.put('box', 'there', Buffer.alloc(mib))
    const { body, finish } = slowBody(mib)
    const put = codeOf(worker.store.objects.put('box', 'k', body))
    await expect.poll(unfinished).toHaveLength(1)
    expect(await worker.link.end()).toEqual(await unfinished())
    finish()
    // The worker may still run. What it does from now on is refused as if it were gone.
    await worker.close()
    expect(await put).toBe('StoreClosed')
    expect(await stores.store.verify()).toMatchObject({ ok: true })
    expect(await blobsOf(stores.dir)).toHaveLength(1)
  })
})

describe('a store that is opened again under its workers', () => {
  it('takes no command about bytes from before, and all from then on', async () => {
    await worker.store.objects.put('box', 'there', Buffer.alloc(mib))
    const { body, finish } = slowBody(mib)
    const put = codeOf(worker.store.objects.put('box', 'k', body))
    await expect.poll(unfinished).toHaveLength(1)
    await stores.reopen()
    finish()
    expect(['StoreClosed', 'StoreFailed', 'BlobFailed']).toContain(await put)
    await expect.poll(() => worker.store.state).toBe('open')
    expect(await codeOf(worker.store.objects.get('box', 'k'))).toBe('NoSuchKey')
    expect((await worker.store.objects.put('box', 'k', Buffer.alloc(mib))).size).toBe(mib)
    expect(await (await worker.store.objects.get('box', 'there')).bytes()).toHaveLength(mib)
    expect(await stores.store.verify()).toMatchObject({ ok: true })
  })

  it('goes on with the last opening, whatever of the one before is still to be answered', async () => {
    const [other] = [await stores.hire()]
    for (let round = 0; round < 3; round++) {
      const requested = Array.from({ length: 50 }, (_, i) =>
        codeOf(other.store.objects.put('box', `${round}/${i}`, 'x')),
      )
      await stores.reopen()
      expect(['no error', 'StoreClosed', 'StoreFailed', 'JournalClosed']).toEqual(
        expect.arrayContaining([...new Set(await Promise.all(requested))]),
      )
      await expect.poll(() => other.store.state).toBe('open')
      expect(await codeOf(other.store.objects.put('box', `${round}`, 'x'))).toBe('no error')
    }
  })

  it('is closed to them in between', async () => {
    await stores.store.close()
    worker.link.sendState()
    await expect.poll(() => worker.store.state).toBe('closed')
    expect(await codeOf(worker.store.objects.head('box', 'k'))).toBe('StoreClosed')
    expect(await codeOf(worker.store.objects.put('box', 'k', 'x'))).toBe('StoreClosed')
    await stores.reopen()
    await expect.poll(() => worker.store.state).toBe('open')
    await worker.store.objects.put('box', 'k', 'x')
  })
})

describe('a store that failed', () => {
  it('answers reads of its workers, refuses their writes, and deletes nothing of theirs', async () => {
    await worker.store.objects.put('box', 'there', Buffer.alloc(mib))
    const { body, finish } = slowBody(mib)
    const put = codeOf(worker.store.objects.put('box', 'k', body))
    await expect.poll(unfinished).toHaveLength(1)
    stores.store.owner.fail(new Error('EIO'))
    finish()
    expect(await put).toBe('StoreFailed')
    expect(worker.store.state).toBe('failed')
    expect(await blobsOf(stores.dir)).toHaveLength(2)
    expect(await (await worker.store.objects.get('box', 'there')).bytes()).toHaveLength(mib)
    expect(await codeOf(worker.store.objects.put('box', 'k', 'x'))).toBe('StoreFailed')
  })

  it('fails for all when one of them finds the medium out of order', async () => {
    const other = await stores.hire()
    const [owners, own] = duplexPair()
    new OwnerLink(owners, stores.store.owner, 1, { onStalled: () => undefined })
    const remote: RemoteOwner = new RemoteOwner(
      frameLink(own, (frame) => remote.hear(frame)),
      1,
    )
    const failure = remote.fail(new StorageError('BlobFailed', 'No.', { details: { errno: 'EIO' } }))
    expect(failure).toMatchObject({ code: 'StoreFailed', cause: { code: 'BlobFailed' } })
    await expect.poll(() => stores.store.state).toBe('failed')
    expect(stores.store.owner.failure).toMatchObject({ code: 'StoreFailed', cause: { details: { errno: 'EIO' } } })
    expect(await codeOf(other.store.objects.put('box', 'k', 'x'))).toBe('StoreFailed')
    expect(other.store.state).toBe('failed')
  })
})
