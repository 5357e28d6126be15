import { StorageError } from '@varve/core'
import { blobStoreContract } from '@varve/core/contracts'
import { describe, expect, it } from 'vitest'
import { memoryBlobs } from '../blobs/memory-blobs.ts'
import { faultAt, flipBit } from './fault-plan.ts'
import { faultyBlobs } from './faulty-blobs.ts'

describe('faulty blobs without faults', () => {
  const openFresh = async (medium = new Map()) => ({
    instance: faultyBlobs(memoryBlobs(medium), () => undefined),
    reopen: async () => faultyBlobs(memoryBlobs(medium), () => undefined),
  })
  for (const { name, run } of blobStoreContract) it(name, () => run(openFresh))
})

describe('faulty blobs', () => {
  const id = '0123456789abcdef0123456789abcdef'
  const error = new StorageError('BlobFailed', 'As planned.')
  async function* source() {
    yield Uint8Array.of(1, 2, 3)
  }

  it('fail a write before or after its effect', async () => {
    for (const kind of ['before', 'after'] as const) {
      const medium = new Map<string, Uint8Array>()
      const blobs = faultyBlobs(memoryBlobs(medium), faultAt('write', 1, { kind, error }))
      await expect(blobs.write(id, source())).rejects.toBe(error)
      expect(medium.has(id)).toBe(kind === 'after')
      expect(await blobs.write(id, source())).toBe(3)
    }
  })

  it('change what is read', async () => {
    const blobs = faultyBlobs(memoryBlobs(), faultAt('read', 1, { kind: 'alter', alter: flipBit(1) }))
    await blobs.write(id, source())
    const handle = await blobs.open(id)
    const read = async () => {
      const bytes = new Uint8Array(3)
      await handle.read(bytes, 0)
      return [...bytes]
    }
    expect(await read()).toEqual([1, 3, 3])
    expect(await read()).toEqual([1, 2, 3])
  })
})
