import { expect, it } from 'vitest'
import { bufferPool } from './buffer-pool.ts'

it('gives out large buffers while few are taken, and small ones beyond', () => {
  const pool = bufferPool({ size: 100, keptMax: 1, thrifty: { from: 2, size: 10 } })
  const taken = [pool.take(), pool.take(), pool.take(), pool.take()]
  expect(taken.map(({ length }) => length)).toEqual([100, 100, 10, 10])
  for (const buffer of taken) pool.give(buffer)
  expect(pool.take()).toBe(taken[0])
  expect([pool.take().length, pool.take().length]).toEqual([100, 10])
})
