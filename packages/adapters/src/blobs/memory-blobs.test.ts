import { blobStoreContract } from '@varve/core/contracts'
import { describe, it } from 'vitest'
import { memoryBlobs } from './memory-blobs.ts'

describe('blobs in memory', () => {
  const openFresh = async (medium = new Map()) => ({
    instance: memoryBlobs(medium),
    reopen: async () => memoryBlobs(medium),
  })
  for (const { name, run } of blobStoreContract) it(name, () => run(openFresh))
})
