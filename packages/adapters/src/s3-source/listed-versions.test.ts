/** Listings of servers that keep the order of the kinds, and of those that do not. */
import { describe, expect, it } from 'vitest'
import { listedVersions } from './listed-versions.ts'

interface Row {
  readonly id: string
  readonly key?: string
  readonly second?: number
  readonly isLatest?: boolean
}

const entryOf = ({ id, key = 'a', second = 0, isLatest = false }: Row) => ({
  Key: key,
  VersionId: id,
  IsLatest: isLatest,
  LastModified: new Date(second * 1000),
})

const ordered = (
  { versions, markers }: { readonly versions: readonly Row[]; readonly markers: readonly Row[] },
  { kinds, next }: { readonly kinds?: string; readonly next?: { readonly key: string; readonly id: string } } = {},
) =>
  listedVersions(
    {
      $metadata: {},
      Versions: versions.map(entryOf),
      DeleteMarkers: markers.map(entryOf),
      ...(next && { NextKeyMarker: next.key, NextVersionIdMarker: next.id }),
    },
    (kinds ?? 'm'.repeat(markers.length) + 'v'.repeat(versions.length))
      .split('')
      .map((kind) => (kind === 'v' ? 'object' : 'marker')),
    (key) => decodeURIComponent(key),
  )?.map(({ key, versionId }) => `${key}:${versionId}`)

describe('versions and delete markers', () => {
  it('have the order of the document, whatever their times are', () => {
    const versions = [
      { id: '3', second: 1 },
      { id: '1', second: 9 },
    ]
    expect(ordered({ versions, markers: [{ id: '2', second: 5 }] }, { kinds: 'vmv' })).toEqual(['a:3', 'a:2', 'a:1'])
  })

  it('that are listed apart are put in the order of their keys, as bytes', () => {
    const versions = [{ id: '1' }, { id: '1', key: '%EF%BF%BD' }, { id: '1', key: '%F0%9F%98%80' }]
    const markers = [
      { id: '2', isLatest: true },
      { id: '2', key: '%F0%9F%98%80', isLatest: true },
    ]
    for (const kinds of ['mmvvv', 'vvvmm']) {
      expect(ordered({ versions, markers }, { kinds })).toEqual(['a:2', 'a:1', '\uFFFD:1', '😀:2', '😀:1'])
    }
  })

  it('that are listed apart are put in the order of their times, the latest first', () => {
    const versions = [
      { id: '5', second: 5, isLatest: true },
      { id: '3', second: 3 },
      { id: '1', second: 1 },
    ]
    const markers = [
      // The server dates it by the time at which it was replaced.
      { id: '4', second: 6 },
      { id: '2', second: 2 },
    ]
    expect(ordered({ versions, markers })).toEqual(['a:5', 'a:4', 'a:3', 'a:2', 'a:1'])
  })

  it('that are listed apart are put in the order of ids that tell it', () => {
    const id = (n: number): string => `01M8GBAFQRS6FAVX6YXM42R98${n}`
    const versions = [
      { id: id(5), second: 0, isLatest: true },
      { id: id(3), second: 9 },
      { id: id(1), second: 9 },
    ]
    const markers = [
      { id: id(4), second: 5 },
      { id: id(2), second: 3 },
    ]
    expect(ordered({ versions, markers })).toEqual([5, 4, 3, 2, 1].map((n) => `a:${id(n)}`))
  })

  it('keep the order of the document where nothing tells another', () => {
    const rows = { versions: [{ id: 'v2' }, { id: 'v1' }], markers: [{ id: 'm2' }, { id: 'm1' }] }
    expect(ordered(rows)).toEqual(['a:m2', 'a:m1', 'a:v2', 'a:v1'])
    expect(ordered(rows, { kinds: 'vvmm' })).toEqual(['a:v2', 'a:v1', 'a:m2', 'a:m1'])
  })

  it('end with the one that the next page begins after', () => {
    const rows = { versions: [{ id: 'v2' }, { id: 'v1' }], markers: [{ id: 'm2' }, { id: 'm1' }] }
    expect(ordered(rows, { next: { key: 'a', id: 'm1' } })).toEqual(['a:m2', 'a:v2', 'a:v1', 'a:m1'])
  })

  it('are refused if the document has others than the answer', () => {
    expect(ordered({ versions: [{ id: '1' }], markers: [] }, { kinds: 'm' })).toBeUndefined()
    expect(ordered({ versions: [{ id: '1' }], markers: [] }, { kinds: '' })).toBeUndefined()
  })
})
