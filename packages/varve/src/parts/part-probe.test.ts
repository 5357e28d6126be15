import { StorageError } from '@varve/core'
import { describe, expect, it, vi } from 'vitest'
import { partProbe } from './part-probe.ts'

const codeOf = 'BlobFailed'

describe('a probe of a part', () => {
  it('asks at most once a second, and tells all who ask the same', async () => {
    let time = 0
    const ask = vi.fn(async () => undefined)
    const probe = partProbe({ ask, code: codeOf, now: () => time })
    expect(await Promise.all([probe(), probe(), probe()])).toEqual([undefined, undefined, undefined])
    expect(ask).toHaveBeenCalledTimes(1)
    time = 999
    await probe()
    expect(ask).toHaveBeenCalledTimes(1)
    time = 1000
    await probe()
    expect(ask).toHaveBeenCalledTimes(2)
  })

  it('gives the code of a failure, and asks again a second later', async () => {
    let time = 0
    const failures: unknown[] = [
      new StorageError('JournalFailed', 'It is away.'),
      new StorageError('JournalFailed', 'It has no certificate.', { details: { kind: 'tls' } }),
      new StorageError('BlobFailed', 'It has a long kind.', { details: { kind: 'http://10.0.0.1/' } }),
      new Error('unexpected'),
    ]
    const ask = () => (failures.length > 0 ? Promise.reject(failures.shift()) : Promise.resolve())
    const probe = partProbe({ ask, code: codeOf, now: () => time })
    const seen: unknown[] = []
    for (; time < 5000; time += 1000) seen.push(await probe())
    expect(seen).toEqual([
      { code: 'JournalFailed' },
      { code: 'JournalFailed', kind: 'tls' },
      { code: codeOf },
      { code: codeOf },
      undefined,
    ])
  })

  it('takes what throws for a failure', async () => {
    const ask = () => {
      throw new StorageError('JournalClosed', 'It is closed.')
    }
    expect(await partProbe({ ask, code: codeOf })()).toEqual({ code: 'JournalClosed' })
  })

  it('waits a second for an answer, then not at all, and never asks twice at once', async () => {
    vi.useFakeTimers()
    try {
      let answer = () => {}
      const ask = vi.fn(() => new Promise<void>((resolve) => (answer = resolve)))
      const probe = partProbe({ ask, code: codeOf, now: () => Date.now() })
      const first = probe()
      await vi.advanceTimersByTimeAsync(1000)
      expect(await first).toEqual({ code: codeOf })
      await vi.advanceTimersByTimeAsync(60_000)
      const later = probe()
      await vi.advanceTimersByTimeAsync(0)
      expect(await later).toEqual({ code: codeOf })
      expect(ask).toHaveBeenCalledTimes(1)
      answer()
      await vi.advanceTimersByTimeAsync(0)
      expect(await probe()).toBeUndefined()
      expect(ask).toHaveBeenCalledTimes(1)
    } finally {
      vi.useRealTimers()
    }
  })

  it('takes the answers of others for an answer, while its own question hangs', async () => {
    let quietMs = 5000
    const ask = () => new Promise<void>(() => undefined)
    const probe = partProbe({ ask, sinceAnswer: () => quietMs, code: codeOf })
    expect(await probe()).toEqual({ code: codeOf })
    quietMs = 10
    expect(await probe()).toBeUndefined()
    quietMs = 5000
    expect(await probe()).toEqual({ code: codeOf })
  })

  it('asks nothing while the part answers others', async () => {
    const ask = vi.fn(async () => undefined)
    let quietMs = 10
    const probe = partProbe({ ask, sinceAnswer: () => quietMs, code: codeOf })
    expect(await probe()).toBeUndefined()
    expect(ask).not.toHaveBeenCalled()
    quietMs = 1000
    await probe()
    expect(ask).toHaveBeenCalledTimes(1)
  })
})
