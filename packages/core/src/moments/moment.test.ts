import { describe, expect, it } from 'vitest'
import { isStorageError } from '../base/errors.ts'
import { parseAsOfName } from './as-of-name.ts'
import { parseMoment } from './moment.ts'

const time = (ms = 0) => new Date(Date.UTC(2026, 10, 20, 10, 0, 0, ms))

/** Text that is no moment, in any of its forms. */
const malformed = [
  '',
  ' 5',
  '-1',
  '+1',
  '1.5',
  '1e3',
  '0x10',
  '١٢',
  '1234567890123456',
  '2026-11-20',
  '2026-11-20T10:00:00',
  '2026-02-30T10:00:00Z',
  '2026-00-20T10:00:00Z',
  '2026-11-20T24:00:00Z',
  '2026-11-20T10:60:00Z',
  '2026-11-20T10:00:60Z',
  '2026-11-20T10:00:00+24:00',
  '2026-11-20T10:00:00.1234567890Z',
  '20261120t100000',
  '20261120t1000001z',
  '20261320t100000z',
  '20260229t100000z',
  'Before',
  'before--import',
  '-before',
  'before-',
  '1before',
  'be.fore',
  'über',
  'a'.repeat(21),
  's3alias',
  'my-s3alias',
  'now',
  'yesterday',
  'monday',
  'before\n',
  '5\n',
]

describe('the text of a moment', () => {
  it.each([
    ['0', 0],
    ['12345', 12_345],
    ['999999999999999', 999_999_999_999_999],
    ['2026-11-20T10:00:00Z', time()],
    ['2026-11-20t10:00:00.123456789z', time(123)],
    ['2026-11-20T10:00:00.5Z', time(500)],
    ['2026-11-20T12:30:00+02:30', time()],
    ['2026-11-20T00:00:00-10:00', time()],
    ['20261120t100000z', time()],
    ['20261120T100000123Z', time(123)],
    ['0001-01-01T00:00:00Z', new Date('0001-01-01T00:00:00Z')],
    ['before-import', 'before-import'],
    ['a', 'a'],
    ['v1-2-3', 'v1-2-3'],
    [`a${'-b'.repeat(19)}`, `a${'-b'.repeat(19)}`],
    ['s3aliases', 's3aliases'],
  ])('%j is read', (text, moment) => expect(parseMoment(text)).toEqual(moment))

  it.each(malformed)('%j is refused', (text) => {
    let refusal: unknown
    try {
      parseMoment(text)
    } catch (error) {
      refusal = error
    }
    expect(isStorageError(refusal, 'InvalidArgument')).toBe(true)
  })
})

describe('the name of a bucket as it was', () => {
  it.each([
    ['photos--at-12345', 'photos', 12_345],
    ['photos--at-20261120t100000z', 'photos', time()],
    ['photos--at-20261120t100000123z', 'photos', time(123)],
    ['photos--at-before-import', 'photos', 'before-import'],
    ['a--at-5--at-7', 'a--at-5', 7],
    ['a--at---at-7', 'a--at-', 7],
    [`${'b'.repeat(63)}--at-20261120t100000123z`, 'b'.repeat(63), time(123)],
  ])('%s is a bucket and a moment', (name, bucket, moment) => {
    expect(parseAsOfName(name)).toEqual({ bucket, moment })
  })

  it.each([
    'photos',
    '--at-5',
    'photos--at-',
    'photos-at-5',
    'photos--At-5',
    'photos--at-20261120T100000Z',
    'photos--at-2026-11-20T10:00:00Z',
    'photos--at-2026-11-20',
    'photos--at--5',
    'photos--at-5.5',
    'photos--at-yesterday',
    'photos--at-5/key',
    'photos--at-5 ',
    'photos--at-5\n',
  ])('%j is no such name', (name) => expect(parseAsOfName(name)).toBeUndefined())
})
