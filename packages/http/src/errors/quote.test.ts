import { describe, expect, it } from 'vitest'
import { quoted, quotedFields, quoteMax } from './quote.ts'

describe('a quote in an error', () => {
  it('is whole up to its limit, and ends with an ellipsis beyond it', () => {
    expect(quoted('k'.repeat(quoteMax))).toBe('k'.repeat(quoteMax))
    expect(quoted('k'.repeat(quoteMax + 1))).toBe(`${'k'.repeat(quoteMax - 1)}…`)
  })

  it('ends between two characters', () => {
    for (const before of ['', 'k']) {
      const cut = quoted(before + '😀'.repeat(quoteMax))
      expect(() => encodeURIComponent(cut)).not.toThrow()
      expect(cut.length).toBeLessThanOrEqual(quoteMax)
      expect(cut.at(-1)).toBe('…')
    }
  })

  it('may be longer where people compare a signed text', () => {
    const long = 'k'.repeat(100_000)
    const { StringToSign, other } = quotedFields<string>({ StringToSign: long, other: long })
    expect([StringToSign?.length, other?.length]).toEqual([16 * 1024, quoteMax])
    expect(quotedFields({ size: 5, short: 'k' })).toEqual({ size: 5, short: 'k' })
  })
})
