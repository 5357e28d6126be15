import { describe, expect, it } from 'vitest'
import { openSession, sealSession } from './session-token.ts'

const key = new Uint8Array(32).fill(7)
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=. '

describe('the token of a session', () => {
  // Ids of three lengths, so that tokens end with and without padding.
  it.each(['a', 'ab', 'abc'])('has one spelling (%s)', (parentId) => {
    const session = { accessKeyId: 'ASIA', secretAccessKey: 'secret', expiresAt: 1, parentKeyId: 'KEY', parentId }
    const token = sealSession(key, session)
    expect(openSession(key, token)).toEqual(session)
    const others = new Set<string>()
    for (const letter of letters) {
      for (const at of [0, 1, 9, token.length - 3, token.length - 2, token.length - 1, token.length]) {
        others.add(token.slice(0, at) + letter + token.slice(at))
        others.add(token.slice(0, at) + letter + token.slice(at + 1))
        others.add(token.slice(0, at) + token.slice(at + 1))
      }
    }
    others.delete(token)
    for (const other of [
      ...others,
      token.toLowerCase(),
      `${token}\n`,
      Buffer.from(token, 'base64').toString('base64url'),
    ]) {
      if (other !== token) expect([other, openSession(key, other)]).toEqual([other, undefined])
    }
  })
})
