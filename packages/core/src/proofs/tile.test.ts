import { describe, expect, it } from 'vitest'
import type { StorageError } from '../base/errors.ts'
import { entryBundle, parseTilePath, widthAt } from './tile.ts'

const refusal = (path: string): unknown => {
  try {
    return parseTilePath(path)
  } catch (error) {
    return (error as StorageError).code
  }
}

describe('paths of tiles', () => {
  it('name a level, an index and a width', () => {
    expect(parseTilePath('tile/0/000')).toEqual({ level: 0, index: 0, width: 256 })
    expect(parseTilePath('tile/2/x001/x234/067.p/17')).toEqual({ level: 2, index: 1_234_067, width: 17 })
    expect(parseTilePath('tile/entries/999.p/255')).toEqual({ level: 'entries', index: 999, width: 255 })
  })

  it.each([
    'tile/0/0',
    'tile/00/000',
    'tile/64/000',
    'tile/-1/000',
    'tile/0/x000/001',
    'tile/0/001/x002',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/07',
    'tile/0/000.p/',
    'tile/data/000',
    'tile/0/../checkpoint',
    '/tile/0/000',
    'tile/0/000\n',
    `tile/0/${'x999/'.repeat(8)}999`,
    `tile/0/${'x999/'.repeat(40)}999`,
    '',
  ])('refuse %j', (path) => expect(refusal(path)).toBe('InvalidArgument'))

  it('have the widths of the specification: a tree of 70,000', () => {
    const widths = [
      { level: 0, index: 272 },
      { level: 0, index: 273 },
      { level: 0, index: 274 },
      { level: 1, index: 0 },
      { level: 1, index: 1 },
      { level: 2, index: 0 },
      { level: 3, index: 0 },
    ].map((place) => widthAt(70_000, place))
    expect(widths).toEqual([256, 112, 0, 256, 17, 1, 0])
  })

  it('have bundles of entries with their lengths before them', () => {
    expect([...entryBundle([Uint8Array.of(7), new Uint8Array(258).fill(1)])].slice(0, 6)).toEqual([0, 1, 7, 1, 2, 1])
  })
})
