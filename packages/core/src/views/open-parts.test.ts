import { describe, expect, it } from 'vitest'
import type { Event, RecordedEvent } from '../events/index.ts'
import { OpenParts } from './open-parts.ts'

const [bucket, key] = ['box', 'key']
const roomy = 1 << 20

function recorded(seq: number, event: Event): RecordedEvent {
  return { ...event, seq, at: 0, by: { id: 'alice', name: 'Alice' }, requestId: `${seq}`, prev: '' }
}

const started = (seq: number) =>
  recorded(seq, { type: 'UploadStarted', data: { bucket, key, metadata: { user: [] } } as never })
const added = (upload: number, partNumber: number, etag: string) =>
  recorded(1000, {
    type: 'PartAdded',
    data: { bucket, key, upload, partNumber, size: 1, etag, content: { kind: 'empty' } },
  })
const aborted = (upload: number) => recorded(1001, { type: 'UploadAborted', data: { bucket, key, upload } })

function partsAfter(bytesMax: number, ...events: readonly RecordedEvent[]): OpenParts {
  const parts = new OpenParts(bytesMax)
  for (const event of events) parts.committed(event)
  return parts
}

describe('the parts of open uploads', () => {
  it('are all there, in the order of their numbers, each as it was uploaded last', () => {
    const parts = partsAfter(roomy, started(1), added(1, 3, 'c'), added(1, 1, 'a'), added(1, 3, 'd'), added(1, 2, 'b'))
    const facts = [...(parts.of(1) ?? [])].map(([number, { etag }]) => [number, etag])
    expect(facts).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'd'],
    ])
  })

  it('are not known of an upload that was started before', () => {
    expect(partsAfter(roomy, added(1, 1, 'a')).of(1)).toBeUndefined()
  })

  it('are known of an upload that has none', () => {
    expect(partsAfter(roomy, started(1)).of(1)?.size).toBe(0)
  })

  it('are forgotten with the upload', () => {
    expect(partsAfter(roomy, started(1), added(1, 1, 'a'), aborted(1)).of(1)).toBeUndefined()
  })

  it('are kept for those uploads that changed last, and what was forgotten does not come back in part', () => {
    const parts = partsAfter(1100, started(1), started(2), added(1, 1, 'a'), added(1, 2, 'b'), added(1, 3, 'c'))
    expect([parts.of(1)?.size, parts.of(2)]).toEqual([3, undefined])
    parts.committed(added(2, 1, 'a'))
    expect(parts.of(2)).toBeUndefined()
    for (let number = 4; number < 7; number++) parts.committed(added(1, number, 'd'))
    expect(parts.of(1)).toBeUndefined()
    parts.committed(started(3))
    expect(parts.of(3)?.size).toBe(0)
  })

  it('are not kept at all where nothing may be', () => {
    expect(partsAfter(0, started(1)).of(1)).toBeUndefined()
  })
})
