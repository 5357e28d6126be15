import { mkdir } from 'node:fs/promises'
import { blobStoreContract } from '@varve/core/contracts'
import { describe, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { segmentBlobs } from './segment-blobs.ts'
import { createTieredDirectories, tieredBlobs } from './tiered-blobs.ts'

const mebibyte = 1024 * 1024

const kinds = {
  'blobs in segments': (path: string) => segmentBlobs(path),
  'blobs in segments that are soon full': (path: string) => segmentBlobs(path, { segmentBytes: 100_000 }),
  'blobs in tiers': (path: string) => tieredBlobs(path),
  'blobs in tiers with no memory to gather in': (path: string) => tieredBlobs(path, { gatherMax: 2 * mebibyte }),
}

describe.each(Object.entries(kinds))('%s', (_, open) => {
  const scratch = scratchDirectory()
  const openFresh = async (path = scratch.next()) => {
    await mkdir(path).then(() => createTieredDirectories(path))
    return { instance: await open(path), reopen: () => open(path) }
  }
  for (const { name, run } of blobStoreContract) it(name, () => run(openFresh))
})
