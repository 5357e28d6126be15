import { describe, expect, it } from 'vitest'
import { GrowingBytes } from './growing-bytes.ts'

describe('bytes that come in pieces', () => {
  it('are gathered in their order, whatever their sizes', () => {
    const gathered = new GrowingBytes(1000)
    const pieces = [[1], [], [2, 3, 4], Array.from({ length: 500 }, () => 5), [6]]
    for (const piece of pieces) gathered.push(Uint8Array.from(piece))
    expect([...gathered.bytes]).toEqual(pieces.flat())
    expect(gathered.length).toBe(505)
  })

  it('one by one take no more than twice their number, and never more than there may be', () => {
    const gathered = new GrowingBytes(3000)
    let held = 0
    for (let at = 0; at < 3000; at++) {
      held += gathered.growth(1)
      gathered.push(Uint8Array.of(at))
      expect(held).toBeLessThanOrEqual(Math.min(2 * (at + 1), 3000))
      expect(gathered.bytes.buffer.byteLength).toBe(held)
    }
  })

  it('that come whole take their own length', () => {
    const gathered = new GrowingBytes(3000)
    expect(gathered.growth(100)).toBe(100)
    gathered.push(new Uint8Array(100))
    expect(gathered.bytes.buffer.byteLength).toBe(100)
  })
})
