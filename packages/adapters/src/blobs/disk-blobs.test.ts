import { mkdir } from 'node:fs/promises'
import { blobStoreContract } from '@varve/core/contracts'
import { describe, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { createBlobDirectories } from './create-blob-directories.ts'
import { diskBlobs } from './disk-blobs.ts'

describe('blobs on disk', () => {
  const scratch = scratchDirectory()
  const openFresh = async (path = scratch.next()) => {
    await mkdir(path).then(() => createBlobDirectories(path))
    return { instance: await diskBlobs(path), reopen: () => diskBlobs(path) }
  }
  for (const { name, run } of blobStoreContract) it(name, () => run(openFresh))
})
