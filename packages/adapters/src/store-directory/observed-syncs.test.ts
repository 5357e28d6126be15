import type { SyncObservation } from '@varve/core'
import { afterEach, describe, expect, it } from 'vitest'
import { failing, faultyFileSystem } from '../files/faulty-file-system.fixture.ts'
import { layouts } from '../layouts/layout.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStoreDirectory, type StoreDirectory, type StoreDirectoryOptions } from './open-store-directory.ts'

const scratch = scratchDirectory()
const opened: StoreDirectory[] = []
let syncs: SyncObservation[] = []

afterEach(async () => {
  syncs = []
  await Promise.all(opened.splice(0).map((store) => store.close().catch(() => undefined)))
})

async function open(options: StoreDirectoryOptions): Promise<StoreDirectory> {
  const store = await openStoreDirectory(scratch.next(), { ...options, onSync: (sync) => syncs.push(sync) })
  opened.push(store)
  return store
}

async function* source() {
  yield Uint8Array.of(1, 2, 3)
}

const count = (what: SyncObservation['what']) => syncs.filter((sync) => sync.what === what).length
const time = { believed: 0, locks: 0, ran: 0, opened: 0, gaps: [], marks: [] }

describe.each(layouts)('the syncs of a store with the layout $name', ({ name: layout }) => {
  it('are reported with what they make durable, and how long they took', async () => {
    let clock = 0
    const store = await open({ layout, now: () => ++clock })
    await store.markReady()
    syncs = []
    await store.journal.commit({ expectedHead: 0, events: [Uint8Array.of(7)], rows: [] })
    expect(count('journal')).toBeGreaterThan(0)
    expect(count('blobs')).toBe(0)
    await store.blobs.write('c'.repeat(32), source())
    expect(count('blobs')).toBeGreaterThan(0)
    await store.witness.write({ seq: 1, hash: 'h' })
    await store.time.write(time)
    // The file and its directory.
    expect([count('witness'), count('time')]).toEqual([2, 2])
    for (const { durationMs, errorCode } of syncs) {
      expect(durationMs).toBeGreaterThan(0)
      expect(errorCode).toBeUndefined()
    }
  })
})

describe('a sync that fails', () => {
  it.each([
    ['ENOSPC', 'NoSpace'],
    ['EIO', 'BlobFailed'],
  ])('with %s is reported with the code %s, and the write fails as before', async (errno, errorCode) => {
    const { fs } = faultyFileSystem(failing('sync', /^c{32}/, errno))
    const store = await open({ fs })
    syncs = []
    await expect(store.blobs.write('c'.repeat(32), source())).rejects.toMatchObject({ code: errorCode })
    const failed = syncs.filter((sync) => sync.errorCode !== undefined)
    expect(failed).toEqual([{ what: 'blobs', durationMs: expect.any(Number) as number, errorCode }])
  })
})
