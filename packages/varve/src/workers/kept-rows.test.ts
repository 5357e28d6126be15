/** What workers keep of the rows that they read, and every order in which commits and frames can meet. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { duplexPair } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { isStorageError, type OwnedLog, type ReadSet, type RowReader } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { frameLink } from './frame-link.ts'
import { type LinkedStores, linkedStores, type LinkedWorker } from './linked-stores.fixture.ts'
import { OwnerLink } from './owner-link.ts'
import { RemoteOwner } from './remote-owner.ts'

const scratch = scratchDirectory()
let stores: LinkedStores
let worker: LinkedWorker
let other: LinkedWorker

beforeEach(async () => {
  stores = await linkedStores(scratch.next())
  worker = await stores.hire()
  other = await stores.hire()
  await stores.store.buckets.create('box')
  await stores.store.objects.put('box', 'k', 'old')
})
afterEach(async () => {
  for (const { toWorker, toOwner } of [worker, other]) {
    toWorker.release()
    toOwner.release()
  }
  await stores.close()
})

const text = async ({ store }: Pick<LinkedWorker, 'store'>, key = 'k') => (await store.objects.get('box', key)).text()
const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no error',
    (error: unknown) => (isStorageError(error) ? error.code : error),
  )
/** Whether it is still to be answered after everything that can happen has happened. */
const isPending = (call: Promise<unknown>): Promise<boolean> =>
  Promise.race([call.then(() => false), delay(60).then(() => true)])

/** Reads the key, so that the worker keeps its rows and bytes. */
async function warm(...workers: readonly LinkedWorker[]): Promise<void> {
  for (const one of workers) expect(await text(one)).toBe('old')
}

async function rowKeyOf(bucket: string): Promise<Uint8Array> {
  const tracked: ReadSet[number][] = []
  await stores.store.tracking(tracked).buckets.head(bucket)
  const [read] = tracked
  if (read === undefined || !('key' in read)) throw new Error('The bucket has no row.')
  return Buffer.from(read.key, 'latin1')
}

/** The row, which is the same object as long as it is kept. */
const kept = (rows: RowReader, key: Uint8Array): unknown => {
  const decode = (frame: Uint8Array) => ({ text: Buffer.from(frame).toString('latin1') })
  return 'row' in rows ? (rows as KeepingReader).row(key, decode) : rows.get(key)
}

interface KeepingReader extends RowReader {
  row(key: Uint8Array, decode: (frame: Uint8Array) => object): unknown
}

function linkedTo(owner: OwnedLog): RemoteOwner {
  const [owners, workers] = duplexPair()
  new OwnerLink(owners, owner, 1, { onStalled: () => undefined })
  const remote: RemoteOwner = new RemoteOwner(
    frameLink(workers, (frame) => remote.hear(frame)),
    1,
  )
  return remote
}

