import { describe, expect, it } from 'vitest'
import { hashing } from '../api/memory-ports.fixture.ts'
import { frameFormat, openFrame, seal, sealFrame } from './frame.ts'
import { encodeUtf8 } from './utf8.ts'

const key = encodeUtf8('key')
const payload = encodeUtf8('payload')

describe('a frame', () => {
  it('gives back what was sealed', () => {
    expect(openFrame(hashing, key, sealFrame(hashing, key, payload))).toEqual(payload)
    expect(openFrame(hashing, key, sealFrame(hashing, key, new Uint8Array()))).toEqual(new Uint8Array())
  })

  it('is opened as its own format only, whatever its length', () => {
    for (const length of [0, 1, 100, 5000]) {
      const record = seal(hashing, key, new Uint8Array(5 + length).fill(7), frameFormat.record)
      expect(openFrame(hashing, key, record, frameFormat.record)).toHaveLength(length)
      expect(openFrame(hashing, key, record, frameFormat.bytes)).toBeUndefined()
      expect(openFrame(hashing, key, record.with(4, frameFormat.bytes))).toBeUndefined()
    }
  })

  it('is refused with any single bit flipped', () => {
    const frame = sealFrame(hashing, key, payload)
    for (let bit = 0; bit < frame.length * 8; bit++) {
      const damaged = Uint8Array.from(frame)
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7))
      expect(openFrame(hashing, key, damaged)).toBeUndefined()
    }
  })

  it('is refused at every shorter length', () => {
    const frame = sealFrame(hashing, key, payload)
    for (let length = 0; length < frame.length; length++) {
      expect(openFrame(hashing, key, frame.subarray(0, length))).toBeUndefined()
    }
  })

  it('is refused under another key', () => {
    expect(openFrame(hashing, encodeUtf8('kez'), sealFrame(hashing, key, payload))).toBeUndefined()
  })
})
