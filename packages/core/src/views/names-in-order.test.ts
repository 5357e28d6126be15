import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NamesInOrder } from './names-in-order.ts'

describe('names in order', () => {
  it('answers ranges as sorting all of them would, whenever names come', () => {
    const name = fc.string({ maxLength: 3, unit: fc.constantFrom('\0', 'a', 'b', '\xff') })
    const step = fc.oneof(fc.record({ add: name }), fc.record({ gte: name, lt: name }))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const map = new Map<string, number>()
        const names = new NamesInOrder(map)
        for (const next of steps) {
          if ('add' in next) {
            names.note(next.add)
            map.set(next.add, 1)
          } else {
            const { gte, lt } = next
            const expected = [...map.keys()].filter((one) => gte <= one && one < lt).sort()
            expect(names.within(gte, lt)).toEqual(expected)
          }
        }
      }),
    )
  })
})
