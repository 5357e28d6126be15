import { describe, expect, it } from 'vitest'
import { formatHttpDate, parseHttpDate } from './http-date.ts'

const instant = new Date('1994-11-06T08:49:37.000Z')

describe('parseHttpDate', () => {
  it.each([
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
    'Sun, 06 Nov 1994 08:49:37 UTC',
  ])('reads %j', (text) => {
    expect(parseHttpDate(text)).toEqual(instant)
  })

  it.each([
    '',
    'yesterday',
    '1994-11-06T08:49:37Z',
    '784111777',
    'Sun, 31 Feb 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:49:37 GMT',
    'Sun, 06 Nov 1994 08:60:37 GMT',
    'Sun, 06 Nov 1994 08:49:37 CET',
    ' Sun, 06 Nov 1994 08:49:37 GMT',
  ])('does not take %j for a date', (text) => {
    expect(parseHttpDate(text)).toBeUndefined()
  })

  it('reads what formatHttpDate writes, without the milliseconds', () => {
    const date = new Date('2026-02-28T23:59:59.999Z')
    expect(formatHttpDate(date)).toBe('Sat, 28 Feb 2026 23:59:59 GMT')
    expect(parseHttpDate(formatHttpDate(date))).toEqual(new Date('2026-02-28T23:59:59.000Z'))
  })
})
