import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hashing } from '../api/memory-ports.fixture.ts'
import { hmacSha256 } from './hmac.ts'

it('gives the MACs of the runtime, for keys and messages of any length', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ maxLength: 300 }), (key, message) => {
      const expected = Uint8Array.from(createHmac('sha256', key).update(message).digest())
      expect(hmacSha256(hashing, key)(message)).toEqual(expected)
    }),
  )
})
