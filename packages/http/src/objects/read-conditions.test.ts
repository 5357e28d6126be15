import { describe, expect, it } from 'vitest'
import { createRequestHeaders } from '../target/request-headers.ts'
import { copySourceConditions, readConditions } from './read-conditions.ts'

const now = new Date('2026-03-01T00:00:00.500Z')
const headers = (of: Readonly<Record<string, string>>) => createRequestHeaders(Object.entries(of).flat())

describe('readConditions', () => {
  it('reads all four', () => {
    const sent = headers({
      'If-Match': '"a", b',
      'If-None-Match': 'W/"c", *',
      'If-Modified-Since': 'Sun, 01 Mar 2026 00:00:00 GMT',
      'If-Unmodified-Since': 'Mon, 02 Mar 2026 00:00:00 GMT',
    })
    expect(readConditions(sent, now)).toEqual({
      ifMatch: ['a', 'b'],
      ifNoneMatch: ['c', '*'],
      ifModifiedSince: new Date('2026-03-01T00:00:00.000Z'),
      ifUnmodifiedSince: new Date('2026-03-02T00:00:00.000Z'),
    })
  })

  it('ignores dates that are none, and an If-Modified-Since in the future', () => {
    const sent = { 'If-Modified-Since': 'Sun, 01 Mar 2026 00:00:01 GMT', 'If-Unmodified-Since': 'soon' }
    expect(readConditions(headers(sent), now)).toEqual({})
  })

  it('keeps an If-Match that can match nothing', () => {
    expect(readConditions(headers({ 'If-Match': '' }), now)).toEqual({ ifMatch: [] })
  })
})

describe('copySourceConditions', () => {
  it('reads the headers of the source, in either spelling, and not those of the target', () => {
    const sent = headers({
      'If-Match': '"target"',
      'x-amz-copy-source-if-match': '"a"',
      'x-svc-copy-source-if-none-match': '"b"',
      'x-amz-copy-source-if-unmodified-since': 'Sun, 01 Mar 2026 00:00:00 GMT',
    })
    expect(copySourceConditions(sent, now)).toEqual({
      ifMatch: ['a'],
      ifNoneMatch: ['b'],
      ifUnmodifiedSince: new Date('2026-03-01T00:00:00.000Z'),
    })
  })
})
