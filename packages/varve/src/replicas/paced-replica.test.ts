import { describe, expect, it } from 'vitest'
import { memoryBlobs } from '@varve/adapters'
import type { ByteSource } from '@varve/core'
import { pacedReplica } from './paced-replica.ts'
import type { OpenReplica } from './replica-address.ts'

const id = (n: number): string => n.toString(16).padStart(32, '0')

async function* chunks(count: number): ByteSource {
  for (let n = 0; n < count; n++) yield new Uint8Array(1000).fill(n)
}

function replica(): OpenReplica {
  const files = new Map<string, number>()
  const create = async (name: string, source: ByteSource): Promise<boolean> => {
    let size = 0
    for await (const bytes of source) size += bytes.length
    files.set(name, size)
    return true
  }
  return { blobs: memoryBlobs(), files: { create } } as unknown as OpenReplica
}

describe('a replica with a limit', () => {
  it('is written as fast as the limit allows, blobs and files together', async () => {
    const paced = pacedReplica(replica(), 100_000, new AbortController().signal)
    const began = performance.now()
    await Promise.all([
      paced.blobs.write(id(1), chunks(10)),
      paced.blobs.write(id(2), chunks(10)),
      paced.files.create('log/0/1', chunks(11)),
    ])
    // The first thousand bytes wait for nothing.
    expect(performance.now() - began).toBeGreaterThan(290)
    expect((await paced.blobs.open(id(1))).size).toBe(10_000)
  })

  it('is written at once when its store closes', async () => {
    const ending = new AbortController()
    const paced = pacedReplica(replica(), 1, ending.signal)
    const writing = paced.blobs.write(id(1), chunks(3))
    ending.abort()
    expect(await writing).toBe(3000)
  })
})
