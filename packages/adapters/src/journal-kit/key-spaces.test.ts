import { describe, expect, it } from 'vitest'
import { batchKeys, eventKey, passingRowKey, positionIn, rowKey } from './key-spaces.ts'

describe('keys of a journal', () => {
  it('have positions in eight bytes, big-endian', () => {
    for (const seq of [0, 1, 255, 256, 2 ** 32 - 1, 2 ** 32, 2 ** 40 + 7, Number.MAX_SAFE_INTEGER]) {
      const key = eventKey(seq)
      expect(Buffer.from(key).readBigUInt64BE(1)).toBe(BigInt(seq))
      expect([key.length, key[0], positionIn(key)]).toEqual([9, 0, seq === 0 ? undefined : seq])
    }
    for (const wrong of [-1, 0.5, Number.NaN, 2 ** 53]) expect(() => eventKey(wrong)).toThrow(TypeError)
  })

  it('are the same in a batch', () => {
    const rows = [Uint8Array.of(7), new Uint8Array(0), new Uint8Array(300).fill(9)].map((key) => ({ key }))
    const keys = batchKeys(255, { events: [1, 2], rows })
    expect(keys).toEqual([eventKey(256), eventKey(257), ...rows.map(({ key }) => rowKey(key))])
    expect(batchKeys(3, { events: [], rows: [] })).toEqual([])
  })

  it('are the same for a call, however long they are', () => {
    for (const length of [0, 1, 100, 4094, 4095, 4096, 10_000]) {
      const key = new Uint8Array(length).fill(length)
      expect(passingRowKey(key)).toEqual(rowKey(key))
    }
  })
})
