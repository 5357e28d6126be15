import { describe, expect, it } from 'vitest'
import { hashing } from '../api/memory-ports.fixture.ts'
import { compareBytes } from './bytes.ts'
import { openFrame, payloadOf, sealFrame, sealText } from './frame.ts'
import { encodeUtf8 } from './utf8.ts'

const key = encodeUtf8('key')
const payload = encodeUtf8('payload')

describe('a frame', () => {
  it('gives back what was sealed', () => {
    expect(openFrame(hashing, key, sealFrame(hashing, key, payload))).toEqual(payload)
    expect(openFrame(hashing, key, sealFrame(hashing, key, new Uint8Array()))).toEqual(new Uint8Array())
  })

  it('of text is that of its bytes, and stays so while others are made', () => {
    const texts = Array.from({ length: 200 }, (_, i) =>
      '\u{10FFFF}a€\0'.repeat(i * i * 7).slice(0, i === 199 ? 400_000 : 3000 + i),
    )
    const frames = texts.map((text) => sealText(hashing, key, text))
    for (const [i, text] of texts.entries()) {
      const frame = frames[i] as Uint8Array
      expect(compareBytes(frame, sealFrame(hashing, key, encodeUtf8(text)))).toBe(0)
      expect(compareBytes(payloadOf(frame), encodeUtf8(text))).toBe(0)
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
