import { describe, expect, it } from 'vitest'
import { hasFilesForThreads, openFilesMax, openFilesShares } from './open-files.ts'

describe('the files a process may open', () => {
  it('are shared between blobs and connections, and some are kept back', () => {
    expect(openFilesShares(64)).toEqual({ blobs: 12, connections: 12 })
    expect(openFilesShares(1024)).toEqual({ blobs: 482, connections: 482 })
    expect(openFilesShares(20_000)).toEqual({ blobs: 4096, connections: 15_844 })
    expect(openFilesShares(Number.POSITIVE_INFINITY)).toEqual({ blobs: 4096, connections: Number.POSITIVE_INFINITY })
    expect(openFilesShares(10)).toEqual({ blobs: 4, connections: 4 })
  })

  it('are too few for threads below 512', () => {
    expect([64, 511, 512, Number.POSITIVE_INFINITY].map(hasFilesForThreads)).toEqual([false, false, true, true])
  })

  it('are limited as the system reports, where it does', () => {
    expect(openFilesMax()).toBeGreaterThan(process.platform === 'linux' ? 20 : 1e9)
  })
})
