import { describe, expect, it } from 'vitest'
import { FairQueue } from './fair-queue.ts'

function queueOf(holders: string): FairQueue<string> {
  const queue = new FairQueue<string>()
  const counts = new Map<string, number>()
  for (const holder of holders) {
    const count = (counts.get(holder) ?? 0) + 1
    counts.set(holder, count)
    queue.push(holder, `${holder}${count}`)
  }
  return queue
}

describe('a fair queue', () => {
  it('gives the first of each holder before the second of any, and the items of one in their order', () => {
    const queue = queueOf('aaaabbc')
    expect(queue.take().join(' ')).toBe('a1 b1 c1 a2 b2 a3 a4')
    expect([queue.length, queue.shift()]).toEqual([0, undefined])
  })

  it('keeps the order of holders with one item each', () => {
    expect(queueOf('dbca').take().join(' ')).toBe('d1 b1 c1 a1')
  })

  it('gives as many as requested, and puts a newcomer behind one entry of each', () => {
    const queue = queueOf('aaaaa')
    expect(queue.take(2)).toEqual(['a1', 'a2'])
    queue.push('b', 'b1')
    expect([queue.length, ...queue.take(2)]).toEqual([4, 'a3', 'b1'])
    expect(queue.take()).toEqual(['a4', 'a5'])
  })
})
