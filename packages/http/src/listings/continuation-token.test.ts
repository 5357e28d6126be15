import { describe, expect, it } from 'vitest'
import { decodeToken, encodeToken } from './continuation-token.ts'

describe('continuation tokens', () => {
  it.each(['a', 'b/', 'ü+ %2F', '\u0001', '😀', 'x'.repeat(1024)])('bring back %j', (key) => {
    expect(decodeToken(encodeToken(key))).toBe(key)
  })

  it('need no escaping in URLs and XML', () => {
    expect(encodeToken('<&>"+/?\u0000ÿ😀')).toMatch(/^[A-Za-z0-9_-]+$/)
  })

  it.each(['', 'a', 'not a token', 'YWJj', `${encodeToken('a')}=`, `${encodeToken('a')} `, '__proto__'])(
    'refuse %j, which was never one',
    (token) => {
      expect(() => decodeToken(token)).toThrow(expect.objectContaining({ code: 'InvalidArgument' }))
    },
  )
})
