import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { failing, faultyFileSystem } from '../files/faulty-file-system.fixture.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStoreDirectory, type StoreDirectory } from './open-store-directory.ts'
import { assertRoomToOpen } from './room-to-open.ts'

const scratch = scratchDirectory()
let store: StoreDirectory

async function openOne(): Promise<string> {
  const path = scratch.next()
  store = await openStoreDirectory(path)
  await store.markReady()
  return path
}

afterEach(() => store.close())

describe('room to open a store', () => {
  it('is looked for by writing as much as the log holds, beside an open store, and given back', async () => {
    const path = await openOne()
    await store.journal.commit({ expectedHead: 0, events: [new Uint8Array(3 * 1024 * 1024)], rows: [] })
    const before = await readdir(join(path, 'events'))
    const { fs, trace } = faultyFileSystem(() => undefined)
    await assertRoomToOpen(path, { fs })
    expect(trace.filter((line) => /^write room-\d+\.probe$/.test(line)).length).toBeGreaterThanOrEqual(16)
    expect(trace.filter((line) => line.endsWith('LOCK'))).toEqual([])
    expect(await readdir(join(path, 'events'))).toEqual(before)
    await store.journal.commit({ expectedHead: 1, events: [Uint8Array.of(1)], rows: [] })
  })

  it.each([
    ['write', 'ENOSPC', 'NoSpace'],
    ['open', 'ENOSPC', 'NoSpace'],
    ['write', 'EFBIG', 'NoSpace'],
    ['sync', 'EIO', 'JournalFailed'],
  ])('is missing when %s fails with %s, and the attempt leaves nothing', async (operation, errno, code) => {
    const path = await openOne()
    const { fs, open } = faultyFileSystem(failing(operation, /probe/, errno))
    await expect(assertRoomToOpen(path, { fs })).rejects.toMatchObject({ code })
    expect(open()).toBe(0)
    expect(await readdir(join(path, 'events'))).not.toContainEqual(expect.stringContaining('probe'))
  })
})
