import { describe, expect, it } from 'vitest'
import { quoteEtag, strongEtags, unquoteEtag, weakEtags } from './etags.ts'

describe('etags', () => {
  it('puts quotes on and takes them off', () => {
    expect(quoteEtag('abc-2')).toBe('"abc-2"')
    expect(unquoteEtag('"abc-2"')).toBe('abc-2')
    expect(unquoteEtag(' abc-2 ')).toBe('abc-2')
    expect(unquoteEtag('"')).toBe('"')
  })

  it('splits lists, quoted or not, but not at a comma inside quotes', () => {
    expect(strongEtags('"a", b ,"c,d",')).toEqual(['a', 'b', 'c,d'])
    expect(strongEtags('*')).toEqual(['*'])
    expect(strongEtags('')).toEqual([])
  })

  it('lets a weak tag match for If-None-Match only', () => {
    expect(weakEtags('W/"a", "b"')).toEqual(['a', 'b'])
    expect(strongEtags('W/"a", "b"')).toEqual(['W/"a"', 'b'])
  })
})
