import { describe, expect, it } from 'vitest'
import { ciphers } from './ciphers.fixture.ts'
import { unwrap, wrap } from './wrapping.ts'

const key = ciphers.random(32)
const secret = ciphers.random(64)

describe('wrapping', () => {
  it('gives back what was wrapped, however little it was', () => {
    for (const bytes of [secret, secret.subarray(0, 1), new Uint8Array()]) {
      expect(unwrap(ciphers, key, wrap(ciphers, key, bytes, 'here'), 'here')).toEqual(bytes)
    }
  })

  it('refuses another key, and another context', () => {
    const wrapped = wrap(ciphers, key, secret, 'here')
    expect(unwrap(ciphers, ciphers.random(32), wrapped, 'here')).toBeUndefined()
    expect(unwrap(ciphers, key, wrapped, 'there')).toBeUndefined()
  })

  it('refuses what has any byte changed, one more, or any number missing', () => {
    const wrapped = wrap(ciphers, key, secret, 'here')
    for (let at = 0; at < wrapped.length; at++) {
      const changed = Uint8Array.from(wrapped, (byte, i) => (i === at ? byte ^ (1 << (at % 8)) : byte))
      expect(unwrap(ciphers, key, changed, 'here')).toBeUndefined()
      expect(unwrap(ciphers, key, wrapped.subarray(0, at), 'here')).toBeUndefined()
    }
    expect(unwrap(ciphers, key, Uint8Array.of(...wrapped, 0), 'here')).toBeUndefined()
  })

  it('never gives the same bytes twice, and never contains the secret', () => {
    const [one, other] = [wrap(ciphers, key, secret, ''), wrap(ciphers, key, secret, '')]
    expect(one).not.toEqual(other)
    expect(Buffer.from(one).includes(Buffer.from(secret.subarray(0, 8)))).toBe(false)
  })

  it('commits to the key: a tag that is right under another key does not help it', () => {
    // What AES-GCM alone would let through: a sealed secret of the other key behind the head of this one.
    const other = ciphers.random(32)
    const [ours, theirs] = [wrap(ciphers, key, secret, ''), wrap(ciphers, other, secret, '')]
    const mixed = Uint8Array.of(...ours.subarray(0, 48), ...theirs.subarray(48))
    expect(unwrap(ciphers, key, mixed, '')).toBeUndefined()
    expect(unwrap(ciphers, other, mixed, '')).toBeUndefined()
  })
})
