import { InvalidArgumentError } from 'commander'
import { describe, expect, it } from 'vitest'
import { parseDuration, parseMoment, parsePort, parseRate, parseSeq, parseText } from './parse-values.ts'

describe('parseMoment', () => {
  it.each([
    ['0', 0],
    ['1234', 1234],
    ['2026-08-01', new Date(2026, 7, 1)],
    ['2026-08-01T12:00Z', new Date(Date.UTC(2026, 7, 1, 12))],
    ['2026-08-01T12:00:00.250+02:00', new Date(Date.UTC(2026, 7, 1, 10, 0, 0, 250))],
    ['2026-08-01T12:00:00', new Date(2026, 7, 1, 12)],
    ['before-import', 'before-import'],
  ])('takes %s', (text, moment) => {
    expect(parseMoment(text)).toEqual(moment)
  })

  it('takes times relative to the clock and the time zone of the machine', () => {
    const midnight = new Date()
    midnight.setHours(0, 0, 0, 0)
    expect(parseMoment('today')).toEqual(midnight)
    const past = Date.now() - 2 * 3_600_000
    expect(Math.abs(Number(parseMoment('2h ago')) - past)).toBeLessThan(60_000)
  })

  it.each(['', '-1', '1.5', 'a day ago', '2026-13-01', '1 Aug 2026', '1234567890123456'])('refuses %j', (text) => {
    expect(() => parseMoment(text)).toThrow(InvalidArgumentError)
  })
})

describe('parseSeq', () => {
  it('takes whole numbers only', () => {
    expect(parseSeq('42')).toBe(42)
    for (const text of ['', '-1', '0x10', '1e3', ' 1']) expect(() => parseSeq(text)).toThrow(InvalidArgumentError)
  })
})

describe('parseRate', () => {
  it('takes a number of requests per second, and a burst', () => {
    expect([parseRate('50'), parseRate('0.5'), parseRate('50/200')]).toEqual([
      { perSecond: 50 },
      { perSecond: 0.5 },
      { perSecond: 50, burst: 200 },
    ])
  })

  it.each(['', '0', '-1', '50/', '50/0', '/5', '1e3', '50/200/3', '9999999'])('refuses %j', (text) => {
    expect(() => parseRate(text)).toThrow(InvalidArgumentError)
  })
})

describe('parsePort', () => {
  it.each(['0', '1', '9000', '65535'])('takes %s', (text) => {
    expect(parsePort(text)).toBe(Number(text))
  })

  it.each(['', '65536', '-1', '80.5', '1e3', 'http'])('refuses %j', (text) => {
    expect(() => parsePort(text)).toThrow(InvalidArgumentError)
  })
})

describe('parseDuration', () => {
  it.each([
    ['0', 0],
    ['500ms', 500],
    ['45s', 45_000],
    ['30min', 1_800_000],
    ['2w', 1_209_600_000],
    ['12h', 43_200_000],
    ['7d', 604_800_000],
  ])('takes %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each(['', '7', '7m', '7y', '-1s', '1.5h', 'd', '1d12h', '9999999999d'])('refuses %j', (text) => {
    expect(() => parseDuration(text)).toThrow(InvalidArgumentError)
  })
})

describe('parseText', () => {
  it('refuses nothing but nothing', () => {
    expect(parseText(' ')).toBe(' ')
    expect(() => parseText('')).toThrow(InvalidArgumentError)
  })
})
