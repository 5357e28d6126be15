import { describe, expect, it } from 'vitest'
import { faultyFileSystem } from '../files/faulty-file-system.fixture.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStoreDirectory } from './open-store-directory.ts'

const scratch = scratchDirectory()

describe('the seal of a store that is closed', () => {
  it('is written when the names it vouches for are durable: the log may lie on another file system', async () => {
    const { fs, trace } = faultyFileSystem(() => undefined)
    const store = await openStoreDirectory(scratch.next(), { fs })
    await store.markReady()
    store.markSound()
    trace.length = 0
    await store.close()
    const synced = trace.indexOf('sync events')
    expect(synced).toBeGreaterThanOrEqual(0)
    expect(trace.indexOf('rename seal.tmp')).toBeGreaterThan(synced)
  })
})