/** The owner, and what ends the wait of the rows that it has read for workers. */
function slowOwner() {
  let send: () => void = () => undefined
  const sending = new Promise<void>((resolve) => (send = resolve))
  const { owner } = stores.store
  const read = vi.fn(async (key: Uint8Array) => owner.log.get(key))
  const get = async (key: Uint8Array) => {
    const row = await read(key)
    await sending
    return row
  }
  const slow = new Proxy(owner, {
    get(target, name) {
      if (name === 'log') return { ...target.log, get }
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { owner: slow, read, send: () => send() }
}

describe('a worker', () => {
  it('reads what it has read before without the owner', async () => {
    await warm(worker)
    worker.toOwner.hold()
    expect(await text(worker)).toBe('old')
    expect((await worker.store.objects.head('box', 'k')).size).toBe(3)
    expect(worker.toOwner.held).toBe(0)
  })

  it('has dropped a row before anyone sees the commit that changes it', async () => {
    await warm(worker)
    worker.toWorker.hold()
    const put = stores.store.objects.put('box', 'k', 'new')
    expect(await isPending(put)).toBe(true)
    for (const one of [stores, worker, other]) expect(await text(one)).toBe('old')
    worker.toWorker.release()
    await put
    for (const one of [worker, other]) expect(await text(one)).toBe('new')
  })

  it('confirms before the commit is acknowledged, whoever sent it', async () => {
    await warm(worker, other)
    worker.toOwner.hold()
    const put = other.store.objects.put('box', 'k', 'new')
    expect(await isPending(put)).toBe(true)
    expect(await text(other)).toBe('old')
    worker.toOwner.release()
    await put
    for (const one of [worker, other]) expect(await text(one)).toBe('new')
  })

  it('delays no commit of rows that it does not keep', async () => {
    await warm(worker)
    worker.toWorker.hold()
    await stores.store.objects.put('box', 'another', 'new')
    await stores.store.buckets.create('another')
    expect(worker.toWorker.held).toBe(0)
  })

  it('does not keep a row that was on its way when a commit changed it', async () => {
    await worker.store.buckets.head('box')
    worker.toWorker.hold()
    const head = worker.store.objects.head('box', 'k')
    await expect.poll(() => worker.toWorker.held).toBe(1)
    const put = stores.store.objects.put('box', 'k', 'newer')
    expect(await isPending(put)).toBe(true)
    worker.toWorker.release()
    expect([3, 5]).toContain((await head).size)
    await put
    expect((await worker.store.objects.head('box', 'k')).size).toBe(5)
    expect(await text(worker)).toBe('newer')
  })

  it('does not keep a row that it reads while a commit that changes it waits for another worker', async () => {
    await warm(other)
    other.toWorker.hold()
    const put = stores.store.objects.put('box', 'k', 'new')
    expect(await isPending(put)).toBe(true)
    for (let i = 0; i < 3; i++) expect(await text(worker)).toBe('old')
    other.toWorker.release()
    await put
    expect(await text(worker)).toBe('new')
  })

  it('does not keep a row that was read before a commit and sent after it', async () => {
    const { owner, read, send } = slowOwner()
    const remote = linkedTo(owner)
    const key = await rowKeyOf('box')
    const requested = remote.log.get(key)
    await expect.poll(() => read.mock.calls).toHaveLength(1)
    await stores.store.buckets.setVersioning('box', 'Enabled')
    send()
    const before = await requested
    expect(await remote.log.get(key)).not.toEqual(before)
  })

  it('does not keep a row that was read before the store was closed and sent after it', async () => {
    const { owner, read, send } = slowOwner()
    const remote = linkedTo(owner)
    const key = await rowKeyOf('box')
    const requested = remote.log.get(key)
    await expect.poll(() => read.mock.calls).toHaveLength(1)
    await stores.store.close()
    send()
    expect(await requested).toBeDefined()
    await expect(Promise.resolve(remote.log.get(key))).rejects.toMatchObject({ code: 'StoreClosed' })
  })

  it('sees keys and buckets that were deleted, and those that took their names', async () => {
    await warm(worker)
    await stores.store.objects.delete('box', 'k')
    expect(await codeOf(text(worker))).toBe('NoSuchKey')
    await stores.store.objects.put('box', 'k', 'again')
    expect(await text(worker)).toBe('again')
    await stores.store.objects.delete('box', 'k')
    await stores.store.buckets.delete('box')
    expect(await codeOf(text(worker))).toBe('NoSuchBucket')
    await stores.store.buckets.create('box')
    expect(await codeOf(text(worker))).toBe('NoSuchKey')
  })

  it('drops everything when the views are computed again', async () => {
    await warm(worker)
    worker.toWorker.hold()
    const rebuilt = stores.store.rebuild()
    expect(await isPending(rebuilt)).toBe(true)
    worker.toWorker.release()
    await rebuilt
    worker.toOwner.hold()
    const read = text(worker)
    expect(await isPending(read)).toBe(true)
    worker.toOwner.release()
    expect(await read).toBe('old')
  })

  it('does not use what it keeps when the owner is gone', async () => {
    let isOwned = true
    const orphan = await stores.hire({ isOwned: () => isOwned })
    await warm(orphan)
    orphan.toOwner.hold()
    await warm(orphan)
    isOwned = false
    const reads = [text(orphan), orphan.store.buckets.head('box')]
    for (const read of reads) expect(await isPending(read)).toBe(true)
    orphan.toOwner.release()
    await Promise.all(reads)
  })
})

describe('a read of a worker', () => {
  it('sees one state, although it took a row from memory before the commit', async () => {
    const remote = linkedTo(stores.store.owner)
    await stores.store.buckets.create('pen')
    const [box, pen] = [await rowKeyOf('box'), await rowKeyOf('pen')]
    const before = await remote.withSnapshot((rows) => kept(rows, box))
    const seen: unknown[] = []
    await remote.withSnapshot(async (rows) => {
      const first = await kept(rows, box)
      if (seen.length === 0) await stores.store.buckets.setVersioning('box', 'Enabled')
      await rows.get(pen)
      seen.push(first)
    })
    expect(seen).toHaveLength(2)
    expect(seen[0]).toBe(before)
    expect(seen[1]).not.toEqual(before)
  })

  it('is not fresh from the moment at which its rows may change', async () => {
    const reads = worker.store.tracking([])
    await reads.buckets.head('box')
    expect(reads.isFresh()).toBe(true)
    worker.toOwner.hold()
    const change = stores.store.buckets.setVersioning('box', 'Enabled')
    expect(await isPending(change)).toBe(true)
    expect(reads.isFresh()).toBe(false)
    const meanwhile = worker.store.tracking([])
    const head = meanwhile.buckets.head('box')
    worker.toOwner.release()
    await head
    await change
    const later = worker.store.tracking([])
    expect((await later.buckets.head('box')).versioning).toBe('Enabled')
    expect(later.isFresh()).toBe(true)
  })

  it('that found its object in memory protects the bytes until they are read', async () => {
    const blobs = async () => {
      const entries = await readdir(join(stores.dir, 'blobs'), { recursive: true, withFileTypes: true })
      return entries.filter((entry) => entry.isFile())
    }
    await stores.store.objects.put('box', 'large', Buffer.alloc(3 * 1024 ** 2, 'x'))
    await text(worker, 'large')
    const object = await worker.store.objects.get('box', 'large')
    await stores.store.objects.delete('box', 'large')
    await stores.store.sweep()
    expect(await blobs()).toHaveLength(1)
    expect(await object.bytes()).toHaveLength(3 * 1024 ** 2)
    await expect.poll(async () => (await stores.store.sweep(), blobs())).toEqual([])
  })
})

describe('a store', () => {
  it('goes on when a worker that keeps a row does not answer: the worker is given up', async () => {
    const stalled = await stores.hire({ stalledMs: 200 })
    await warm(stalled)
    stalled.toWorker.hold()
    await stores.store.objects.put('box', 'k', 'new')
    expect(await text(worker)).toBe('new')
    stalled.toWorker.release()
  })

  it('is closed when its workers have dropped all rows, and later ones do not keep any of it', async () => {
    await warm(worker)
    worker.toWorker.hold()
    const closed = stores.store.close()
    expect(await isPending(closed)).toBe(true)
    worker.toWorker.release()
    await closed
    expect(await codeOf(text(worker))).toBe('StoreClosed')
    await stores.reopen()
    await stores.store.objects.put('box', 'k', 'new')
    await expect.poll(() => worker.store.state).toBe('open')
    expect(await text(worker)).toBe('new')
  })
})

describe('several workers, whose frames are held back at random', () => {
  it('see each key as one register', async () => {
    const keys = ['a', 'b', 'c']
    /** The least that a read that begins now may see: acknowledged, or seen by anyone. */
    const known = new Map(keys.map((key) => [key, 0]))
    const note = (key: string, value: number) => known.set(key, Math.max(known.get(key) as number, value))
    for (const key of keys) await stores.store.objects.put('box', key, '0')
    const all = [worker, other, await stores.hire()]
    let isOver = false
    const shake = all.flatMap(({ toWorker, toOwner }) =>
      [toWorker, toOwner].map(async (gate) => {
        while (!isOver) {
          gate.hold()
          await delay(Math.random() * 3)
          gate.release()
          await delay(Math.random() * 3)
        }
      }),
    )
    const read = async (from: Pick<LinkedWorker, 'store'>, key: string) => {
      const least = known.get(key) as number
      const value = Number(await text(from, key))
      expect(value).toBeGreaterThanOrEqual(least)
      note(key, value)
    }
    const readers = [stores, ...all].flatMap((from) =>
      keys.map(async (key) => {
        while (!isOver) {
          await read(from, key)
          await delay(Math.random() * 2)
        }
      }),
    )
    const writers = keys.map(async (key, i) => {
      for (let value = 1; value <= 60; value++) {
        await (all[(i + value) % 3] as LinkedWorker).store.objects.put('box', key, String(value))
        note(key, value)
        await delay(Math.random() * 4)
      }
    })
    await Promise.all(writers)
    isOver = true
    await Promise.all([...readers, ...shake])
    for (const from of all) for (const key of keys) expect(await text(from, key)).toBe('60')
  }, 60_000)
})
