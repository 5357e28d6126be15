import { describe, expect, it } from 'vitest'
import { bodiesFrom } from './bodies.ts'
import { randomFrom } from '../basics/random.ts'

const sizes = [
  { bytes: 100, weight: 3 },
  { bytes: 5000, weight: 1 },
]

describe('randomFrom', () => {
  const draw = (seed: number) => {
    const random = randomFrom(seed)
    return Array.from({ length: 1000 }, () => random.below(10))
  }

  it('gives the same numbers for the same seed, and others for another', () => {
    expect(draw(1)).toEqual(draw(1))
    expect(draw(1)).not.toEqual(draw(2))
  })

  it('gives every number about as often', () => {
    for (let digit = 0; digit < 10; digit++) {
      const count = draw(3).filter((drawn) => drawn === digit).length
      expect(count).toBeGreaterThan(60)
      expect(count).toBeLessThan(140)
    }
  })
})

describe('bodiesFrom', () => {
  it('knows the bytes of a version without keeping them, in every process alike', () => {
    const [here, there] = [bodiesFrom(1, sizes), bodiesFrom(1, sizes)]
    for (let key = 0; key < 50; key++) {
      expect(there.isOf(here.of(key, 1), key, 1)).toBe(true)
      expect(here.of(key, 1)).toHaveLength(here.sizeOf(key, 1))
    }
  })

  it('distinguishes versions, keys and seeds, and detects one wrong byte', () => {
    const bodies = bodiesFrom(1, [{ bytes: 4096, weight: 1 }])
    expect(bodies.isOf(bodies.of(1, 1), 1, 2)).toBe(false)
    expect(bodies.isOf(bodies.of(1, 1), 2, 1)).toBe(false)
    expect(bodiesFrom(2, [{ bytes: 4096, weight: 1 }]).isOf(bodies.of(1, 1), 1, 1)).toBe(false)
    const damaged = Buffer.from(bodies.of(1, 1))
    damaged.writeUInt8(damaged.readUInt8(4095) ^ 1, 4095)
    expect(bodies.isOf(damaged, 1, 1)).toBe(false)
  })

  it('gives sizes by their weights', () => {
    const bodies = bodiesFrom(9, sizes)
    const small = Array.from({ length: 4000 }, (_, key) => bodies.sizeOf(key, 1)).filter((size) => size === 100)
    expect(small.length / 4000).toBeCloseTo(0.75, 1)
  })
})
