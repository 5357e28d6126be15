import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ReadRanges } from './read-ranges.ts'
import { RecentWrites } from './recent-writes.ts'
import { TransactionReads } from './transaction-reads.ts'

const reads = (...names: string[]): TransactionReads => {
  const made = new TransactionReads()
  for (const name of names) made.addRow(name)
  return made
}

describe('recent writes', () => {
  it('show which rows commits changed since a position', () => {
    const recent = new RecentWrites()
    recent.begin(4)
    recent.add(5, () => ['a'])
    recent.add(6, () => ['b'])
    expect(recent.mayHaveChanged(reads('a'), 4)).toBe(true)
    expect(recent.mayHaveChanged(reads('a'), 5)).toBe(false)
    expect(recent.mayHaveChanged(reads('b', 'c'), 5)).toBe(true)
    expect(recent.mayHaveChanged(reads('c'), 4)).toBe(false)
  })

  it('are not listed while no transaction is open', () => {
    const recent = new RecentWrites()
    const end = recent.begin(1)
    end()
    end()
    recent.add(2, () => expect.unreachable())
    recent.begin(2)
    recent.add(3, () => [])
    expect(recent.mayHaveChanged(reads('a'), 2)).toBe(false)
  })

  it('count as a change of everything once they are too many, or unknown', () => {
    const recent = new RecentWrites(3)
    recent.begin(1)
    recent.add(2, () => ['a', 'b'])
    recent.add(3, () => ['c', 'd'])
    expect(recent.mayHaveChanged(reads('x'), 1)).toBe(true)
    expect(recent.mayHaveChanged(reads('x'), 2)).toBe(false)
    recent.forget(9)
    expect(recent.mayHaveChanged(reads('x'), 8)).toBe(true)
    expect(recent.mayHaveChanged(reads('x'), 9)).toBe(false)
  })
})

it('ranges that were read contain what one of them contains', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 3 })
  fc.assert(
    fc.property(fc.array(fc.tuple(name, name)), fc.array(name), (pairs, names) => {
      const ranges = new ReadRanges()
      for (const [gte, lt] of pairs) {
        ranges.add({ gte, lt })
        ranges.has(gte)
      }
      for (const one of names) expect(ranges.has(one)).toBe(pairs.some(([gte, lt]) => gte <= one && one < lt))
    }),
  )
})
