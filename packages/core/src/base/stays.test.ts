import { describe, expect, it } from 'vitest'
import { Stays } from './stays.ts'

describe('stays', () => {
  it('has those that began and did not end, whatever the order in which they end', () => {
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
      [1, 0, 2],
    ]) {
      const stays = new Stays<string>()
      const ends = ['a', 'b', 'c'].map((name) => stays.begin(name))
      const left = new Set(['a', 'b', 'c'])
      for (const at of order) {
        ends[at]?.()
        left.delete('abc'[at] as string)
        expect(new Set(stays)).toEqual(left)
      }
    }
  })

  it('ends a stay once: a second call does not end another', () => {
    const stays = new Stays<string>()
    const end = stays.begin('a')
    end()
    stays.begin('b')
    end()
    expect([...stays]).toEqual(['b'])
  })
})
