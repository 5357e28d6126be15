import { describe, expect, it } from 'vitest'
import { checksumAlgorithms } from '../base/checksums.ts'
import type { RecordedEvent } from './event.ts'
import { storedVersion } from './stored-version.ts'

const of = (type: RecordedEvent['type'], data: object): number =>
  storedVersion({ seq: 1, at: 0, by: { id: 'a', name: 'a' }, requestId: 'r', prev: '', type, data } as RecordedEvent)

describe('the version an event is stored with', () => {
  it.each(checksumAlgorithms)('is the first for %s only where that version knew it', (algorithm) => {
    const first = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'].includes(algorithm) ? 1 : 2
    const facts = { content: { kind: 'empty' }, checksum: { algorithm, type: 'FULL_OBJECT', value: '' } }
    expect(of('VersionAdded', facts)).toBe(first)
    expect(of('PartAdded', facts)).toBe(first)
    expect(of('UploadCompleted', facts)).toBe(first)
    expect(of('UploadStarted', { checksumAlgorithm: algorithm })).toBe(first)
  })

  it('is the first where nothing more is stated', () => {
    expect(of('VersionAdded', { content: { kind: 'empty' } })).toBe(1)
    expect(of('UploadStarted', { defaultChecksumAlgorithm: 'CRC64NVME' })).toBe(1)
  })
})
