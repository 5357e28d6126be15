import { describe, expect, it } from 'vitest'
import { hashing } from '../api/memory-ports.fixture.ts'
import type { Content } from './content.ts'
import type { Event } from './event.ts'
import { splitOldSeal } from './split-old-seal.ts'

const blob = { id: 'b1', size: 22, inline: true, crcs: 'AAAAAA==' }
const sealed = { v: 1, mode: 'AES256', key: '1' } as const
const oldContent = (wrapped: string): Content =>
  ({ kind: 'blob', blob, sealed: { ...sealed, wrapped } }) as unknown as Content
const newContent: Content = { kind: 'blob', blob, sealed: { ...sealed, keyCrc: 0x55bc801d } }
const object = { bucket: 'box', key: 'k', nullVersion: false, size: 6, etag: 'e', metadata: { user: [] } }
const withContent = (content: Content): readonly Event[] => [
  { type: 'VersionAdded', data: { ...object, content } },
  { type: 'PartAdded', data: { bucket: 'box', key: 'k', upload: 3, partNumber: 1, size: 6, etag: 'e', content } },
]
const erasing = (content: Content): Event => ({
  type: 'ContentsErased',
  data: { erased: [{ freedBy: 9, index: 0, content }] },
})

describe('an event of an earlier release', () => {
  it('is split into the event as it is written now, and its wrapped data keys', () => {
    for (const [i, event] of withContent(oldContent('AQID')).entries()) {
      expect(splitOldSeal(hashing, event)).toEqual({
        event: withContent(newContent)[i],
        keys: [{ blobId: 'b1', wrapped: Uint8Array.of(1, 2, 3) }],
      })
    }
  })

  it('that records an erasure brings no key', () => {
    expect(splitOldSeal(hashing, erasing(oldContent('AQID')))).toEqual({ event: erasing(newContent), keys: [] })
  })

  it('with a key that is not base64 brings none, so that the key counts as missing', () => {
    for (const wrapped of ['', 'A', '????']) {
      for (const event of withContent(oldContent(wrapped))) expect(splitOldSeal(hashing, event).keys).toEqual([])
    }
  })

  it('without a data key stays as it is', () => {
    const parts: Content = { kind: 'parts', upload: 3 }
    const others: readonly Event[] = [
      ...withContent(newContent),
      ...withContent({ kind: 'blob', blob }),
      ...withContent({ kind: 'empty' }),
      { type: 'UploadCompleted', data: { ...object, upload: 3, parts: [[1, 1]], unused: [], content: parts } },
      { type: 'BucketDeleted', data: { bucket: 'box' } },
    ]
    for (const event of others) expect(splitOldSeal(hashing, event)).toEqual({ event, keys: [] })
    expect(splitOldSeal(hashing, erasing({ kind: 'blob', blob }))).toEqual({
      event: erasing({ kind: 'blob', blob }),
      keys: [],
    })
  })
})
