import { describe, expect, it } from 'vitest'
import { isStorageError } from '../base/errors.ts'
import { type LocalClock, parseLocalMoment } from './local-moment.ts'

const hour = 60
const utc = (text: string): Date => new Date(`${text}Z`)
const now = Date.UTC(2026, 10, 24, 9, 30)

/** Tuesday, 24 November 2026, 09:30 in UTC. */
const clockOf = (offset: number): LocalClock => ({ now, offsetAt: () => offset })

describe('a relative moment', () => {
  it.each([
    ['now', '2026-11-24T09:30'],
    ['2h ago', '2026-11-24T07:30'],
    ['2 hours ago', '2026-11-24T07:30'],
    ['2h', '2026-11-24T07:30'],
    ['-2h', '2026-11-24T07:30'],
    ['-3D', '2026-11-21T09:30'],
    ['10min', '2026-11-24T09:20'],
    ['90s ago', '2026-11-24T09:28:30'],
    ['1 minute ago', '2026-11-24T09:29'],
    ['3 days ago', '2026-11-21T09:30'],
    ['1w ago', '2026-11-17T09:30'],
    ['today', '2026-11-24T00:00'],
    ['today 06:15', '2026-11-24T06:15'],
    ['yesterday', '2026-11-23T00:00'],
    ['Yesterday 18:00', '2026-11-23T18:00'],
    ['yesterday 9:05:07', '2026-11-23T09:05:07'],
    ['monday', '2026-11-23T00:00'],
    ['tuesday', '2026-11-24T00:00'],
    ['tuesday 09:00', '2026-11-24T09:00'],
    ['tuesday 10:00', '2026-11-17T10:00'],
    ['wednesday', '2026-11-18T00:00'],
    ['2026-11-20', '2026-11-20T00:00'],
    ['2026-11-20 18:00', '2026-11-20T18:00'],
    ['2026-11-20T18:00:01.250', '2026-11-20T18:00:01.250'],
    [' yesterday ', '2026-11-23T00:00'],
  ])('%j counts from the clock that was given', (text, expected) => {
    expect(parseLocalMoment(text, clockOf(0))).toEqual(utc(expected))
  })

  it.each([
    ['today', '2026-11-23T13:00', 11 * hour],
    ['yesterday 18:00', '2026-11-23T22:00', 20 * hour],
    ['monday', '2026-11-16T05:00', -5 * hour, '2026-11-23T04:00'],
    ['2026-11-20', '2026-11-20T05:00', -5 * hour],
    ['2026-11-20T10:00:00Z', '2026-11-20T10:00', -5 * hour],
    ['2h ago', '2026-11-24T07:30', -5 * hour],
  ])('%j is local where it names a day', (text, expected, offset, at = '2026-11-24T09:30') => {
    expect(parseLocalMoment(text, { now: utc(at).getTime(), offsetAt: () => offset })).toEqual(utc(expected))
  })

  it('crosses months and years', () => {
    const clock = { now: Date.UTC(2027, 0, 1, 0, 30), offsetAt: () => 0 }
    expect(parseLocalMoment('yesterday', clock)).toEqual(utc('2026-12-31T00:00'))
    expect(parseLocalMoment('saturday', clock)).toEqual(utc('2026-12-26T00:00'))
  })

  it('is the earlier of two when clocks are put back, and moves forward when a time is skipped', () => {
    const [forward, back] = [Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 9, 25, 1)]
    const berlin = { now, offsetAt: (time: number) => (time >= forward && time < back ? 2 * hour : hour) }
    expect(parseLocalMoment('2026-10-25 02:30', berlin)).toEqual(utc('2026-10-25T00:30'))
    expect(parseLocalMoment('2026-10-25 03:30', berlin)).toEqual(utc('2026-10-25T02:30'))
    expect(parseLocalMoment('2026-03-29 02:30', berlin)).toEqual(utc('2026-03-29T01:30'))
    expect(parseLocalMoment('2026-03-29 03:30', berlin)).toEqual(utc('2026-03-29T01:30'))
    expect(parseLocalMoment('2026-03-29 01:30', berlin)).toEqual(utc('2026-03-29T00:30'))
  })

  it.each([
    ['42', 42],
    ['20261120t100000z', utc('2026-11-20T10:00')],
    ['before-import', 'before-import'],
  ])('may be a moment of any other form: %j', (text, expected) => {
    expect(parseLocalMoment(text, clockOf(0))).toEqual(expected)
  })

  it.each([
    '',
    'h ago',
    '-2h ago',
    '+2h',
    '--2h',
    '2 h',
    '2hours',
    '-2',
    '1234567h',
    '2 months ago',
    '1234567h ago',
    'in 2h',
    'tomorrow 9:00',
    'yesterday 24:00',
    'yesterday 18:60',
    'yesterday at six',
    'monday 1:2',
    '2026-02-30',
    '2026-11-20 25:00',
    '2026-11-20T18:00:01+25:00',
  ])('%j is refused', (text) => {
    let refusal: unknown
    try {
      parseLocalMoment(text, clockOf(0))
    } catch (error) {
      refusal = error
    }
    expect(isStorageError(refusal, 'InvalidArgument')).toBe(true)
  })
})
